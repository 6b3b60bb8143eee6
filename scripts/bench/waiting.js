import { spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { cli, cpuOf, createProject, spread } from './project.js';

const AGENTS = 32;
const WINDOW_SECS = 20;
const WINDOWS = 3;
const SETTLE_SECS = 5;
/** Longer than the measurement takes. */
const AGENT_SECS = 600;

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
    const windows = [];
    for (let window = 0; window < WINDOWS; window += 1) windows.push(await measure());
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
    ];
  } finally {
    await project.remove();
  }
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
