import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { cli, createProject, secondsOf } from './project.js';
import { startOnPostgres, startOnSqlite } from './servers.js';

const CELLS = Number(process.env['BENCH_RUNS'] ?? 100);
const COUNTS = [1, 2, 4];
const SLOTS = 4;
const WAIT_SECS = 5;
const POLL_MS = 500;

/**
 * Measures sweeps on one, two and four workers of this machine, with shared results.
 * @returns {Promise<import('./project.js').Row[]>}
 */
export async function hosts() {
  const server = await startOnSqlite();
  const team = createTeam(server.address);
  try {
    /** @type {import('./project.js').Row[]} */
    const rows = [];
    /** @type {Record<string, number>} */
    const first = {};
    for (const count of COUNTS) {
      await team.grow(count);
      for (const agent of ['instant', 'waiting']) {
        // A run that waits needs a slot for seconds, so fewer show the same.
        const cells = agent === 'instant' ? CELLS : Math.max(...COUNTS) * SLOTS * 2;
        const rate = cells / (await secondsOf(() => team.sweep(agent, cells)));
        first[agent] ??= rate;
        const what = agent === 'instant' ? 'agents that do nothing' : `agents that wait ${WAIT_SECS} s`;
        rows.push({
          what: `${count} workers x ${SLOTS} slots, ${what}: cells per second`,
          value: `${rate.toFixed(2)}, ${(rate / (first[agent] ?? rate)).toFixed(2)} x one worker`,
        });
      }
    }
    return rows;
  } finally {
    await team.disband();
    await server.stop();
  }
}

/** Measures what a cell costs the server, by database. @returns {Promise<import('./project.js').Row[]>} */
export async function databases() {
  /** @type {import('./project.js').Row[]} */
  const rows = [];
  for (const start of [startOnSqlite, startOnPostgres]) {
    const server = await start();
    if (typeof server === 'string') {
      rows.push({ what: 'PostgreSQL: server', value: `not measured: ${server}` });
      continue;
    }
    const team = createTeam(server.address);
    try {
      await team.grow(1);
      await team.sweep('instant', SLOTS); // warm up
      const [cpu, bytes] = [server.cpu(), await server.databaseBytes()];
      await team.sweep('instant', CELLS);
      rows.push(
        {
          what: `${server.name}: CPU of server and database per cell`,
          value: `${(((server.cpu() - cpu) * 1000) / CELLS).toFixed(0)} ms`,
        },
        {
          what: `${server.name}: growth of the database per cell`,
          value: `${(((await server.databaseBytes()) - bytes) / CELLS / 1024).toFixed(1)} KiB`,
        },
      );
    } finally {
      await team.disband();
      await server.stop();
    }
  }
  return rows;
}

/** Workers on this machine, each with its own state folder, that share a results folder. @param {string} address */
function createTeam(address) {
  const project = createProject({ waitSecs: WAIT_SECS });
  const results = mkdtempSync(join(tmpdir(), 'llm-tool-test-bench-shared-'));
  const env = { ...project.env, TEMPORAL_ADDRESS: address };
  project.scenario('waits', { steps: [] });
  /** @type {import('node:child_process').ChildProcess[]} */
  const workers = [];
  /** @param {string[]} args */
  const start = (args, home = join(project.folder, 'state')) =>
    spawn(cli, args, {
      cwd: project.folder,
      env: { ...env, LLM_TOOL_TEST_HOME: home },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  /** @param {string[]} args @returns {Promise<string>} */
  const run = async (...args) => {
    const command = start(args);
    let output = '';
    command.stdout.on('data', (text) => (output += text));
    await new Promise((resolve) => command.once('close', resolve));
    return output;
  };
  const living = async () => {
    const text = await run('workers', '--results', results, '--json');
    // Until the first worker has created the shared project, this is an error.
    return text === '' ? 0 : (JSON.parse(text).hosts?.length ?? 0);
  };
  return {
    /** @param {number} count */
    async grow(count) {
      while (workers.length < count) {
        const name = `host-${workers.length + 1}`;
        const args = ['worker', '--results', results, '--name', name, '--slots', String(SLOTS)];
        workers.push(start(args, join(project.folder, name)));
        // The first one creates the shared project.
        while ((await living()) < workers.length) await sleep(POLL_MS);
      }
    },
    /** @param {string} agent @param {number} cells */
    sweep: (agent, cells) => {
      const scenario = agent === 'instant' ? 'trivial' : 'waits';
      const many = ['--repeat', String(cells), '--concurrency', '64', '--json'];
      return run('run', scenario, '--agents', agent, ...many, '--results', results);
    },
    async disband() {
      for (const worker of workers) {
        const ended = new Promise((resolve) => worker.once('exit', resolve));
        worker.kill('SIGTERM');
        await ended;
      }
      await project.remove();
      rmSync(results, { recursive: true, force: true });
    },
  };
}
