import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { importBundled } from '../import-bundled.js';
import { cpuOf, createProject, spread } from './project.js';

const MODEL_SERVER = fileURLToPath(new URL('../../test/agents/model-server/server.ts', import.meta.url));
/** Turns of runs, the longest of which has more than one history. */
const TURNS = [20, 120, 220];
const ROUNDS = 3;

/**
 * Measures what a turn of the agent `loop` costs: a request to a scripted model in this process, and a command that
 * does nothing.
 * @returns {Promise<import('./project.js').Row[]>}
 */
export async function loop() {
  /** @type {typeof import('../../test/agents/model-server/server.js')} */
  const { startModelServer } = await importBundled(MODEL_SERVER);
  const model = await startModelServer(
    TURNS.map((turns) => ({
      when: `work ${turns}.`,
      steps: [...Array(turns - 1).fill({ run: 'true' }), { say: 'It is done.' }],
    })),
  );
  const project = createProject({
    env: { LLM_TOOL_TEST_ENABLED: '1', OPENAI_API_KEY: 'none', OPENAI_BASE_URL: model.url },
  });
  try {
    for (const turns of TURNS) {
      const lines = ['description: measured', 'template_folder: empty', 'target: { binary: cat }'];
      const text = [`name: turns-${turns}`, ...lines, `task: { prompt: work ${turns}. }`, 'evaluation: { gates: [] }'];
      writeFileSync(join(project.folder, `fixtures/turns-${turns}.yaml`), `${text.join('\n')}\n`);
    }
    const sweep = (/** @type {number} */ turns) =>
      project.run('run', `turns-${turns}`, '--agents', 'loop', '--models', 'openai/scripted-model', '--no-cache');
    await sweep(TURNS[0] ?? 0); // warm up: start the engine and compile its code
    const { server, worker, address } = await project.status();
    const client = new Client({ connection: await Connection.connect({ address }) });
    /** @type {Set<string>} */
    const seen = new Set();
    /** Returns the sizes of the histories that were added since the last call. */
    const histories = async () => {
      const added = [];
      for await (const { runId, historyLength, historySize = 0 } of client.workflow.list({
        query: 'WorkflowType = "runScenario"',
      }))
        if (!seen.has(runId)) added.push({ runId, events: historyLength, bytes: historySize });
      for (const { runId } of added) seen.add(runId);
      return added;
    };
    await histories();
    const cpu = () => [cpuOf(server.pid).own, cpuOf(worker.pid).own, cpuOf(worker.pid).children];
    const rows = [];
    for (const turns of TURNS) {
      /** @type {number[][]} */
      const rounds = [];
      const sizes = [];
      for (let round = 0; round < ROUNDS; round += 1) {
        const before = cpu();
        await sweep(turns);
        rounds.push(cpu().map((used, at) => ((used - (before[at] ?? 0)) * 1000) / turns));
        sizes.push(...(await histories()));
      }
      const what = `${turns} turns: each`;
      rows.push(
        ...['server', 'worker', 'commands'].map((part, at) => ({
          what: `${what}: CPU of the ${part}`,
          value: spread(
            rounds.map((parts) => parts[at] ?? NaN),
            'ms',
          ),
        })),
        {
          what: `${what}: history`,
          value: `${perTurn(sizes, 'events', turns)} events, ${perTurn(sizes, 'bytes', turns)} B`,
        },
        {
          what: `${turns} turns: histories, the largest`,
          value: `${sizes.length / ROUNDS}, ${Math.max(...sizes.map(({ bytes }) => bytes))} B`,
        },
      );
    }
    await client.connection.close();
    return rows;
  } finally {
    await project.remove();
    await model.close();
  }
}

/**
 * @param {readonly {events: number, bytes: number}[]} sizes of all rounds
 * @param {'events' | 'bytes'} of @param {number} turns
 */
const perTurn = (sizes, of, turns) =>
  (sizes.reduce((sum, size) => sum + size[of], 0) / ROUNDS / turns).toFixed(of === 'events' ? 1 : 0);
