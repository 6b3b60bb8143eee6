import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Called } from '../../../src/agent-scripts/call-script.js';
import { NO_DENO } from '../../../src/agent-scripts/deno-command.js';
import { readScriptEvaluator } from '../../../src/gates/evaluators.js';
import type { CommandResult } from '../../../src/lib/commands/command.js';
import type { Json } from '../../../src/lib/json.js';
import { EvaluatorResult } from '../../../src/model/records/result-line.js';

const result: CommandResult = {
  exitCode: 0,
  timedOut: false,
  stdout: '',
  stderr: '',
  stdoutBytes: 0,
  stderrBytes: 0,
  durationMs: 1,
};
const of = (called: Called): EvaluatorResult => readScriptEvaluator('coverage', called);
const ofData = (data: Json): EvaluatorResult =>
  of({ kind: 'answered', answer: { success: true, data }, line: 'deno run x', result });

const nothing = { name: 'coverage', metrics: null, score: null, summary: null };

it.each<[Json, Partial<EvaluatorResult>]>([
  [{ lines: 3 }, {}],
  [
    { score: 0.5, summary: 'good', lines: 3 },
    { score: 0.5, summary: 'good' },
  ],
  [{ score: 0 }, { score: 0 }],
  [{ score: 1 }, { score: 1 }],
  // Agent scripts are made for agents: values that are not a score are ordinary data.
  [{ score: 85, summary: { covered: 3 } }, {}],
  [{ score: -0.1 }, {}],
  [{ score: '1' }, {}],
  [[1, 2], {}],
  [7, {}],
  [null, {}],
])('takes the data %j as metrics', (data, expected) => {
  expect(ofData(data)).toEqual({ ...nothing, metrics: data, error: null, ...expected });
});

it.each<[Called, string]>([
  [
    {
      kind: 'answered',
      answer: { success: false, error: 'no such file', code: 'FILE_NOT_FOUND' },
      line: 'deno run x',
      result,
    },
    'FILE_NOT_FOUND: no such file',
  ],
  [
    { kind: 'broken', problem: 'check broke the contract: why', line: 'x', result: null },
    'check broke the contract: why',
  ],
  [{ kind: 'no_deno', line: 'x', result }, NO_DENO],
])('reports %j as an error of the evaluator', (called, error) => {
  expect(of(called)).toEqual({ ...nothing, error });
});

it('for any data, the result can be stored, and a score is between 0 and 1', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      const evaluated = ofData(JSON.parse(text) as Json);
      const stored = JSON.parse(JSON.stringify(evaluated)) as unknown;
      expect(EvaluatorResult.parse(stored)).toEqual(stored);
      if (evaluated.score !== null) expect(evaluated.score >= 0 && evaluated.score <= 1).toBe(true);
    }),
  );
});
