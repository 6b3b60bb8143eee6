import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  baselineOf,
  BaselineLine,
  formatBaseline,
  parseBaseline,
  updateBaseline,
} from '../../../src/decide/comparison/baseline.js';
import { compareSweeps, compareWithBaseline } from '../../../src/decide/comparison/compare-sweeps.js';
import { Comparison } from '../../../src/decide/comparison/document.js';
import { sweepOf, type Outcomes } from './sample.js';

const outcomes = fc.dictionary(
  fc.constantFrom('x', 'y', 'z'),
  fc.string({ unit: fc.constantFrom('p', 'f', 'P', 'F', 'e', 'c'), minLength: 1, maxLength: 6 }),
  { minKeys: 1 },
);

describe('a baseline', () => {
  test('gives the same numbers, verdicts and gate as the sweep that it was written from', () => {
    fc.assert(
      fc.property(outcomes, outcomes, (before, after) => {
        const [base, head] = [sweepOf('a', before), sweepOf('b', after)];
        const lines = baselineOf(base);
        fc.pre(lines.length > 0);
        const direct = compareSweeps(base, head, new Map());
        const found = compareWithBaseline({ file: 'base.jsonl', lines }, head);
        expect(Comparison.parse(found)).toEqual(found);
        expect(found.verdict).toBe(direct.verdict);
        expect(found.total.difference).toBe(direct.total.difference);
        expect(found.total.interval).toEqual(direct.total.interval);
        // A configuration without a tested run has no line. Its errors could have been passes.
        if (Object.values(before).every((letters) => /[pf]/i.test(letters))) expect(found.gate).toEqual(direct.gate);
      }),
      { numRuns: 50 },
    );
  });

  test('is read back as it was written, and sorted so that the order of lines never changes', () => {
    fc.assert(
      fc.property(outcomes, (all) => {
        const lines = baselineOf(sweepOf('a', all));
        const text = formatBaseline(lines);
        expect(formatBaseline([...lines].reverse())).toBe(text);
        expect(parseBaseline(text)).toEqual(lines.sort((a, b) => (a.scenario < b.scenario ? -1 : 1)));
        expect(text.split('\n')).toHaveLength(lines.length + 1);
      }),
      { numRuns: 50 },
    );
  });

  test('counts a configuration as flaky that has passed at least once and failed at least once', () => {
    const flaky = (letters: string): number | undefined => {
      const lines = baselineOf(sweepOf('a', { x: letters }));
      return compareWithBaseline({ file: 'base.jsonl', lines }, sweepOf('b', { x: 'p' })).configurations[0]?.base.flaky;
    };
    expect(['pff', 'ppf', 'ppp', 'fff'].map(flaky)).toEqual([1, 1, 0, 0]);
  });

  test('keeps lines of configurations that are not written again', () => {
    const of = (sweep: string, all: Outcomes): BaselineLine[] => baselineOf(sweepOf(sweep, all));
    const lines = updateBaseline(of('a', { x: 'pp', y: 'pf' }), of('b', { x: 'ff' }));
    expect(lines.map(({ scenario, sweep, passed }) => [scenario, sweep, passed])).toEqual([
      ['x', 'b', 0],
      ['y', 'a', 1],
    ]);
  });

  test('does not count its runs again in a sweep that reuses them, nor in the sweep that it was written from', () => {
    const base = sweepOf('a', { x: 'pppp' });
    const stored = { file: 'base.jsonl', lines: baselineOf(base) };
    const reused = sweepOf('b', { x: 'ppppff' }, (name, n) => (n > 4 ? {} : { cached_from: `a-${name}-${n}` }));
    expect(compareWithBaseline(stored, reused).total.head).toMatchObject({ tested: 2, shared: 4 });
    expect(compareWithBaseline(stored, base).total.head).toMatchObject({ tested: 0, shared: 4 });
  });

  test('tells whether the inputs have changed since', () => {
    const keyed = (sweep: string, key: string) => sweepOf(sweep, { x: 'pp' }, () => ({ cache_key: key }));
    const stored = { file: 'base.jsonl', lines: baselineOf(keyed('a', 'a'.repeat(64))) };
    const same = compareWithBaseline(stored, keyed('b', 'a'.repeat(64)));
    expect([same.configurations[0]?.same_inputs, same.changes]).toEqual([true, []]);
    const other = compareWithBaseline(stored, keyed('b', 'b'.repeat(64)));
    expect(other.configurations[0]?.same_inputs).toBe(false);
    expect(other.changes).toMatchObject([{ what: 'the inputs; a baseline does not record which', of: ['x'] }]);
  });

  test('is doubted when it is old', () => {
    const stored = { file: 'base.jsonl', lines: baselineOf(sweepOf('a', { x: 'pp' })) };
    const head = sweepOf('b', { x: 'pp' }, undefined, { started: '2026-01-21T00:00:00.000Z' });
    expect(compareWithBaseline(stored, head).doubts).toEqual([
      'base ran 20 days before head: models and providers may have changed meanwhile',
    ]);
  });
});

describe('a broken baseline is refused, with the line:', () => {
  const good = formatBaseline(baselineOf(sweepOf('a', { x: 'pp' }))).trim();
  const changed = (change: object): string => JSON.stringify({ ...JSON.parse(good), ...change });

  test.each([
    ['a merge conflict', `${good}\n<<<<<<< ours\n`, /^line 2: a merge conflict/],
    ['the same configuration twice', `${good}\n${good}`, /^line 2: x mock\/default is also on line 1/],
    ['text', 'hello', /^line 1: not JSON/],
    ['another version', changed({ schema_version: 2 }), /^line 1: schema_version: /],
    ['more passed than tested', changed({ passed: 3 }), /^line 1: passed: 3 is more than tested/],
    ['an unknown field', changed({ more: 1 }), /^line 1: .*more/],
  ])('%s', (_name, text, message) => {
    expect(parseBaseline(text)).toMatch(message);
  });
});
