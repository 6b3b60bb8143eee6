import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { FollowedNights, NightCount } from '../../../src/decide/documents/nights.js';
import { decideNight } from '../../../src/decide/schedules/decide-firing.js';
import { followSchedule, lossesAfter } from '../../../src/decide/schedules/follow-schedule.js';
import { countsOf, isComplete, type Night } from '../../../src/decide/schedules/night.js';
import { sweepOf } from '../comparison/sample.js';

const RUNS = 6;
const night = (at: number, passed: Record<string, number>, more: Partial<NightCount> = {}): Night => ({
  sweep: `nightly-${at}`,
  at: `2026-11-${String(at).padStart(2, '0')}T03:00:00.000Z`,
  counts: Object.entries(passed).map(([scenario, passes]) => ({
    scenario,
    agent: 'mock',
    model: 'default',
    variant: 'default',
    passed: passes,
    tested: RUNS,
    untested: 0,
    cost_usd: null,
    duration_secs: null,
    ...more,
  })),
});
/** Nights with the same passes in the scenarios a and b. */
const nightsOf = (...passed: number[]): Night[] => passed.map((one, at) => night(at + 1, { a: one, b: one }));
const follow = (nights: readonly Night[], accepted = false): FollowedNights =>
  followSchedule(nights, accepted) ?? expect.fail('no nights');

