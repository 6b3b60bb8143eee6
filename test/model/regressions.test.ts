import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findRegressions, isBeyondChance, type Comparable } from '../../src/model/regressions.js';

const before = (change: Partial<Comparable> = {}) => ({
  id: 'run-before',
  composite_score: null,
  judge_score: null,
  cost_usd: null,
  gatesPassed: [] as string[],
  ...change,
});
const now = (change: Partial<Omit<Comparable, 'gatesPassed'>> & { gatesFailed?: string[] } = {}) => ({
  composite_score: null,
  judge_score: null,
  cost_usd: null,
  gatesFailed: [] as string[],
  ...change,
});
const kinds = (...pair: Parameters<typeof findRegressions>) => findRegressions(...pair).map(({ kind }) => kind);

describe('a regression', () => {
  test.each([
    [0.8, 0.68, ['score']],
    [0.8, 0.69, []],
    [0.8, 0.9, []],
    [0, 0, []],
  ])('of the score from %d to %d: %j', (was, is, expected) => {
    expect(kinds(before({ composite_score: was }), now({ composite_score: is }))).toEqual(expected);
    expect(kinds(before({ judge_score: was }), now({ judge_score: is }))).toEqual(expected);
  });
  test.each([
    [0.1, 0.15, ['cost']],
    [0.1, 0.149, []],
    [0, 5, []],
  ])('of the cost from %d to %d: %j', (was, is, expected) => {
    expect(kinds(before({ cost_usd: was }), now({ cost_usd: is }))).toEqual(expected);
  });
  test('is a gate that passed before and fails now, and no other', () => {
    const found = findRegressions(
      before({ gatesPassed: ['a', 'b'] }),
      now({ gatesFailed: ['b', 'new', 'never passed'] }),
    );
    expect(found).toEqual([{ kind: 'gate', message: 'gate newly failing: b', since: 'run-before' }]);
  });
  test('does not include what varied between the earlier runs', () => {
    const others = [before({ gatesPassed: ['a'], composite_score: 0.4, cost_usd: 3 })];
    const was = before({ gatesPassed: ['a', 'b'], composite_score: 0.9, cost_usd: 1 });
    expect(findRegressions(was, now({ gatesFailed: ['b'], composite_score: 0.4, cost_usd: 3 }), others)).toEqual([]);
    const worse = now({ gatesFailed: ['a', 'b'], composite_score: 0.2, cost_usd: 6 });
    const found = findRegressions(was, worse, others);
    expect(found).toEqual([
      { kind: 'score', message: 'composite score down 50 %: 0.40 to 0.20', since: 'run-before', runs: 2 },
      { kind: 'gate', message: 'gate newly failing: a', since: 'run-before', runs: 2 },
      { kind: 'cost', message: 'cost up 100 %: $3 to $6', since: 'run-before', runs: 2 },
    ]);
  });
  test('says by how much, and from which value to which', () => {
    const found = findRegressions(
      before({ composite_score: 0.9, cost_usd: 1 }),
      now({ composite_score: 0.45, cost_usd: 2 }),
    );
    expect(found.map(({ message }) => message)).toEqual([
      'composite score down 50 %: 0.90 to 0.45',
      'cost up 100 %: $1 to $2',
    ]);
  });
  test('is reported once for the composite score, even if the judge score went down too', () => {
    expect(
      kinds(before({ composite_score: 1, judge_score: 1 }), now({ composite_score: 0.5, judge_score: 0.5 })),
    ).toEqual(['score']);
  });
  test('is never found in unknown values or in an unchanged run', () => {
    const number = fc.option(fc.double({ min: 0, max: 1, noNaN: true }));
    fc.assert(
      fc.property(number, number, fc.array(fc.string()), (score, cost, gates) => {
        const same = { composite_score: score, judge_score: score, cost_usd: cost };
        expect(findRegressions(before({ ...same, gatesPassed: gates }), now(same))).toEqual([]);
        expect(findRegressions(before(), now(same))).toEqual([]);
        expect(findRegressions(before({ ...same, gatesPassed: gates }), now())).toEqual([]);
      }),
    );
  });
});

test('what is worse in one of many configurations must be clearer than in the only one', () => {
  const isClear = (configurations: number): boolean =>
    isBeyondChance({ worse: 4, runs: 4, earlier: 6, configurations });
  expect([1, 100].map(isClear)).toEqual([true, false]);
});
