import { changesIn } from '../../environments/read-workspace.js';
import { fixtureFolder } from '../../store/results-folder.js';
import type { Deps } from './deps.js';
import type { RunContext } from './run-context.js';

/** The workspace after a step, compared with the start of the run. Not redacted. */
export interface FilesAfter {
  /** The beginnings of text files that were added or changed, by path. One that is cut ends with an ellipsis. */
  files: Record<string, string>;
  /** Number of added and changed files that are not in `files`. */
  leftOut: number;
  removed: string[];
}

/**
 * Returns what a step left in the workspace, if the scenario wants that recorded; null if it cannot be read. That is no
 * reason to perform the step again.
 */
export async function filesAfter(
  { resultsPath }: Deps,
  context: RunContext,
): Promise<{ after?: FilesAfter | null }> {
  const { scenario, environment, handle } = context;
  if (scenario.executions !== true) return {};
  const start = {
    fixture: fixtureFolder(resultsPath, context.fixture),
    files: scenario.inputs.files,
  };
  const changes = await changesIn(environment, handle, start).catch(() => null);
  if (changes === null) return { after: null };
  const { changed, more } = changes;
  const present = changed.filter(({ change }) => change !== 'removed');
  const texts = present.flatMap(({ path, start: text, bytes }): [string, string][] =>
    text === null ? [] : [[path, Buffer.byteLength(text) < (bytes ?? 0) ? `${text}…` : text]],
  );
  return {
    after: {
      files: Object.fromEntries(texts),
      leftOut: present.length - texts.length + more,
      removed: changed.flatMap(({ path, change }) => (change === 'removed' ? [path] : [])),
    },
  };
}
