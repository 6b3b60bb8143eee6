import { builtImage, followBuild } from '#environments';
import { beginningOf } from '#lib';
import { parseRunWorkflowId, type RunRef } from '#protocol';
import { buildLimit, buildsFolder, type ImageStep, imagesOf } from './run/images.js';
import { loadRun } from './run/load-run.js';
import { heartbeating, wasCancelled } from './step/heartbeat.js';
import { noteOpenRun } from './step/open-runs.js';
import { runStepOnce } from './step/run-step-once.js';
import type { Deps } from './step/deps.js';

const LINE_LENGTH = 200;

/**
 * Builds an image of a run, unless it is on this machine. Runs that need the same follow one build. Returns null, or
 * why it could not be built, which the report says, too.
 */
export const buildImage =
  (deps: Deps) =>
  async (run: RunRef, step: string): Promise<string | null> => {
    noteOpenRun(deps, run);
    const context = await loadRun(deps, run);
    const { environment } = context.scenario;
    const needed = (await imagesOf(deps, context)).find((one) => one.step === step);
    if (needed === undefined || environment.type !== 'docker') throw new TypeError(`no image is built by '${step}'`);
    const done = await runStepOnce<ImageStep>(context, step, () =>
      heartbeating(async (signal, onProgress) => {
        const failure = await followBuild({
          command: environment.command,
          builds: buildsFolder(deps),
          context: needed.from,
          hash: needed.hash,
          timeoutSecs: buildLimit(context.scenario),
          follower: run.run,
          // A cell that is run again builds anew what has failed before.
          round: run.fresh === true ? run.run : `${run.sweep}/${parseRunWorkflowId(run.workflowId).round}`,
          signal,
          isCancelled: wasCancelled,
          onProgress: (line, events) => {
            onProgress({ doing: beginningOf(context.redact(`build: ${line}`), LINE_LENGTH), events });
          },
        });
        const image = builtImage(needed.hash);
        return failure === null
          ? { image, lacking: null }
          : { image, lacking: context.redact(`the image could not be built: ${failure.reason}`) };
      }),
    );
    return done.lacking;
  };