describe('followSchedule', () => {
  test('a week: a fall on night 4 stays red, and names it, until night 6 is accepted', () => {
    const week = nightsOf(6, 6, 5, 1, 1, 1, 1);
    const states = week.map((_, at) => follow(week.slice(0, at + 1)));
    expect(states.map(({ state }) => state)).toEqual([
      ...['no loss', 'no loss', 'no loss', 'loss', 'loss', 'loss', 'loss'],
    ]);
    for (const { since } of states.slice(3)) expect(since?.sweep).toBe('nightly-4');
    expect(states[6]).toMatchObject({
      before: { nights: 3, passed: 34, tested: 36 },
      after: { nights: 4, passed: 8, tested: 48 },
    });
    expect(follow(week.slice(5), true)).toMatchObject({
      state: 'no loss',
      reference: 'nightly-6',
      nights: 2,
    });
  });

  test('the loss is gone when nights are as before, and a new one is found again', () => {
    const states = nightsOf(6, 6, 6, 0, 0, 6, 6, 0).map((_, at, all) => follow(all.slice(0, at + 1)));
    expect(states.map(({ since }) => since?.sweep ?? null)).toEqual([
      ...[null, null, null, 'nightly-4', 'nightly-4', null, null, 'nightly-8'],
    ]);
    // Simulations measure the same numbers that schedules report.
    expect(lossesAfter(nightsOf(6, 6, 6, 0, 0, 6, 6, 0))).toEqual([...[null, null, null, 3, 3, null, null, 7]]);
    expect(lossesAfter([])).toEqual([]);
  });

  test('a slow drift is found', () => {
    const drift = follow(nightsOf(6, 6, 6, 5, 5, 5, 5, 4, 4, 4, 4, 3, 3, 3, 3, 2, 2));
    expect(drift.state).toBe('loss');
  });

  test('errors that are run again excuse no night and blame none', () => {
    // Half of the runs pass. Then a broken judge turns each pass into an error, and half of what replaces them passes.
    const before = Array.from({ length: 4 }, (_, at) => night(at + 1, { a: 3, b: 3 }));
    const redone = (at: number, after_errors: NightCount['after_errors']) =>
      night(at, { a: 1, b: 1 }, after_errors === undefined ? {} : { after_errors });
    const nights = (after_errors?: NightCount['after_errors']) => [
      ...before,
      ...[5, 6, 7, 8, 9].map((at) => redone(at, after_errors)),
    ];
    expect(follow(nights())).toMatchObject({ state: 'loss', robust: true });
    expect(lossesAfter(nights()).at(-1)).toBe(4);
    const doubtful = nights({ passed: 1, tested: 3 });
    expect(follow(doubtful)).toMatchObject({ state: 'loss', robust: false });
    expect(lossesAfter(doubtful).at(-1)).toBeNull();
    const gate = decideNight({ result: 'not shown', reasons: [] }, follow(doubtful), 'nightly');
    expect(gate).toMatchObject({ result: 'not tested', reasons: [expect.stringContaining('may be the reason')] });
    // The nights before may have been too good, because errors hid their failures.
    const tooGood = [
      ...[1, 2, 3, 4].map((at) => night(at, { a: 6, b: 6 }, { after_errors: { passed: 3, tested: 3 } })),
    ];
    expect(follow([...tooGood, ...nightsOf(2, 2, 2, 2)])).toMatchObject({ state: 'loss', robust: false });
    // As often before as since, they say nothing.
    const always = [
      ...before.map((one, at) => night(at + 1, { a: 5, b: 5 }, { after_errors: { passed: 1, tested: 1 } })),
    ];
    const since = [5, 6, 7].map((at) => night(at, { a: 0, b: 0 }, { after_errors: { passed: 0, tested: 1 } }));
    expect(follow([...always, ...since])).toMatchObject({ state: 'loss', robust: true });
  });

  test('the order of configurations and of their nights changes nothing', () => {
    const passes = fc.array(fc.tuple(fc.nat(RUNS), fc.nat(RUNS), fc.nat(RUNS)), {
      minLength: 1,
      maxLength: 8,
    });
    fc.assert(
      fc.property(passes, (rows) => {
        const nights = rows.map(([a, b, c], at) => night(at + 1, { a, b, c }));
        const turned = nights.map((one, at) => ({
          ...one,
          counts: at % 2 === 0 ? [...one.counts].reverse() : one.counts,
        }));
        const { configurations, ...rest } = follow(turned);
        const straight = follow(nights);
        expect({ ...rest, configurations: configurations.length }).toEqual({
          ...straight,
          configurations: straight.configurations.length,
          before: { ...straight.before, rate: expect.closeTo(straight.before.rate ?? 0, 9) as number },
          after: straight.after && {
            ...straight.after,
            rate: expect.closeTo(straight.after.rate ?? 0, 9) as number,
          },
        });
      }),
      { numRuns: 50 },
    );
  });

  test('while nothing is repaired, a loss that was found stays', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 6 }), fc.integer({ min: 1, max: 12 }), (good, bad) => {
        const nights = nightsOf(...new Array<number>(good).fill(6), ...new Array<number>(bad).fill(0));
        expect(follow(nights)).toMatchObject({ state: 'loss', since: { sweep: `nightly-${good + 1}` } });
      }),
      { numRuns: 30 },
    );
  });

  test('one configuration of ten that breaks is named', () => {
    const of = (one: number) =>
      Object.fromEntries(Array.from({ length: 10 }, (_, at) => [`s${at}`, at === 7 ? one : 4]));
    const found = follow([1, 2, 3, 4].map((at) => night(at, of(6))).concat(night(5, of(0)), night(6, of(0))));
    expect(found).toMatchObject({ state: 'loss', configurations: [{ scenario: 's7' }] });
  });

  test('errors that could explain a loss leave it open; as many on both sides do not', () => {
    const broken = (untested: number) => night(4, { a: 0 }, { tested: 3, untested });
    const good = [1, 2, 3].map((at) => night(at, { a: 3 }, { tested: 3, untested: 3 }));
    expect(follow([...good, broken(3), { ...broken(3), sweep: 'x' }])).toMatchObject({
      state: 'loss',
      robust: true,
    });
    const clean = [1, 2, 3].map((at) => night(at, { a: 6 }));
    expect(follow([...clean, broken(30), { ...broken(30), sweep: 'x' }])).toMatchObject({
      state: 'loss',
      robust: false,
    });
  });

  test('with very few runs, it says that no loss could have been seen', () => {
    const few = [1, 2].map((at) => night(at, { a: 2 }, { tested: 2 }));
    expect(follow(few).state).toBe('too few runs');
    expect(follow(few.slice(0, 1)).state).toBe('no loss');
    expect(followSchedule([], false)).toBeNull();
  });

  test('a cost that rises and stays is found, and changes no verdict', () => {
    const nights = Array.from({ length: 20 }, (_, at) =>
      night(at + 1, { a: 6 }, { cost_usd: (at < 10 ? 1 : 1.6) * (1 + (at % 3) / 100), duration_secs: 60 }),
    );
    expect(follow(nights)).toMatchObject({
      state: 'no loss',
      rises: [{ measure: 'cost_usd', since: { sweep: 'nightly-11' }, factor: expect.closeTo(1.6, 1) as number }],
    });
  });

  test.each(['cost_usd', 'duration_secs'] as const)('a %s that creeps up by 2 %% a night is found', (measure) => {
    const creeping = (perNight: number) =>
      Array.from({ length: 24 }, (_, at) =>
        night(at + 1, { a: 6, b: 6 }, { [measure]: perNight ** at * (1 + ((at * 7) % 5) / 50) }),
      );
    expect(follow(creeping(1.02)).rises).toMatchObject([{ measure, factor: expect.closeTo(1.25, 1) as number }]);
    expect(follow(creeping(1)).rises).toEqual([]);
    expect(follow(creeping(0.98)).rises).toEqual([]);
  });
});

