import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { createProject, repeated, spread } from './project.js';

/** Longer than the measurement, and a duration that no other process sleeps for: it identifies the agent's process. */
const AGENT_SECS = 3600 + process.pid / 1e7;
const CANCELS = 5;
const TERMINATES = 2;
const POLL_MS = 10;

/**
 * Measures how long an agent keeps running after its sweep is cancelled, or its run is cancelled or terminated in
 * Temporal.
 * @returns {Promise<import('./project.js').Row[]>}
 */
export async function cancel() {
  const project = createProject({ waitSecs: AGENT_SECS });
  let sweeps = 0;
  /**
   * Starts a sweep, ends it, and returns the seconds until its agent is gone.
   * @param {Client} client
   * @param {(sweep: string, run: import('@temporalio/client').WorkflowHandle) => Promise<unknown>} end
   */
  const secsUntilGone = async (client, end) => {
    const name = `ended-${(sweeps += 1)}`;
    await project.run('run', 'waits', '--agents', 'waiting', '--name', name, '--detach');
    while (!agentLives()) await sleep(POLL_MS);
    const run = await openRun(client);
    const start = performance.now();
    const ended = end(name, run);
    while (agentLives()) await sleep(POLL_MS);
    const secs = (performance.now() - start) / 1000;
    await ended;
    // Wait until the run is closed, so that the next measurement does not find it.
    await run.result().catch(() => undefined);
    return secs;
  };
  try {
    project.scenario('waits', { steps: [] });
    await project.run('engine', 'start');
    const { address } = await project.status();
    const client = new Client({ connection: await Connection.connect({ address }) });
    const byCommand = await repeated(CANCELS, () => secsUntilGone(client, (sweep) => project.run('cancel', sweep)));
    const inTemporal = await repeated(CANCELS, () => secsUntilGone(client, (_, run) => run.cancel()));
    const terminated = await repeated(TERMINATES, () => secsUntilGone(client, (_, run) => run.terminate('measured')));
    await client.connection.close();
    return [
      { what: "`cancel` until the agent's process is gone", value: spread(byCommand, 's'), goal: '< 2 s' },
      { what: 'the run is cancelled in Temporal until it is gone', value: spread(inTemporal, 's') },
      {
        what: 'the run is terminated in Temporal until it is gone',
        value: spread(terminated, 's'),
        goal: '<= 20 s',
      },
    ];
  } finally {
    await project.remove();
  }
}

/** Waits for the only open run. @param {Client} client */
async function openRun(client) {
  const query = 'WorkflowType = "runScenario" AND ExecutionStatus = "Running"';
  for (;;)
    for await (const { workflowId } of client.workflow.list({ query })) return client.workflow.getHandle(workflowId);
}

/** True if a process with the agent's command line is alive (Linux). A zombie has an empty command line. */
function agentLives() {
  return readdirSync('/proc').some((name) => {
    try {
      return /^\d+$/.test(name) && readFileSync(`/proc/${name}/cmdline`, 'utf8') === `sleep\0${AGENT_SECS}\0`;
    } catch {
      return false; // the process has ended meanwhile
    }
  });
}
