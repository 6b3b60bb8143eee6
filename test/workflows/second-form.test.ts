import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { expect, inject, onTestFinished, test } from 'vitest';
import { createActivities, otherActivities } from '../../src/activities/create-activities.js';
import { provenRun } from '../activities/proofs.js';
import { draftOf } from '../../src/planning/draft.js';
import { resolveSweep } from '../../src/planning/resolve-sweep.js';
import { loadScenarios, type Loading } from '../../src/planning/select-scenarios.js';
import { writePlan } from '../../src/planning/write-plan.js';
import type { Project } from '../../src/planning/project.js';
import { formatProblem } from '../../src/lib/errors/problem.js';
import type { RunRecord } from '../../src/model/records/run-record.js';
import { parseConfig } from '../../src/scenario/config.js';
import type { runScenario } from '../../src/workflows/index.js';
import { WORKFLOWS, type RunResult } from '../../src/protocol/index.js';
import { isOwnServer } from '../activities/in-activity.js';
import { newFolder } from '../host/temporary.js';
import { bundleWorkflows, quietRuntime } from './harness.js';
import { localActivitiesIn, summariesIn } from './history.js';
import { readLines } from './line-form.js';

const FORM = `name: copied
fixture: base
target: cat
agent: copier
run: echo from the first command > one.txt
run: exit 3
prompt: Copy one.txt to two.txt.
run: cat two.txt > three.txt
expect: three.txt
`;

const CONFIG = `[agents.copier]
command = "sh"
args = ["-c", "cat one.txt > two.txt"]
prompt = "stdin"
free = true
`;

async function createProject(files: Record<string, string>): Promise<Project> {
  const root = await newFolder();
  const loaded = parseConfig('c.toml', CONFIG);
  if (!loaded.ok) throw new Error(loaded.problems.map(formatProblem).join());
  mkdirSync(join(root, 'base'));
  writeFileSync(join(root, 'base', 'README.md'), 'x');
  for (const [name, text] of Object.entries(files)) writeFileSync(join(root, name), text);
  return {
    root,
    config: loaded.value,
    configFile: null,
    configSource: null,
    resultsPath: join(root, 'results'),
    fixturesPath: root,
  };
}

const load = (project: Project, name: string): Promise<Loading> =>
  loadScenarios(project, [join(project.root, name)], readLines);

/** Plans the only cell of a file and performs its run as a worker does. */
async function run(
  project: Project,
  name: string,
): Promise<{ result: RunResult; local: string[]; summaries: string[]; record: RunRecord }> {
  const { scenarios } = await load(project, name);
  const draft = draftOf({ cache: false, name: 'lines' });
  const { plan } = await writePlan(resolveSweep(project, scenarios, draft, null));
  const [cell] = plan.cells;
  if (cell === undefined) throw new Error('the plan has no cell');

  quietRuntime();
  const address = inject('temporalAddress');
  const connection = await Connection.connect({ address });
  const native = await NativeConnection.connect({ address });
  onTestFinished(async () => {
    await native.close();
    await connection.close();
  });
  const { resultsPath } = project;
  const folders = { resultsPath, stateFolder: join(project.root, 'state') };
  const activities = createActivities({ ...folders, isOwnServer });
  const worker = await Worker.create({
    connection: native,
    taskQueue: plan.sweep,
    workflowBundle: await bundleWorkflows(),
    activities: { ...activities, default: otherActivities(activities) },
  });
  const workflowId = `run/${plan.sweep}`;
  const { proof } = await provenRun(folders, { sweep: plan.sweep, cell, workflowId });
  const handle = await new Client({ connection }).workflow.start<typeof runScenario>(WORKFLOWS.run, {
    workflowId,
    taskQueue: plan.sweep,
    args: [{ sweep: plan.sweep, cell, proof }],
  });
  const result = await worker.runUntil(() => handle.result());
  const line = JSON.parse(readFileSync(join(resultsPath, 'results.jsonl'), 'utf8')) as { id: string };
  const record = readFileSync(join(resultsPath, line.id, 'artifacts', 'run.json'), 'utf8');
  const history = await handle.fetchHistory();
  return {
    result,
    local: localActivitiesIn(history).map(([, summary = '']) => summary),
    summaries: summariesIn(history),
    record: JSON.parse(record) as RunRecord,
  };
}

test('plans and runs a scenario of another form, with commands before and after the agent, in its order', async () => {
  const project = await createProject({ 'copied.txt': FORM });
  const { result, local, summaries, record } = await run(project, 'copied.txt');
  expect(result).toMatchObject({ outcome: 'pass', message: '1/1 gates passed' });
  expect(local).toEqual(['prepare copied', 'gate 1 of 1: file_exists three.txt', 'write the report', 'clean up']);
  expect(summaries).toEqual([
    'command 1 of 2: echo from the first command > one.txt',
    'command 2 of 2: exit 3',
    'agent copier default',
    'post script 1 of 1: cat two.txt > three.txt',
  ]);
  expect(record.steps.map(({ name, status }) => `${name} ${status}`)).toEqual([
    ...['prepare done', 'command 1 done', 'command 2 done', 'agent done', 'post 1 done', 'gate 1 done'],
    'report done',
  ]);
  expect(record.setup.map(({ command }) => command)).toEqual(['echo from the first command > one.txt', 'exit 3']);
  expect(record.post_scripts.map(({ command }) => command)).toEqual(['cat two.txt > three.txt']);
  expect(record.warnings).toContainEqual(expect.stringMatching(/^command before the agent failed .*: exit 3$/));
  const copied = join(project.resultsPath, record.run_id, 'fixture', 'three.txt');
  expect(readFileSync(copied, 'utf8')).toBe('from the first command\n');
});

test('reports the problems that planning finds at their places in the file', async () => {
  const project = await createProject({
    'elsewhere.txt': FORM.replace('fixture: base', 'fixture: elsewhere'),
  });
  const missing = await load(project, 'elsewhere.txt');
  expect(missing.problems).toMatchObject([{ line: 2, path: 'fixture' }]);
});
