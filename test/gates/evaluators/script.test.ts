import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readEvaluator } from '../../../src/gates/evaluators.js';
import type { CommandResult } from '../../../src/lib/commands/command.js';
import { EvaluatorResult } from '../../../src/model/records/result-line.js';

const ended = (changes: Partial<CommandResult>): CommandResult => ({
  exitCode: 0,
  timedOut: false,
  stdout: '',
  stderr: '',
  stdoutBytes: 0,
  stderrBytes: 0,
  durationMs: 1,
  ...changes,
});

const resultOf = (stdout: string, changes: Partial<CommandResult> = {}): EvaluatorResult =>
  readEvaluator('quality', ended({ stdout, ...changes }), 30);

const nothing = { metrics: null, score: null, summary: null };

it.each([
  ['{}', {}],
  ['{"score":0}', { score: 0 }],
  ['{"score":1}', { score: 1 }],
  ['{"score":0.85,"metrics":{"lines":3},"summary":"ok"}', { score: 0.85, metrics: { lines: 3 }, summary: 'ok' }],
  ['\n  {"score": 0.5}\n', { score: 0.5 }],
  ['{"score":null,"metrics":null,"summary":null}', {}],
  ['{"metrics":[1,2]}', { metrics: [1, 2] }],
  ['{"other":true}', {}],
])('accepts %s as a measurement', (stdout, expected) => {
  expect(resultOf(stdout)).toEqual({ name: 'quality', ...nothing, error: null, ...expected });
});

it.each(['-0.1', '1.01', '"0.5"', 'true', '[]', '1e999'])(
  'a score of %s is an error, and other results are kept',
  (score) => {
    expect(resultOf(`{"score":${score},"metrics":{"a":1},"summary":"s"}`)).toEqual({
      name: 'quality',
      metrics: { a: 1 },
      score: null,
      summary: 's',
      error: 'score is not a number from 0 to 1',
    });
  },
);

it('a summary that is not text is an error', () => {
  expect(resultOf('{"score":0.5,"summary":{"a":1}}')).toMatchObject({
    summary: null,
    error: 'summary is not a string',
  });
});

it('reports all problems', () => {
  expect(resultOf('{"score":2,"summary":1}').error).toBe('score is not a number from 0 to 1; summary is not a string');
});

it.each([
  '',
  'text',
  '[1]',
  '5',
  'null',
  '"x"',
  '{"score":0.5',
  '{"score":0.5}{"score":0.6}',
  '{"score":0.5}\ntrailing',
])('uses output %j, which is not a JSON object, as summary', (stdout) => {
  expect(resultOf(stdout)).toEqual({
    name: 'quality',
    ...nothing,
    summary: stdout.trim(),
    error: 'stdout is not a JSON object',
  });
});

it.each([
  [{ exitCode: 3 }, 'exit 3'],
  [{ exitCode: 3, stderr: ' why\n' }, 'exit 3: why'],
  [{ exitCode: null, stderr: '' }, 'ended by a signal'],
  [{ exitCode: null, timedOut: true, stderr: 'slow' }, 'timed out after 30 s'],
  [{ exitCode: 127, stderr: 'sh: x: not found' }, 'exit 127: sh: x: not found'],
])('a script that ends with %j is an error, and its output does not count', (changes, error) => {
  expect(resultOf('{"score":1}', changes)).toEqual({ name: 'quality', ...nothing, error });
});

it('shortens errors and summaries to a readable length', () => {
  expect(resultOf('x'.repeat(100_000)).summary).toHaveLength(2001);
  expect(resultOf('', { exitCode: 1, stderr: 'x'.repeat(100_000) }).error?.length).toBeLessThan(600);
});

it('metrics that are nested too deeply to be read back are an error, and are dropped', () => {
  const deep = `{"score":1,"metrics":${'['.repeat(3000)}${']'.repeat(3000)}}`;
  expect(resultOf(deep)).toMatchObject({
    metrics: null,
    score: null,
    error: 'metrics are nested more than 500 deep',
  });
});

it('metrics with a number that JSON cannot hold are an error, and are dropped', () => {
  expect(resultOf('{"score":1,"metrics":{"a":[1e999]}}')).toMatchObject({
    metrics: null,
    score: null,
    error: 'metrics have a number that is too large',
  });
});

it('reads a metric with an odd name back unchanged', () => {
  const stored = JSON.parse(JSON.stringify(resultOf('{"score":1,"metrics":{"__proto__":{"a":1}}}'))) as unknown;
  expect(JSON.stringify(EvaluatorResult.parse(stored))).toContain('"metrics":{"__proto__":{"a":1}}');
});

it('for any output of a script, the result can be stored, and a score is between 0 and 1', () => {
  const output = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.json(),
    fc
      .record({ score: fc.jsonValue(), metrics: fc.jsonValue(), summary: fc.jsonValue() }, { requiredKeys: [] })
      .map((value) => JSON.stringify(value)),
  );
  fc.assert(
    fc.property(output, (stdout) => {
      const result = resultOf(stdout);
      expect(EvaluatorResult.parse(JSON.parse(JSON.stringify(result)))).toEqual(JSON.parse(JSON.stringify(result)));
      if (result.score !== null) expect(result.score >= 0 && result.score <= 1).toBe(true);
    }),
  );
});
