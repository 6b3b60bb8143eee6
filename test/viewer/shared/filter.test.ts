import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ListedRun } from '../../../src/viewer/protocol.js';
import { COLUMNS } from '../../../src/viewer/shared/columns.js';
import {
  completionsOf,
  matchesFilter,
  type Operator,
  parseFilter,
  type Term,
  termText,
  valuesAskedFor,
  withValues,
} from '../../../src/viewer/shared/filter.js';
import { listedRun } from './listed-run.js';

const RUNS = [
  listedRun({ id: 'a', cost_usd: 0.2, duration_secs: 30 }),
  listedRun({
    ...{ id: 'b', outcome: 'fail', agent: 'codex', model: 'large', cost_usd: 1.5, duration_secs: 130 },
    ...{ why: 'notes.md exists: report.md is missing', failed: ['file_exists', 'notes.md exists'] },
  }),
  listedRun({
    ...{ id: 'c', outcome: null, scenario: 'stock, again', cost_usd: null, duration_secs: null },
    human: {
      ...{ score: 0.8, points: 4, max: 5, problem: null, reviewer: 'Ada' },
      ...{ labels: ['flaky-env'], notes: 'It guessed.' },
    },
  }),
];

const termsOf = (expression: string): Term[] => {
  const read = parseFilter(expression);
  if ('problem' in read) throw new Error(read.problem.message);
  return read.terms;
};
const idsFor = (expression: string): string =>
  RUNS.filter((run) => matchesFilter(termsOf(expression), run))
    .map(({ id }) => id)
    .join('');

test.each([
  ['', 'abc'],
  ['outcome:fail', 'b'],
  ['Outcome:FAIL,waiting', 'bc'],
  ['-outcome:fail', 'ac'],
  ['agent:codex', 'b'],
  ['agent:codex/large', 'b'],
  ['agent:code', ''],
  ['scenario:"stock, again"', 'c'],
  ['gate:file_exists', 'b'],
  ['gate:"notes.md exists"', 'b'],
  ['cost>0.5', 'b'],
  ['cost<=0.2', 'a'],
  ['cost:unknown', 'c'],
  ['-cost>0.5', 'ac'],
  ['duration>2m', 'b'],
  ['duration<31 outcome:pass', 'a'],
  ['rating>=0.8', 'c'],
  ['label:flaky-env', 'c'],
  ['label:unknown', 'ab'],
  ['notes:guess', 'c'],
  ['"is missing"', 'b'],
  ['MISSING codex', 'b'],
  ['missing mock', ''],
  ['-missing', 'ac'],
])('%s selects %s', (expression, ids) => {
  expect(idsFor(expression)).toBe(ids);
});

test.each([
  ['outcome:fail outcom:pass x', 13, 24, "there is no field 'outcom'"],
  ['cost>a', 0, 6, "expected a number after 'cost>'"],
  ['cost>2m', 0, 7, "expected a number after 'cost>', or 'unknown'"],
  ['duration>2x', 0, 11, 'in seconds or such as 90s, 2m or 1h'],
  ['cost>unknown', 0, 12, 'expected cost:unknown'],
  ['cost>1,2', 0, 8, 'expected one number'],
  ['agent>codex', 0, 11, 'expected agent:codex'],
  ['agent: x', 0, 6, "expected a value after 'agent:'"],
  ['agent:a,,b', 0, 10, "expected a value after 'agent:'"],
  ['a "b c', 2, 6, 'a quotation mark is missing at the end'],
  ['a ""', 2, 4, 'expected a text between the quotation marks'],
  ['http://x', 0, 8, "there is no field 'http'"],
])('of %s, the part from %d to %d is wrong: %s', (expression, from, to, message) => {
  expect(parseFilter(expression)).toEqual({
    problem: { from, to, message: expect.stringContaining(message) as unknown },
  });
});

const value = fc.string({ minLength: 1, maxLength: 12, unit: fc.constantFrom(...Array.from('ab ",\\:<-=ä\n')) });
const named = (kind: 'text' | 'number') =>
  fc.constantFrom(...COLUMNS.filter((column) => column.kind === kind).map(({ name }) => name));
const anyTerm: fc.Arbitrary<Term> = fc.oneof(
  fc.record({ isNot: fc.boolean(), kind: fc.constant('words' as const), text: value }),
  fc.record({
    isNot: fc.boolean(),
    kind: fc.constant('text' as const),
    column: named('text'),
    values: fc.array(value, { minLength: 1, maxLength: 3 }),
  }),
  fc.record({
    isNot: fc.boolean(),
    kind: fc.constant('number' as const),
    column: named('number'),
    operator: fc.constantFrom<Operator>(':', '<', '<=', '>', '>='),
    value: fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0),
  }),
);

test('terms that are written are read as the same', () => {
  fc.assert(
    fc.property(fc.array(anyTerm), (terms) => {
      expect(parseFilter(terms.map(termText).join(' '))).toEqual({ terms });
    }),
  );
});

test('any text is read, or has a wrong part that is in it', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        value,
        fc.array(anyTerm).map((terms) => terms.map(termText).join('  ')),
      ),
      (text) => {
        const read = parseFilter(text);
        if ('terms' in read) return;
        const { from, to, message } = read.problem;
        expect(0 <= from && from < to && to <= text.length && message !== '').toBe(true);
      },
    ),
  );
});

test('a run matches some terms if it matches each, and a term that is turned round if it does not match it', () => {
  const run = fc.constantFrom<ListedRun>(...RUNS);
  fc.assert(
    fc.property(fc.array(anyTerm), anyTerm, run, (some, one, of) => {
      expect(matchesFilter([...some, one], of)).toBe(matchesFilter(some, of) && matchesFilter([one], of));
      expect(matchesFilter([{ ...one, isNot: !one.isNot }], of)).toBe(!matchesFilter([one], of));
    }),
  );
});

test('the values of a column can be replaced', () => {
  expect(withValues('a outcome:fail -outcome:pass cost>1', 'outcome', ['error', 'x y'])).toBe(
    'a -outcome:pass cost>1 outcome:error,"x y"',
  );
  expect(withValues('outcome:fail', 'outcome', [])).toBe('');
  expect(valuesAskedFor('outcome:fail,error -outcome:pass', 'outcome')).toEqual(['fail', 'error']);
  expect(valuesAskedFor('outcome:"', 'outcome')).toEqual([]);
  fc.assert(
    fc.property(fc.array(value, { minLength: 1, maxLength: 3 }), (values) => {
      expect(valuesAskedFor(withValues('"a text" cost>1', 'agent', values), 'agent')).toEqual(values);
    }),
  );
});

test('the last word is completed: names of columns, then their values', () => {
  const choices = { agent: ['codex', 'claude code'], outcome: ['fail', 'pass'] };
  expect(completionsOf('ag', choices)).toEqual(['agent:']);
  expect(completionsOf('x -co', choices)).toEqual(['x -cost>']);
  expect(completionsOf('outcome:fail ', choices)).toContain('outcome:fail agent:');
  expect(completionsOf('agent:c', choices)).toEqual(['agent:codex', 'agent:"claude code"']);
  expect(completionsOf('outcome:fail,', choices)).toEqual(['outcome:fail,fail', 'outcome:fail,pass']);
  expect(completionsOf('agent:codex', choices)).toEqual([]);
  expect(completionsOf('nothing:c', choices)).toEqual([]);
});
