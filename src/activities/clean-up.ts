import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { sharesHost } from '../environments/environment.js';
import { isSmallTree } from '../platform/fs/is-small-tree.js';
import { TEMPORARY } from '../platform/fs/write-file.js';
import type { RunRef } from '../workflows/protocol.js';
import { forgetLogins } from './credentials/login-files.js';
import { heartbeating } from './step/heartbeat.js';
import { runLocallyIfSmall } from './step/run-locally-if-small.js';
import { forgetOpenRun } from './step/open-runs.js';
import type { Deps } from './step/deps.js';
import { loadRun, type RunContext } from './step/run-context.js';

/** Ends what is still alive of the run and removes its workspace. Raw output and manifests stay in the private state. */
export const cleanUp =
  (deps: Deps) =>
  async (run: RunRef): Promise<true | null> => {
    const context = await loadRun(deps, run);
    return runLocallyIfSmall(
      () => sharesHost(context.handle) && isSmallTree(context.state),
      async () => {
        await remove(context);
        forgetOpenRun(deps, run);
        return true as const;
      },
    );
  };

async function remove(context: RunContext): Promise<void> {
  const { environment, handle, judgeAgent, files, state } = context;
  await heartbeating(async () => {
    if (judgeAgent !== null) await environment.dispose(judgeAgent.handle);
    await environment.dispose(handle);
    for (const borrower of [context, ...(judgeAgent === null ? [] : [judgeAgent])])
      if (borrower.agent.login !== null) await forgetLogins(borrower);
  });
  // Of the results not all that is below: the copy of the workspace is the agent's.
  for (const folder of [files.folder, files.artifacts, files.judge, state]) {
    const names = await readdir(folder, { recursive: folder === state }).catch(() => []);
    for (const name of names.filter((name) => TEMPORARY.test(name))) {
      await rm(join(folder, name), { recursive: true, force: true });
    }
  }
}
