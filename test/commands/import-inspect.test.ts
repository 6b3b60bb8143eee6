import { copyFile, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import type { EndedRunAnswer, SweepAnswer } from '../../src/viewer/protocol.js';
import { ask, firstOf, startViewing } from '../viewer/viewing.js';
import { createProject, type TestProject } from './project.js';

/** Written by Inspect 0.3.285 with a scripted model: test/sweeps/inspect. */
const LOGS = ['arithmetic.eval', 'tooluse.eval', 'tooluse.json', 'partial.eval', 'limited.eval'];

let project: TestProject;
beforeAll(async () => {
  project = await createProject({});
  for (const log of LOGS)
    await copyFile(join(import.meta.dirname, '../sweeps/inspect', log), join(project.folder, log));
});
afterAll(() => project.remove());

interface Shown {
  cells: { outcome: string; message: string; results_dir: string; repetition: number; cost_usd: number | null }[];
}

async function importLogs(...logs: string[]): Promise<{ sweep: string; runs: number; new: boolean; shown: Shown }> {
  const { exitCode, stdout, stderr } = await project.cli(['import', ...logs, '--json']);
  expect(exitCode, stderr).toBe(0);
  const imported = JSON.parse(stdout) as { sweep: string; runs: number; new: boolean };
  const shown = await project.cli(['show', imported.sweep, '--json']);
  return { ...imported, shown: JSON.parse(shown.stdout) as Shown };
}

/** Imports tooluse.json after a change of its only sample, and returns the run that it becomes. */
async function importChanged(
  change: (log: Log, sample: Log['samples'][number]) => void,
): Promise<Shown['cells'][0] & { sweep: string }> {
  const log = JSON.parse(await readFile(join(project.folder, 'tooluse.json'), 'utf8')) as Log;
  const [sample] = log.samples;
  if (sample === undefined) throw new Error('tooluse.json has no sample');
  log.eval.eval_id = `changed-${changes++}`;
  change(log, sample);
  // As Python writes it: a number that is not finite has no quotes.
  await writeFile(join(project.folder, 'changed.json'), JSON.stringify(log).replaceAll('"NaN"', 'NaN'));
  const {
    sweep,
    shown: {
      cells: [cell],
    },
  } = await importLogs('changed.json');
  if (cell === undefined) throw new Error('no run was imported');
  return { ...cell, sweep };
}

let changes = 0;
interface Log {
  eval: { eval_id: string; model: string };
  samples: {
    error?: { message: string };
    scores: Record<string, { value: unknown }>;
    messages: { content: unknown }[];
    attachments: Record<string, string>;
    model_usage: Record<string, object>;
  }[];
}

const record = async (run: string): Promise<Record<string, unknown>> =>
  JSON.parse(await readFile(join(run, 'artifacts/run.json'), 'utf8')) as Record<string, unknown>;

test('samples become scenarios, epochs repetitions, and scores verdicts', async () => {
  const { sweep, runs, shown } = await importLogs('arithmetic.eval');
  expect([sweep, runs]).toEqual([expect.stringMatching(/^inspect-arithmetic-[0-9a-f]{12}$/), 6]);
  // Inspect says accuracy 0.667 of this log.
  expect(shown.cells.map(({ outcome }) => outcome).sort()).toEqual(['fail', 'fail', 'pass', 'pass', 'pass', 'pass']);
  expect(new Set(shown.cells.map(({ repetition }) => repetition))).toEqual(new Set([1, 2]));
  const text = await project.cli(['show', sweep]);
  expect(text.stdout).toContain('arithmetic/two  ✓ 2/2');
  expect(text.stdout).toContain('arithmetic/3    ✗ 0/2');
});

test('the viewer offers nothing that an imported run cannot do', async () => {
  const { sweep, shown } = await importLogs('arithmetic.eval');
  const viewing = await startViewing(project);
  onTestFinished(() => viewing.stop());
  const run = basename(shown.cells[0]?.results_dir ?? '');
  const { commands } = JSON.parse((await ask(viewing, `/api/runs/${run}`)).body) as EndedRunAnswer;
  expect(commands.map(({ title }) => title)).toEqual(['Read it in the terminal']);
  // By this, its pages know that nothing can be run again.
  const { document } = await firstOf<SweepAnswer>(viewing, `/api/sweeps/${sweep}`);
  expect(document.workflow_id).toBe('');
});

test('the same logs are imported once, even if an import was interrupted', async () => {
  const first = await importLogs('partial.eval');
  expect(first.new).toBe(true);
  expect((await importLogs('partial.eval')).new).toBe(false);
  await rm(join(project.folder, 'llm-tool-test-results/sweeps', first.sweep), { recursive: true });
  expect(await importLogs('partial.eval')).toEqual({ ...first, new: true });
  const log = await project.read('llm-tool-test-results/results.jsonl');
  expect(log.split('\n').filter((line) => line.includes(first.sweep))).toHaveLength(1);
});

test('calls of tools, tokens and messages are those of the log, in both forms', async () => {
  for (const form of ['tooluse.eval', 'tooluse.json']) {
    const { shown } = await importLogs(form);
    const run = shown.cells[0]?.results_dir ?? '';
    const { agent } = await record(run);
    // 200 input, 40 output of which 16 reasoning, 10 from a cache.
    expect(agent).toMatchObject({ token_usage: { input: 200, output: 24, reasoning: 16, cache_read: 10 } });
    const events = await readFile(join(run, 'artifacts/events.jsonl'), 'utf8');
    const types = events
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { type: string }).type);
    expect(types).toEqual(['session', 'message', 'message', 'tool_call', 'tool_result', 'message', 'usage', 'result']);
    expect((await project.cli(['show', basename(run)])).stdout).toContain('done  add {"x":1,"y":2}');
  }
});

