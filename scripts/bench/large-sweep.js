import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { cli, cpuOf, createProject, databaseBytes, memoryOf, secondsOf } from './project.js';
import { viewRows } from './views.js';

const CELLS = Number(process.env['BENCH_RUNS'] ?? 10_000);
const CONCURRENCY = 64;
const SAMPLE_MS = 1000;
const NAME = 'large';

/**
 * A sample of the sweep at a moment: cells that have ended, runs that hold a slot, resident memory in MB.
 * @typedef {{ended: number, working: number, server: number, worker: number, command: number}} Sample
 */

/** Measures a sweep of 10,000 trivial runs. @returns {Promise<import('./project.js').Row[]>} */
export async function largeSweep() {
  const project = createProject();
  const { folder, env } = project;
  try {
    await project.runTrivial(1); // warm up: start the engine and compile its code
    const { server, worker, address } = await project.status();
    const client = new Client({ connection: await Connection.connect({ address }) });
    const cpu = () => cpuOf(server.pid).own + cpuOf(worker.pid).own + cpuOf(worker.pid).children;
    const [cpuBefore, databaseBefore] = [cpu(), databaseBytes(folder)];
    const args = ['run', 'trivial', '--agents', 'instant', '--repeat', String(CELLS), '--name', NAME];
    const command = spawn(cli, [...args, '--concurrency', String(CONCURRENCY)], {
      cwd: folder,
      env,
      stdio: 'ignore',
    });
    const ended = once(command, 'exit');
    /** @type {Sample[]} */
    const samples = [];
    /** @type {string | null} */
    let workflowId = null;
    const secs = await secondsOf(async () => {
      while (command.exitCode === null) {
        await Promise.race([ended, sleep(SAMPLE_MS)]);
        workflowId ??= await openSweep(client);
        const progress = workflowId === null ? null : await progressOf(client, workflowId).catch(() => null);
        if (progress === null || command.exitCode !== null) continue;
        const [ofServer, ofWorker, ofCommand] = [server.pid, worker.pid, command.pid ?? 0].map(memoryOf);
        samples.push({ ...progress, server: ofServer ?? 0, worker: ofWorker ?? 0, command: ofCommand ?? 0 });
      }
    });
    const used = cpu() - cpuBefore;
    const histories = [];
    for await (const { historyLength, historySize = 0 } of client.workflow.list({
      query: `WorkflowId = "${workflowId}"`,
    }))
      histories.push({ historyLength, historySize });
    await client.connection.close();
    const views = await viewRows(project, NAME, CELLS);
    // The last slots are left free when no cells are.
    const working = samples.filter((one) => one.ended > 0 && one.ended + CONCURRENCY < CELLS).map((one) => one.working);
    return [
      {
        what: `${CELLS} cells, ${CONCURRENCY} at once: cells per second`,
        value: (CELLS / secs).toFixed(1),
      },
      { what: 'CPU of server + worker + agents for each', value: `${((used * 1000) / CELLS).toFixed(0)} ms` },
      {
        what: 'slots in use while cells were left: least, mean',
        value: `${Math.min(...working)}, ${(working.reduce((sum, count) => sum + count, 0) / working.length).toFixed(0)}`,
      },
      {
        what: 'longest time with less than three quarters of the slots in use',
        value: `${longestRun(working, (count) => count < CONCURRENCY * 0.75)} s`,
        goal: '<= 2 s',
      },
      { what: 'histories of the sweep', value: String(histories.length) },
      {
        what: 'largest history: events, bytes',
        value: `${most(histories.map((one) => one.historyLength))}, ${most(histories.map((one) => one.historySize))}`,
      },
      ...['server', 'worker', 'command'].map((part) => ({
        what: `memory of the ${part} at 10, 50, 100 % of the cells`,
        value: memoryAt(samples, /** @type {'server' | 'worker' | 'command'} */ (part)),
      })),
      {
        what: 'database growth per cell',
        value: `${((databaseBytes(folder) - databaseBefore) / CELLS / 1024).toFixed(1)} KiB`,
      },
      ...views,
    ];
  } finally {
    await project.remove();
  }
}

/**
 * The longest run of values in succession for which something holds.
 * @param {readonly number[]} values
 * @param {(value: number) => boolean} holds
 */
function longestRun(values, holds) {
  let [longest, current] = [0, 0];
  for (const value of values) {
    current = holds(value) ? current + 1 : 0;
    longest = Math.max(longest, current);
  }
  return longest;
}

const most = (/** @type {number[]} */ values) => values.reduce((max, value) => Math.max(max, value), 0);

/** @param {Client} client */
async function openSweep(client) {
  const query = 'WorkflowType = "runSweep" AND ExecutionStatus = "Running"';
  for await (const { workflowId } of client.workflow.list({ query })) return workflowId;
  return null;
}

/** @param {Client} client @param {string} workflowId */
async function progressOf(client, workflowId) {
  const { active, counts } = await client.workflow.getHandle(workflowId).query('progress');
  return {
    ended: Object.values(counts).reduce((sum, count) => sum + count, 0),
    working: /** @type {number} */ (active.length),
  };
}

/**
 * @param {Sample[]} samples
 * @param {'server' | 'worker' | 'command'} part
 */
const memoryAt = (samples, part) =>
  `${[0.1, 0.5, 1]
    .map((share) => (samples.find(({ ended }) => ended >= share * CELLS) ?? samples.at(-1))?.[part] ?? NaN)
    .map((mb) => mb.toFixed(0))
    .join(', ')} MB`;
