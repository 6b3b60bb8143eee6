import { join } from 'node:path';
import type { EnvironmentHandle } from '../../environments/environment.js';
import { environments } from '../../environments/index.js';
import type { RunRef } from '../../workflows/protocol.js';
import { lastStart } from '../agent/outputs.js';
import { returnLogin } from '../equip/login-files.js';
import { forgetOpenRun } from '../step/open-runs.js';
import { judgeHandle } from '../step/places.js';
import type { Deps } from '../step/deps.js';
import { loadRun } from '../step/run-context.js';
import { checkName } from '../step/stored.js';

/**
 * As much of a run's handle as it takes to end and remove it, whatever has become of its plan. What runs in a sandbox is
 * ended like all else.
 */
function handlesOf({ stateFolder }: Deps, { run }: RunRef): EnvironmentHandle[] {
  checkName(run);
  const root = join(stateFolder, 'work', run);
  const workspace = join(root, 'fixture');
  const handle: EnvironmentHandle = { type: 'local', root, workspace, mark: run, hidden: [], project: null };
  return [judgeHandle(handle), handle];
}

/** Whether an agent of the run, or one that judges it, is alive. */
export async function hasLivingAgent(deps: Deps, run: RunRef): Promise<boolean> {
  const living = await Promise.all(handlesOf(deps, run).map((handle) => environments.local.living(handle)));
  return living.flat().length > 0;
}

/** Stops the agents of a run, which then end as cancelled. */
export async function stopAgents(deps: Deps, run: RunRef): Promise<void> {
  const { local } = environments;
  for (const handle of handlesOf(deps, run))
    for (const process of await local.living(handle)) await local.kill(process, 'cancel');
}

/**
 * Ends a run whose workflow has ended without cleaning up: its agents are stopped, logins that they have renewed go back
 * to the user, and its workspace and private folders are removed. What the agents printed stays. Can be repeated.
 */
export async function endRun(deps: Deps, run: RunRef): Promise<void> {
  const handles = handlesOf(deps, run);
  await stopAgents(deps, run);
  for (const handle of handles) await environments.local.quell(handle);
  await returnLogins(deps, run);
  for (const handle of handles) await environments.local.dispose(handle);
  forgetOpenRun(deps, run);
}

/** Which files are a login is known by the plan, which may be gone: then nothing can be returned. */
async function returnLogins(deps: Deps, run: RunRef): Promise<void> {
  const context = await loadRun(deps, run).catch(() => null);
  if (context === null) return;
  const { judgeAgent } = context;
  for (const borrower of [context, ...(judgeAgent === null ? [] : [judgeAgent])])
    await returnLogin(borrower, lastStart(borrower.handle.root));
}