test('every scorer must be content, and a score below 1 is a reward', async () => {
  const { shown } = await importLogs('partial.eval');
  expect(shown.cells).toMatchObject([{ outcome: 'fail', message: '1/2 gates passed: scorer half: 0.5: half right' }]);
  const run = shown.cells[0]?.results_dir ?? '';
  const metrics: unknown = JSON.parse(await readFile(join(run, 'metrics.json'), 'utf8'));
  expect(metrics).toMatchObject({ details: [{ detail: { rewards: { half: 0.5 } } }, { passed: true }] });
});

test('a limit of Inspect is said, and its scores count', async () => {
  const [{ outcome, message, results_dir: run } = { outcome: '', message: '', results_dir: '' }] = (
    await importLogs('limited.eval')
  ).shown.cells;
  expect([outcome, message]).toEqual(['fail', expect.stringContaining('limit of 2 (message) reached')]);
  expect((await record(run))['warnings']).toEqual([
    'Inspect ended the sample at its limit: limit of 2 (message) reached',
  ]);
});

test.each([
  ['the sample ended with an error', { error: true }, /connection refused/],
  ['it was not scored', { scores: {} }, /no score of this sample/],
  ['the score is no number', { scores: { includes: { value: 'NaN' } } }, /null is not from 0 to 1/],
  ['the score has another scale', { scores: { points: { value: 85 } } }, /85 is not from 0 to 1/],
  ['the score is a word', { scores: { grade: { value: 'B' } } }, /"B" is not from 0 to 1/],
])('nothing is said of a sample if %s', async (_, { error, scores }: { error?: boolean; scores?: object }, message) => {
  const cell = await importChanged((_log, sample) => {
    if (error === true) sample.error = { message: 'connection refused' };
    if (scores !== undefined) sample.scores = scores as Log['samples'][0]['scores'];
  });
  expect(cell).toMatchObject({ outcome: 'error', message: expect.stringMatching(message) as string });
});

test.each([
  ['C', 'pass'],
  ['I', 'fail'],
  ['P', 'fail'],
  [true, 'pass'],
  ['1.0', 'pass'],
  [{ style: 1, truth: 0 }, 'fail'],
  [[1, 1], 'pass'],
])('the score %j is a %s', async (value, outcome) => {
  const cell = await importChanged((_log, sample) => (sample.scores = { only: { value } }));
  expect(cell.outcome).toBe(outcome);
});

test('long texts that Inspect keeps apart are put back, and costs are summed up', async () => {
  const cell = await importChanged((_log, sample) => {
    sample.attachments['abc'] = 'a long text';
    sample.messages[0] = { ...sample.messages[0], content: 'attachment://abc' };
    sample.model_usage = {
      'mockllm/model': { input_tokens: 1, output_tokens: 1, total_cost: 0.25 },
      'mockllm/grader': { input_tokens: 1, output_tokens: 1, total_cost: 0.5 },
    };
  });
  expect(cell.cost_usd).toBe(0.75);
  expect(await readFile(join(cell.results_dir, 'artifacts/events.jsonl'), 'utf8')).toContain('a long text');
});

test('several logs become one sweep, whose models are ranked', async () => {
  await importChanged((log) => (log.eval.model = 'mockllm/other'));
  const { sweep, runs } = await importLogs('tooluse.json', 'changed.json');
  expect(runs).toBe(2);
  const ranked = await project.cli(['compare', '--agents', sweep]);
  expect([ranked.exitCode, ranked.stdout], ranked.stderr).toEqual([0, expect.stringContaining('mockllm/other')]);
});

test('two evaluations are compared by their samples, without warnings', async () => {
  const before = await importLogs('tooluse.eval');
  const after = await importChanged((_log, sample) => (sample.scores = { includes: { value: 'I' } }));
  const compared = await project.cli(['compare', before.sweep, after.sweep, '--json']);
  expect(compared.stderr).toBe('');
  expect(JSON.parse(compared.stdout)).toMatchObject({
    configurations: [{ base: { passed: 1 }, head: { passed: 0 } }],
  });
});

test('what was imported cannot be run again', async () => {
  const { sweep } = await importLogs('limited.eval');
  for (const args of [
    ['retry', sweep, '--failed'],
    ['regrade', sweep],
  ]) {
    const { exitCode, stderr } = await project.cli(args);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(`${sweep} was imported from Inspect`)]);
  }
});

test('a log that cannot be read is named, and nothing is imported', async () => {
  const whole = await readFile(join(project.folder, 'arithmetic.eval'));
  await writeFile(join(project.folder, 'cut.eval'), whole.subarray(0, 9000));
  await writeFile(join(project.folder, 'text.eval'), 'no log');
  const damaged = Buffer.from(whole);
  damaged.fill(0, 600, 900);
  await writeFile(join(project.folder, 'damaged.eval'), damaged);
  for (const [log, why] of [
    ['cut.eval', /cut\.eval is no log of Inspect: /],
    ['text.eval', /text\.eval is no log of Inspect: /],
    ['damaged.eval', /damaged\.eval: \S+ cannot be read: /],
    ['missing.eval', /missing\.eval is no log of Inspect: .*ENOENT/],
  ] as const) {
    const { exitCode, stderr } = await project.cli(['import', log, '--results', 'fresh']);
    expect([exitCode, stderr]).toEqual([2, expect.stringMatching(why)]);
  }
  expect(await readdir(join(project.folder, 'fresh'))).toEqual([]);
});

test('only logs of Inspect are imported together', async () => {
  await project.write('prompts.csv', 'prompt,should_trigger\nStamp it,true\n');
  const { exitCode, stderr } = await project.cli(['import', 'prompts.csv', 'limited.eval']);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining('only logs of Inspect can be imported together')]);
});
