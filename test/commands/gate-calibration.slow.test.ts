import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Comparison } from '../../src/decide/comparison/document.js';
import { Firing } from '../../src/decide/documents/firing.js';
import type { SweepDocument } from '../../src/decide/documents/sweep-document.js';
import { createJudgedProject, judgeEnv } from './judged-project.js';
import { createModelServer, type ModelServer } from './model-server.js';
import { embeddedReport } from './embedded-report.js';
import { documentOf, scenario, type TestProject } from './project.js';

const vote = (overall_success: boolean): string =>
  JSON.stringify({ qualitative_summary: 'so', capability_checklist: [], confidence: 1, overall_success });

let server: ModelServer;
let project: TestProject;
let first: SweepDocument;

beforeAll(async () => {
  server = await createModelServer();
  server.script('varying', ...Array.from({ length: 22 }, (_, at) => ({ say: vote(at % 2 === 0) })));
  project = await createJudgedProject(server);
  await project.write(
    'fixtures/notes.yaml',
    scenario('notes', {
      gates: [`{type: llm_judge, prompt: 'The note says "milk".'}`, '{type: file_exists, path: README.md}'],
      steps: ['say: milk'],
    }),
  );
  await run('unscored', 2);
  first = await run('first', 20);
});
afterAll(async () => {
  await project.remove();
  await server.close();
});

async function run(name: string, repeat: number): Promise<SweepDocument> {
  const args = ['notes', '--name', name, '--repeat', String(repeat), '--no-cache'];
  return (await project.run([...args, '--judge-model', 'house/varying'], judgeEnv(server))).document;
}

const shown = async (...args: string[]): Promise<string> => (await project.cli(args)).stdout;
const UNCALIBRATED = `a gate not calibrated, decided by house/varying: 'llm_judge The note says "milk".' of notes.`;

/** Writes into the form of each run what a person says of its gate. */
async function review(verdictOn: (passed: boolean) => string): Promise<void> {
  for (const { results_dir: folder, outcome } of first.cells) {
    const file = join(folder ?? '', 'evaluation.md');
    const text = await readFile(file, 'utf8');
    const label = 'Human Verdict on gate 1 (llm_judge The note says "milk".), pass or fail:';
    expect(text).toContain(label);
    const verdict = verdictOn(outcome === 'pass');
    await writeFile(file, text.replace(/(Human Verdict on gate 1 .*, pass or fail:) \S+/, `$1 ${verdict}`));
  }
}

test('a gate that a model decides is not calibrated at first, and everything that shows results says so', async () => {
  for (const args of [
    ['show', 'first'],
    ...['md', 'github'].map((format) => ['report', 'first', '--format', format]),
    ['compare', 'unscored', 'first'],
    ['compare', 'unscored', 'first', '--explain'],
  ])
    expect((await shown(...args)).replaceAll('&quot;', '"').replaceAll('&#39;', "'")).toContain(UNCALIBRATED);
  const { notes } = embeddedReport(await shown('report', 'first', '--format', 'html')).sweep;
  expect(notes.join('\n')).toContain(UNCALIBRATED);
  const baseline = join(project.folder, 'baseline.jsonl');
  await shown('compare', 'unscored', '--write-baseline', baseline);
  for (const sides of [
    ['unscored', 'first'],
    ['first', '--baseline', baseline],
  ])
    for (const json of [[], ['--json']]) {
      const { stderr } = await project.cli(['compare', ...sides, '--gate', ...json]);
      expect(stderr.match(/^warning: a gate not calibrated, decided by house\/varying: .*$/gm)).toHaveLength(1);
    }
  const { stderr } = await project.cli(['compare', 'unscored', 'first']);
  expect(stderr).toBe('');
});

test('human verdicts calibrate it, and correct its pass rate', async () => {
  await review((passed) => (passed ? 'pass' : 'fail'));
  const { gate_calibration: gates, cells } = documentOf(await shown('show', 'first', '--json'));
  expect(gates).toMatchObject([
    {
      scenario: 'notes',
      number: 1,
      judge: 'house/varying',
      judged: 20,
      passed: 10,
      reviewed: 20,
      agreed: 20,
      verdict: 'agrees',
      corrected: { reviewed: 20 },
    },
  ]);
  expect(cells[0]?.human?.gates).toEqual({ 1: cells[0]?.outcome });
  const text = await shown('show', 'first');
  expect(text).toMatch(/gate 'llm_judge The note.*agrees with people: the same verdict in 20 of 20 runs/);
  expect(text).not.toContain('warning: ');
  expect(text).toMatch(/house\/varying +notes: llm_judge The note says.* 20 +20\/20 \(84-100 %\)/);
  expect(await shown('report', 'first')).toContain('### Gates decided by a model compared with people');
  const run = cells[0]?.results_dir?.split('/').at(-1) ?? '';
  expect(await shown('show', run)).toMatch(/human review\n {2}no score\n {2}gate 1 (pass|fail)\n/);
});

test('verdicts of people count in other sweeps, too; one that disagrees is a warning of the gate', async () => {
  await review((passed) => (passed ? 'fail' : 'pass'));
  const { stdout, stderr } = await project.cli(['compare', 'first', 'unscored', '--gate', '--json']);
  const comparison = Comparison.parse(JSON.parse(stdout));
  expect(comparison.gate_calibration).toMatchObject({
    base: [{ verdict: 'low agreement', passed_alone: 10, failed_alone: 10, corrected: { reviewed: 20 } }],
    head: [{ verdict: 'low agreement', judged: 2, reviewed: 20, corrected: null }],
  });
  expect(stderr).toMatch(/warning: gate '.*, agrees little with people: the same verdict in 0 of 20 runs/);
});

test('a schedule that compares by such a gate says so, too', async () => {
  const variables = Object.entries(judgeEnv(server)).map(([name, value]) => `${name}=${value}\n`);
  await project.write('keys.env', variables.join(''));
  const env = judgeEnv(server);
  const options = ['--every', '24h', '--env-file', 'keys.env', '--judge-model', 'house/varying'];
  const created = await project.cli(['schedule', 'create', 'nightly', 'notes', ...options], env);
  expect(created.exitCode, created.stderr).toBe(0);
  const fire = () => project.cli(['schedule', 'trigger', 'nightly', '--wait', '--json'], env);
  await fire();
  const firing = Firing.parse(JSON.parse((await fire()).stdout));
  expect(await shown('schedule', 'list')).toContain('warning: gate ');
  await project.cli(['schedule', 'delete', 'nightly']);
  expect(firing.warnings).toEqual([
    expect.stringMatching(/^gate '.*, agrees little with people: the same verdict in 0 of 20 runs/),
  ]);
});

test('a verdict that cannot be read is named with its place', async () => {
  await review(() => 'good');
  const { stderr, exitCode } = await project.cli(['show', 'first']);
  expect(exitCode).toBe(0);
  expect(stderr).toMatch(/^warning: .*\/evaluation\.md:\d+:\d+ 'good' is not a verdict; write pass or fail/m);
});
