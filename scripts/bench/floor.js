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
       * Returns the CPU per run in ms, of server and worker.
       * @param {() => Promise<unknown>} work
       * @param {() => number} ofWorker CPU seconds of the worker so far
       */
      const each = async (work, ofWorker) => {
        const used = () => ({ server: cpuOf(server.pid).own, worker: ofWorker() });
        const before = used();
        await work();
        const after = used();
        const [ofServer, rest] = [after.server - before.server, after.worker - before.worker];
        return {
          server: (ofServer * 1000) / RUNS,
          worker: (rest * 1000) / RUNS,
          all: ((ofServer + rest) * 1000) / RUNS,
        };
      };
      const ofWorker = () => cpuOf(worker.pid).own + cpuOf(worker.pid).children;
      const ofUs = () => (process.cpuUsage().user + process.cpuUsage().system) / 1e6;
      /** @type {{server: number, worker: number, all: number}[]} */
      const floors = [];
      const runs = [];
      for (let round = 0; round < ROUNDS; round += 1) {
        floors.push(await each(trivial, ofUs));
        runs.push(await each(sweep, ofWorker));
      }
      const together = await secondsOf(() => empty.sweep(AGENTS, AGENTS, WAIT_SECS));
      return [
        ...rows('empty workflow of the same shape', floors),
        ...rows('a trivial run', runs),
        {
          what: 'a trivial run: times the empty one',
          value: spread(
            runs.map(({ all }, round) => all / (floors[round]?.all ?? NaN)),
            '',
          ),
        },
        { what: `${AGENTS} empty ones of ${WAIT_SECS} s at once: wall`, value: `${together.toFixed(1)} s` },
      ];
    } finally {
      await empty.stop();
    }
  } finally {
    await project.remove();
  }
}

/** @param {string} what @param {{server: number, worker: number}[]} spent */
const rows = (what, spent) => [
  {
    what: `${what}: CPU of the server`,
    value: spread(
      spent.map(({ server }) => server),
      'ms',
    ),
  },
  {
    what: `${what}: CPU of the worker`,
    value: spread(
      spent.map(({ worker }) => worker),
      'ms',
    ),
  },
];

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
