import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { lastStart, leaveBuilds, livingStarts, sharesHost } from '#environments';
import type { RunRef } from '#protocol';
import { runFiles, stateOfRun } from '#store';
import { removeLogins, syncCredentials } from '../credentials/login-files.js';
import { buildsFolder } from '../run/images.js';
import { endMockServer } from '../run/mock-server.js';
import { removeOpenRun } from '../step/open-runs.js';
import { placesOfRun } from '../run/places.js';
import { forgetSecrets } from '../run/secrets.js';
import { stateOfJudge } from '../run/run-paths.js';
import type { Deps } from '../step/deps.js';
import { loadRun } from '../run/load-run.js';
import { tearDownAgain } from '../teardown/tear-down.js';
import { heartbeating, heartbeatNow } from '../step/heartbeat.js';

/** True if an agent of the run, or one that judges it, is alive. */
export async function hasLivingAgent(deps: Deps, run: RunRef): Promise<boolean> {
  const places = await placesOfRun(deps, run);
  const starts = await Promise.all(places.map(({ environment, handle }) => livingStarts(environment, handle)));
  return starts.some(({ living }) => living.length > 0);
}

/** Stops the agents of a run, which then count as cancelled. */
async function stopAgents(deps: Deps, run: RunRef): Promise<void> {
  for (const { environment, handle } of await placesOfRun(deps, run))
    for (const { handle: at, start } of (await livingStarts(environment, handle)).living)
      await environment.kill(at, { start, reason: 'cancel' });
}

/**
 * Cleans up a run whose workflow has ended without doing so: stops its agents, writes logins that they renewed back to
 * the user's files, tears down what it has elsewhere, and removes its workspace and private folders. The agents' output
 * is kept. Can be repeated.
 */
export async function endRun(deps: Deps, run: RunRef): Promise<void> {
  const places = await placesOfRun(deps, run);
  await stopAgents(deps, run);
  await leaveBuilds(buildsFolder(deps), run.run);
  for (const { environment, handle } of places) await environment.kill(handle, 'everything');
  await returnLogins(deps, run);
  await tearDownAgain(deps, run);
  for (const { environment, handle } of places) if (sharesHost(handle)) await environment.dispose(handle);
  const state = stateOfRun(deps.stateFolder, run.run);
  await endMockServer(state);
  for (const each of [state, stateOfJudge(state)]) await removeLogins({ state: each });
  await forgetSecrets(state);
  await rm(runFiles(join(deps.resultsPath, run.run)).workspace, { force: true });
  removeOpenRun(deps, run);
  deps.host?.slots.release(run.workflowId);
}

/** The plan says which files are a login. If the plan is gone, nothing can be written back. */
async function returnLogins(deps: Deps, run: RunRef): Promise<void> {
  const context = await loadRun(deps, run).catch(() => null);
  if (context === null) return;
  const { environment, judgeAgent } = context;
  for (const each of [context, ...(judgeAgent === null ? [] : [judgeAgent])])
    await syncCredentials(environment, each, lastStart(each.handle));
}

/**
 * Tells the run's current step of a cancel at once, because its next heartbeat may be a long time away. Also stops the
 * agent directly, because the worker that supervises it may be frozen or dead.
 */
export const stopRun =
  (deps: Deps) =>
  (run: RunRef): Promise<void> => {
    heartbeatNow(run.workflowId);
    return heartbeating(() => stopAgents(deps, run));
  };
