import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { killMarked } from '../../src/host/process/marked-processes.js';
import { opaqueId } from '../../src/store/results-folder.js';
import { untilLines, runsOf } from './engine-parts.js';
import { createModelServer, type ModelServer } from './model-server.js';
import { plantSecrets, SHELL } from './plant-secrets.js';
import { everythingBelow, leaksIn, LINES, PLAIN, SECRET } from './planted.js';
import { createProject, EMPTY_FIXTURE, openRun, until, type RunFolder, type TestProject } from './project.js';

let project: TestProject;
let server: ModelServer;
let output = '';

beforeAll(async () => {
  server = await createModelServer();
  project = await createProject(EMPTY_FIXTURE);
  await plantSecrets(project, server);
  output += await loseAgent();
  for (const args of [
    ['run', 'deep', '--agents', 'mock,leaky,plain', '--json'],
    ['run', 'deep', '--agents', 'mock'],
    ['run', 'ill', '--json'],
    ['run', 'judged', 'babbling', 'refused', '--json'],
    ['sweeps', '--json'],
  ]) {
    const { stdout, stderr } = await project.cli(args, SHELL);
    output += stdout + stderr;
  }
  for (const { id, sweep } of await project.resultLines()) {
    for (const args of [
      ['show', sweep],
      ['show', id],
      ['show', id, '--json'],
    ]) {
      const { stdout, stderr } = await project.cli(args, SHELL);
      output += stdout + stderr;
    }
  }
});
afterAll(async () => {
  await project.remove();
  await server.close();
});

/** Runs an agent that is killed with its supervisor after it has printed the secrets, and is then started again. */
async function loseAgent(): Promise<string> {
  const command = project.start(['run', 'lost', '--json'], SHELL);
  await untilLines(project, 'starts', 1);
  const run = await until('the run', () => runsOf(project, 'lost')[0] ?? null);
  await killMarked(opaqueId(run));
  await untilLines(project, 'starts', 2);
  await project.write('go', '');
  const { stdout, stderr } = await command;
  return stdout + stderr;
}

/** The run of a scenario with the given agent. */
async function runOf(scenarioName: string, agentName: string): Promise<RunFolder> {
  const line = (await project.resultLines()).find(
    ({ scenario_id, agent }) => scenario_id === scenarioName && agent === agentName,
  );
  return openRun({ cells: [{ results_dir: join(project.results, line?.results_dir ?? '') }] } as never);
}

test('the planted secrets appeared, masked, in every place', async () => {
  const { metrics, text, run } = await runOf('deep', 'leaky');
  for (const masked of [
    JSON.stringify(metrics.details),
    JSON.stringify(metrics.evaluator_results),
    JSON.stringify(run.setup),
    JSON.stringify(run.post_scripts),
    run.agent?.message,
    run.agent?.session_id,
    run.agent?.version,
    JSON.stringify(run.target?.health_check),
    await text('artifacts/transcript.human.txt'),
    await text('fixture/text.txt'),
  ]) {
    expect(masked).toContain('[REDACTED]');
  }
  expect(await text('artifacts/transcript.raw.txt')).toMatch(/\[stderr\] stderr \[REDACTED\]/);
  expect(await readdir(join(project.results, run.run_id, 'fixture'))).toContain('folder-[REDACTED]');
});

test('they also appeared, masked, in the files of judges and of a lost start', async () => {
  const [judged, babbling, refused, lost] = await Promise.all(
    ['judged', 'babbling', 'refused', 'lost'].map((name) => runOf(name, 'mock')),
  );
  expect(judged?.run).toMatchObject({
    outcome: 'pass',
    message: expect.stringContaining('judge 1.00') as string,
  });
  expect(JSON.stringify(judged?.metrics.judge)).toContain('[REDACTED]');
  const prompt = await judged?.text('artifacts/judge/prompt.md');
  for (const shown of [
    /note\.txt\n\[REDACTED\]/,
    /lines\.txt\n\[REDACTED\]/,
    /folder-\[REDACTED\]\/name-\[REDACTED\]/,
    /--- cut\.txt/,
  ])
    expect(prompt).toMatch(shown);
  expect(await judged?.text('artifacts/judge/answer-1.json')).toContain('[REDACTED]');
  for (const number of [1, 2, 3])
    expect(await babbling?.text(`artifacts/judge/answer-${number}.json`)).toContain('[REDACTED]');
  for (const failed of [babbling, refused]) expect(failed?.run.message).toContain('[REDACTED]');
  expect(lost?.run.agent?.starts).toBe(2);
  expect(await lost?.text('attempts/start-1/transcript.raw.txt')).toContain('[REDACTED]');
});

test('no judge is shown the secrets', () => {
  for (const name of ['judged', 'babbling', 'refused']) {
    const asked = server.askedOf(name);
    expect(asked.length).toBeGreaterThan(0);
    for (const { body } of asked) expect([name, leaksIn(body)]).toEqual([name, []]);
  }
});

test('no file below the results has a handed-over value in its name or content, in any encoding', async () => {
  const files = await everythingBelow(project.results);
  expect(files.length).toBeGreaterThan(30);
  expect(
    files.flatMap(({ name, content }) =>
      // The workspace is searched only for the plain values: other encodings were made by the agent.
      leaksIn(name + '\n' + content)
        .filter((form) => !name.includes('/fixture/') || [SECRET, LINES, PLAIN].includes(form))
        .map((form) => `${name}: ${form}`),
    ),
  ).toEqual([]);
});

test('the state folder, which only the user can enter, has the secrets only in raw output and what gates read of it', async () => {
  const files = await everythingBelow(project.state);
  const places = files.filter(({ name, content }) => leaksIn(name + '\n' + content).length > 0).map(({ name }) => name);
  expect(places.length).toBeGreaterThan(0);
  expect(places.filter((name) => !/\/work\/[^/]+\/(?:agent\/|steps\/agent)/.test(name))).toEqual([]);
});

test('no command prints the secrets', () => {
  expect(output).toContain('[REDACTED]');
  expect(leaksIn(output)).toEqual([]);
});

test('no workflow history of a sweep or run contains the secrets', async () => {
  const connection = await Connection.connect({ address: inject('temporalAddress') });
  const client = new Client({ connection });
  let workflows = 0;
  for (const sweep of new Set((await project.resultLines()).map((line) => line.sweep))) {
    for await (const { workflowId, runId } of client.workflow.list({ query: `SweepId = "${sweep}"` })) {
      workflows++;
      const handle = client.workflow.getHandle(workflowId, runId);
      const history = await handle.fetchHistory();
      // Payloads are bytes, which JSON would show in another form.
      const payloads = JSON.stringify(history, (_, value: unknown) =>
        value instanceof Uint8Array ? Buffer.from(value).toString('utf8') : value,
      );
      expect(payloads.length).toBeGreaterThan(1000);
      expect(leaksIn(payloads), workflowId).toEqual([]);
    }
  }
  await connection.close();
  expect(workflows).toBeGreaterThanOrEqual(12);
});