test('a night counts runs once, and without what it reused from an earlier one', () => {
  const sweep = sweepOf('n2', { a: 'ppfe', b: 'p' }, (_, at) => (at === 2 ? { cached_from: 'n1-a-2' } : {}));
  const counts = countsOf(sweep, new Set(['n1-a-2']));
  expect(counts).toMatchObject([
    { scenario: 'a', passed: 1, tested: 2, untested: 1 },
    { scenario: 'b', passed: 1, tested: 1, untested: 0 },
  ]);
  expect([isComplete(counts), isComplete([])]).toEqual([true, false]);
  const again = countsOf(sweepOf('n4', { a: 'pPfFF' }), new Set());
  expect(again).toMatchObject([{ passed: 2, tested: 5, untested: 0, after_errors: { passed: 1, tested: 3 } }]);
  expect(isComplete(countsOf(sweepOf('n3', { a: 'pp', b: 'e' }), new Set()))).toBe(false);
});

describe('decideNight', () => {
  const ok = { result: 'not shown' as const, reasons: [] };
  const untested = { result: 'not tested' as const, reasons: ['2 cells of head have no result yet'] };
  const alone = { result: 'worse' as const, reasons: [] };
  const [good, bad] = [follow(nightsOf(6, 6, 5)), follow(nightsOf(6, 6, 6, 1))];

  test('a night that is bad by itself is no loss yet; a loss stays on a night that is good by itself or tested nothing', () => {
    expect(decideNight(alone, good, 'nightly').result).toBe('not shown');
    expect(decideNight(ok, bad, 'nightly')).toEqual({
      result: 'worse',
      reasons: [
        expect.stringMatching(/^worse since nightly-4 \(2026-11-04\): 100 % .*schedule accept nightly/) as string,
      ],
    });
    expect(decideNight(untested, bad, 'nightly').result).toBe('worse');
    expect(decideNight(untested, good, 'nightly')).toEqual(untested);
  });

  test('a loss that errors may explain is not tested, and a possible one undecided', () => {
    expect(decideNight(ok, { ...bad, robust: false }, 'nightly').result).toBe('not tested');
    expect(decideNight(ok, { ...bad, state: 'possible loss' }, 'nightly')).toMatchObject({
      result: 'undecided',
      reasons: [expect.stringContaining('perhaps worse since nightly-4')],
    });
    expect(decideNight(ok, { ...good, state: 'too few runs' }, 'nightly').result).toBe('undecided');
  });
});
