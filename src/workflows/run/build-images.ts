import type { PlannedBuild, RunRef } from '#protocol';
import { activities, AGENT_RETRY, within } from './options.js';
import type { Performer } from './perform.js';

/** Builds the images of a run, one after the other, as long as they can be built. */
export async function buildImages(
  { perform, failures }: Performer,
  run: RunRef,
  builds: readonly PlannedBuild[],
): Promise<void> {
  for (const { step, timeoutSecs } of builds) {
    const planned = { step, title: `build the ${step}`, ...within(timeoutSecs), retry: AGENT_RETRY };
    const complaint = (lacking: string | null): string | null => lacking;
    const lacking = await perform({ ...planned, complaint }, (options) =>
      activities.buildImage.executeWithOptions(options, [run, step]),
    );
    if (lacking !== null || failures.length > 0) return;
  }
}
