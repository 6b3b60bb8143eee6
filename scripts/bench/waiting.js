import { spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { cli, cpuOf, createProject, databaseBytes, spread } from './project.js';

const AGENTS = 200;
/** Runs whose heartbeats are counted. */
const WATCHED = 5;
const WINDOW_SECS = 20;
const WINDOWS = 3;
const SETTLE_SECS = 5;
/** Longer than the measurement takes. */
const AGENT_SECS = 3600;

/** Measures what an agent costs while it only waits. @returns {Promise<import('./project.js').Row[]>} */
export async function waiting() {
  const project = createProject({ waitSecs: AGENT_SECS });
  const { folder, env } = project;
  try {
    project.scenario('waits', { steps: [] });
    await project.run('engine', 'start', '--stay');
    const { server, worker } = await project.status();
    const cpu = () => {
      const [ofServer, ofWorker] = [cpuOf(server.pid), cpuOf(worker.pid)];
      return [ofServer.own, ofWorker.own, ofWorker.children];
    };
    /** Returns the CPU of the server, of the worker and of the worker's children, in ms per second of a window. */
    const measure = async () => {
      const [before, since] = [cpu(), performance.now()];
      await sleep(WINDOW_SECS * 1000);
      const secs = (performance.now() - since) / 1000;
      return cpu().map((used, at) => ((used - (before[at] ?? 0)) * 1000) / secs);
    };
    await sleep(SETTLE_SECS * 1000);
    const idle = await measure();
    const many = ['--agents', 'waiting', '--repeat', String(AGENTS), '--concurrency', String(AGENTS)];
    spawn(cli, ['run', 'waits', ...many, '--name', 'waits', '--detach'], {
      cwd: folder,
      env,
      stdio: 'ignore',
    });
    while (startedIn(join(folder, 'state')) < AGENTS) await sleep(200);
    await sleep(SETTLE_SECS * 1000);
    const { address } = await project.status();
    const client = new Client({ connection: await Connection.connect({ address }) });
    const counting = countHeartbeats(client, WINDOWS * WINDOW_SECS);
    const [databaseBefore, began] = [databaseBytes(folder), performance.now()];
    const windows = [];
    for (let window = 0; window < WINDOWS; window += 1) windows.push(await measure());
    const hours = (AGENTS * (performance.now() - began)) / 3600_000;
    const grown = (databaseBytes(folder) - databaseBefore) / 1024;
    const heartbeats = await counting;
    await client.connection.close();
    const each = windows.map((parts) => sum(parts) / AGENTS);
    const middle = windows.toSorted((a, b) => sum(a) - sum(b))[Math.floor(WINDOWS / 2)] ?? [];
    await project.run('cancel', 'waits');
    return [
      { what: 'an engine without work: CPU', value: `${shown(idle)} ms/s` },
      {
        what: `${AGENTS} waiting agents: CPU, server + worker + supervisors`,
        value: `${shown(middle)} ms/s`,
      },
      { what: 'each waiting agent: CPU', value: spread(each, 'ms/s'), goal: '<= 1.1 ms/s' },
      {
        what: 'an agent-hour: CPU of server + worker',
        value: `${(3.6 * (sum(middle) / AGENTS)).toFixed(1)} s`,
      },
      { what: 'an agent-hour: growth of the database', value: `${(grown / hours).toFixed(0)} KiB` },
      { what: 'an agent-hour: heartbeats, each a billed action', value: heartbeats.toFixed(0) },
    ];
  } finally {
    await project.remove();
  }
}

/**
 * Counts the heartbeats of some waiting agents by the times at which the server received them, and returns how many an
 * agent sends per hour. While an agent waits, its run has no other actions: no timer, signal or activity begins.
 * @param {Client} client
 * @param {number} secs
 */
async function countHeartbeats(client, secs) {
  /** @type {import('@temporalio/client').WorkflowHandle[]} */
  const runs = [];
  const query = 'WorkflowType = "runScenario" AND ExecutionStatus = "Running"';
  for await (const { workflowId } of client.workflow.list({ query }))
    if (runs.length < WATCHED) runs.push(client.workflow.getHandle(workflowId));
  /** @type {Set<string>} */
  const seen = new Set();
  const look = async () => {
    for (const run of runs) {
      const [pending] = (await run.describe()).raw.pendingActivities ?? [];
      const { seconds, nanos } = pending?.lastHeartbeatTime ?? {};
      seen.add(`${run.workflowId} ${seconds}.${nanos}`);
    }
  };
  const began = performance.now();
  await look();
  const before = seen.size;
  while (performance.now() - began < secs * 1000) {
    await sleep(1000);
    await look();
  }
  return ((seen.size - before) * 3600_000) / (performance.now() - began) / runs.length;
}

const sum = (/** @type {number[]} */ parts) => parts.reduce((total, part) => total + part, 0);
const shown = (/** @type {number[]} */ parts) =>
  `${parts.map((part) => part.toFixed(1)).join(' + ')} = ${sum(parts).toFixed(1)}`;

/**
 * Returns how many agents have a supervisor, from the state folder, which has only one engine.
 * @param {string} state
 */
function startedIn(state) {
  const works = readdirSync(state).map((engine) => join(state, engine, 'work'));
  const runs = works
    .filter((work) => existsSync(work))
    .flatMap((work) => readdirSync(work).map((run) => join(work, run)));
  return runs.filter((run) => existsSync(join(run, 'agent/1/sup'))).length;
}
