import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Client } from '@temporalio/client';
import { bundleWorkflowCode, DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { cpuOf, createProject, secondsOf, spread, WAIT_SECS } from './project.js';

const RUNS = 100;
const ROUNDS = 5;
const AGENTS = 32;
/** The default concurrency of a sweep. */
const AT_ONCE = 4;

/**
 * Measures what Temporal alone costs per run: a workflow with the same activities and attributes that do nothing, and a
 * worker with our settings, on the same server. Empty and trivial runs alternate, so that their ratio holds on a busy
 * machine.
 * @returns {Promise<import('./project.js').Row[]>}
 */
export async function floor() {
  const project = createProject();
  try {
    const sweep = () => project.runTrivial(RUNS);
    await sweep(); // warm up: start the engine and compile its code
    const { server, worker, address } = await project.status();
    const empty = await startEmptyWorker(address);
    try {
      const trivial = () => empty.sweep(RUNS, AT_ONCE, 0);
      await trivial();
      /**
       * Returns the CPU per run in ms.
       * @param {() => Promise<unknown>} work
       * @param {() => number} used CPU seconds so far
       */
      const each = async (work, used) => {
        const before = used();
        await work();
        return ((used() - before) * 1000) / RUNS;
      };
      const ofServer = () => cpuOf(server.pid).own;
      const ofWorker = () => cpuOf(worker.pid).own + cpuOf(worker.pid).children;
      const ofUs = () => (process.cpuUsage().user + process.cpuUsage().system) / 1e6;
      const floors = [];
      const ratios = [];
      for (let round = 0; round < ROUNDS; round += 1) {
        const least = await each(trivial, () => ofServer() + ofUs());
        const run = await each(sweep, () => ofServer() + ofWorker());
        floors.push(least);
        ratios.push(run / least);
      }
      const together = await secondsOf(() => empty.sweep(AGENTS, AGENTS, WAIT_SECS));
      return [
        { what: 'empty workflow of the same shape: CPU, server + worker', value: spread(floors, 'ms') },
        { what: 'a trivial run: times the empty one', value: spread(ratios, '') },
        { what: `${AGENTS} empty ones of ${WAIT_SECS} s at once: wall`, value: `${together.toFixed(1)} s` },
      ];
    } finally {
      await empty.stop();
    }
  } finally {
    await project.remove();
  }
}

/** Starts a worker in this process. @param {string} address */
async function startEmptyWorker(address) {
  Runtime.install({ logger: new DefaultLogger('WARN') });
  const connection = await NativeConnection.connect({ address });
  const taskQueue = 'empty-runs';
  const worker = await Worker.create({
    connection,
    taskQueue,
    activities: { agent: (/** @type {number} */ secs) => sleep(secs * 1000), step: async () => {} },
    workflowBundle: await bundleWorkflowCode({
      workflowsPath: fileURLToPath(new URL('./floor-workflows.js', import.meta.url)),
      logger: new DefaultLogger('WARN'),
    }),
    maxConcurrentActivityTaskExecutions: 1000, // as in src/worker.ts
  });
  const running = worker.run();
  const client = new Client({ connection });
  let nth = 0;
  return {
    /** @param {[count: number, atOnce: number, agentSecs: number]} args */
    sweep: (...args) => client.workflow.execute('emptySweep', { taskQueue, workflowId: `empty-${(nth += 1)}`, args }),
    stop: async () => {
      worker.shutdown();
      await running;
      await connection.close();
    },
  };
}
