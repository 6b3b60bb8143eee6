import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { leaveBuilds, sharesHost } from '#environments';
import { TEMPORARY } from '#host';
import type { RunRef } from '#protocol';
import { removeLogins } from './credentials/login-files.js';
import { heartbeating } from './step/heartbeat.js';
import { isSmallRun, runLocallyIfSmall } from './step/run-step-once.js';
import { buildsFolder } from './run/images.js';
import { endMockServer } from './run/mock-server.js';
import { removeOpenRun } from './step/open-runs.js';
import type { Deps } from './step/deps.js';
import { forgetSecrets } from './run/secrets.js';
import { loadRun } from './run/load-run.js';
import { resourcesOf, tearDown } from './teardown/tear-down.js';
import type { LoadedRun } from './run/context.js';

/**
 * Kills what is left of the run and removes its workspace, and tries again what the report could not tear down. Raw
 * output and manifests stay in the private state. Returns null if this is too much for a workflow task.
 */
export const cleanUp =
  (deps: Deps) =>
  async (run: RunRef): Promise<true | null> => {
    const context = await loadRun(deps, run);
    return runLocallyIfSmall(
      () => isSmallRun(context),
      async () => {
        await removeLeft(deps, context);
        removeOpenRun(deps, run);
        deps.host?.slots.release(run.workflowId);
        return true as const;
      },
    );
  };

/** Kills what is left of a run, and removes its workspace and what its steps kept for each other. */
export async function removeLeft(deps: Deps, context: LoadedRun): Promise<void> {
  await remove(deps, context);
  await forgetSecrets(context.state);
}

async function remove(deps: Deps, context: LoadedRun): Promise<void> {
  const { environment, handle, judgeAgent, files, state } = context;
  await heartbeating(async () => {
    // A worker may have died while it followed a build, and the run was cancelled before the next one did.
    await leaveBuilds(buildsFolder(deps), context.run.run);
    await tearDown(deps, context.run, await resourcesOf(context), context.redact);
    if (sharesHost(handle)) {
      if (judgeAgent !== null) await environment.dispose(judgeAgent.handle);
      await environment.dispose(handle);
    }
    await endMockServer(state);
    for (const each of [context, ...(judgeAgent === null ? [] : [judgeAgent])])
      if (each.agent.login !== null) await removeLogins(each);
  });
  await rm(files.liveEvents, { force: true }); // events.jsonl has all of them
  await rm(files.workspace, { force: true });
  // In the results folder, only these levels: the copy of the workspace belongs to the agent.
  for (const folder of [files.folder, files.artifacts, files.judge, files.asked, state]) {
    const names = await readdir(folder, { recursive: folder === state || folder === files.asked }).catch(() => []);
    for (const name of names.filter((name) => TEMPORARY.test(name))) {
      await rm(join(folder, name), { recursive: true, force: true });
    }
  }
}
