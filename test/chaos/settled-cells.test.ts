import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { sha256 } from '../../src/lib/hash.js';
import { projectState } from '../../src/host/folders.js';
import { proveSweep } from '../../src/host/security/origin.js';
import type { ResultLine } from '../../src/model/records/result-line.js';
import { sweepWorkflowId, WORKFLOWS, type SweepInput } from '../../src/protocol/index.js';
import { originKey } from '../../src/store/origin.js';
import { planFile } from '../../src/store/results-folder.js';
import { kill, linesIn, untilLines } from '../commands/engine-parts.js';
import { createProject, documentOf, EMPTY_FIXTURE, scenario, type TestProject } from '../commands/project.js';
import { createWire } from './wire.js';

/*
 * Cells that need no program get their results from the sweep itself, a page of cells in a step. Each model is looked
 * up in the cache on its own.
 */
const MODELS = Array.from({ length: 40 }, (_, at) => `model-${at}`);
const LOG = 'llm-tool-test-results/results.jsonl';

let client: Client;
let project: TestProject;
beforeAll(async () => {
  client = new Client({ connection: await Connection.connect({ address: inject('temporalAddress') }) });
  project = await createProject(
    {
      ...EMPTY_FIXTURE,
      'llm-tool-test-config.toml': `[agents.own]\ncommand = "./agent.sh"\nargs = ["{model}"]\nfree = true\n`,
      'fixtures/many.yaml': scenario('many', {
        gates: ["{type: file_matches, path: note.txt, pattern: '(?m)5$'}"],
        more: `tool_matrix: [{agent: own, models: [${MODELS.join(', ')}]}]`,
      }),
    },
    { ownServer: true },
  );
  await project.write('agent.sh', `#!/bin/sh\necho start >> ${project.folder}/starts\necho "$1" > note.txt\n`, 0o755);
  const { document } = await project.run(['many', '--name', 'first', '--concurrency', '4']);
  expect(document.totals).toMatchObject({ cells: MODELS.length, passed: 4, failed: 36 });
}, 300_000);
afterAll(async () => {
  await client.connection.close();
  await project.remove();
});

const VERBS = { 'checked again': ['regrade', 'first'], reused: ['run', 'many'] };

const resultsOf = async (name: string): Promise<ResultLine[]> =>
  (await project.resultLines()).filter(({ sweep }) => sweep.startsWith(name));

/** Expects one result of each cell, without the start of an agent. */
async function expectOneEach(sweep: string, how: string): Promise<void> {
  const document = documentOf((await project.cli(['show', sweep, '--json'])).stdout);
  expect(document).toMatchObject({ status: 'completed', totals: { passed: 4, failed: 36, errored: 0 } });
  for (const cell of document.cells)
    expect(how === 'reused' ? cell.cached : cell.regraded_from !== undefined).toBe(true);
  const cells = (await resultsOf(sweep)).map(({ cell }) => cell);
  expect(cells.sort()).toEqual(document.cells.map(({ id }) => id).sort());
  expect(linesIn(project, 'starts')).toHaveLength(MODELS.length);
}

test.each(Object.entries(VERBS))(
  'each cell that is %s has one result if the worker dies meanwhile',
  async (how, verb) => {
    const name = `killed-${verb[0]}`;
    const known = linesIn(project, LOG).length;
    const command = project.start([...verb, '--name', name, '--json']);
    await untilLines(project, LOG, known + 2, 120_000);
    await kill(project, 'worker');
    expect((await resultsOf(name)).length).toBeLessThan(MODELS.length);
    await command;
    await expectOneEach(name, how);
  },
  300_000,
);

test.for(Object.entries(VERBS))(
  'each cell that is %s has one result if a frozen worker wakes up after another has taken over',
  { timeout: 300_000 },
  async ([how, verb], { onTestFinished }) => {
    const { results, state } = project;
    const name = `frozen-${verb[0]}`;
    const wire = await createWire(inject('temporalAddress'));
    const workers: ReturnType<TestProject['start']>[] = [];
    onTestFinished(async () => {
      for (const worker of workers) {
        worker.kill('SIGKILL');
        await worker;
      }
      wire.remove();
    });
    await project.cli(['engine', 'stop']);
    // The command finds no server, so it only plans the sweep; the test starts it. So no keeper ends the frozen worker.
    const planned = await project.cli([...verb, '--name', name, '--address', '127.0.0.1:1']);
    expect(planned.stderr).toContain('is planned but not started');
    const sweep = readdirSync(join(results, 'sweeps')).find((one) => one.startsWith(name)) ?? '';
    const { id } = projectState(results);
    const key = await originKey({ resultsPath: results, stateFolder: join(state, id) });
    const planHash = sha256(readFileSync(planFile(results, sweep)));
    const order: Omit<SweepInput, 'sweep' | 'proof'> = { round: 1, concurrency: 4, caps: { agents: {}, models: {} } };
    const proof = proveSweep(key, { sweep, planHash, order });
    const known = linesIn(project, LOG).length;
    const handle = await client.workflow.start(WORKFLOWS.sweep, {
      workflowId: sweepWorkflowId(sweep),
      taskQueue: `llm-tool-test-${id}`,
      args: [{ sweep, ...order, proof } satisfies SweepInput],
    });
    const frozen = project.startWorker(wire.address);
    workers.push(frozen);
    await untilLines(project, LOG, known + 2, 120_000);
    frozen.kill('SIGSTOP');
    wire.cut();
    const before = (await resultsOf(name)).length;
    expect(before).toBeLessThan(MODELS.length);
    // The server gives the step to the successor once there were no heartbeats for a minute.
    const successor = project.startWorker(inject('temporalAddress'));
    workers.push(successor);
    await handle.result();
    await expectOneEach(name, how);
    const written = linesIn(project, LOG);
    frozen.kill('SIGCONT');
    // It ends once its steps have ended.
    frozen.kill('SIGTERM');
    expect((await frozen).exitCode).toBe(0);
    expect(linesIn(project, LOG)).toEqual(written);
    await expectOneEach(name, how);
    successor.kill('SIGTERM');
    expect((await successor).exitCode).toBe(0);
  },
);
