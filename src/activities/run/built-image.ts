import { join } from 'node:path';
import { Context } from '@temporalio/activity';
import { buildImage, builtImage, isBuilt } from '#environments';
import { readJsonIfThere, waitForLock, writeFileAtomic } from '#host';
import { beginningOf } from '#lib';
import { parseRunWorkflowId } from '#protocol';
import { BUILD_SECS, type Scenario } from '#scenario';
import { heartbeating } from '../step/heartbeat.js';
import { noteReason } from '../step/open-runs.js';
import type { Deps } from '../step/deps.js';
import type { RunIdentity } from './context.js';

type BuiltEnvironment = Extract<Scenario['environment'], { type: 'docker' }>;

/** Thrown where a workflow task would have to wait for a build: the step is to be a regular activity. */
export class NeedsActivity extends Error {}

/** A build that has failed. It is not tried again for other runs of the same round of the sweep. */
interface Failed {
  round: string;
  why: string;
}

/**
 * Builds the image that a scenario's `environment` describes, unless it is on this machine. One process of this machine
 * builds it, and the others wait. Returns its name, or why there is none.
 *
 * @throws NeedsActivity in a local activity
 */
export async function imageFor(
  deps: Deps,
  { run }: Pick<RunIdentity, 'run'>,
  { command, build_timeout_secs: timeoutSecs = BUILD_SECS }: BuiltEnvironment,
  /** The folder with the Dockerfile, and its hash. */
  { from, hash }: { from: string; hash: string },
): Promise<{ image: string } | { lacking: string }> {
  const image = builtImage(hash);
  const context = Context.current();
  if (await isBuilt(command, hash)) return { image };
  if (context.info.isLocal) throw new NeedsActivity();
  const folder = join(deps.stateFolder, 'images');
  const file = join(folder, `${hash}.failed.json`);
  const round = `${run.sweep}/${parseRunWorkflowId(run.workflowId).round}`;
  return heartbeating(async (signal, onProgress) => {
    const what = `the image ${image}`;
    const lock = await waitForLock(folder, hash, {
      timeoutMs: timeoutSecs * 2000,
      onWait: () => noteReason(deps, run, `${what}, which another run builds`),
      signal,
    });
    if (lock === null) throw new Error(`${what} is still being built for another run`);
    try {
      if (await isBuilt(command, hash)) return { image };
      const failed = await readJsonIfThere<Failed>(file).catch(() => null);
      if (failed?.round === round && run.fresh !== true) return { lacking: failed.why };
      noteReason(deps, run, `${what}, which is being built`);
      let lines = 0;
      const why = await buildImage({
        command,
        hash,
        timeoutSecs,
        signal,
        folder: from,
        onLine: (line) => onProgress({ doing: beginningOf(`build: ${line}`, 200), events: (lines += 1) }),
      });
      if (why === null) return { image };
      const lacking = `the image could not be built: ${why}`;
      await writeFileAtomic(file, JSON.stringify({ round, why: lacking } satisfies Failed));
      return { lacking };
    } finally {
      noteReason(deps, run, null);
      await lock.release();
    }
  });
}
