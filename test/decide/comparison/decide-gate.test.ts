import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compareSweeps } from '../../../src/decide/comparison/compare-sweeps.js';
import type { Comparison } from '../../../src/decide/comparison/document.js';
import { sweepOf, type Outcomes } from './sample.js';

const compare = (before: Outcomes, after: Outcomes, margin: number | null = null): Comparison =>
  compareSweeps(sweepOf('a', before), sweepOf('b', after), new Map(), { alpha: 0.05, margin });
const gate = (before: Outcomes, after: Outcomes): string => compare(before, after).gate.result;

describe('the gate', () => {
  test.each([
    ['a fall', { x: 'pppppp' }, { x: 'ffffff' }, 'worse'],
    ['a fall and errors', { x: 'pppppp' }, { x: 'ffffffee' }, 'worse'],
    ['no difference', { x: 'pppppp' }, { x: 'pppppf' }, 'not shown'],
    ['a rise', { x: 'ffffff' }, { x: 'pppppp' }, 'not worse'],
    ['a fall that is not shown', { x: 'ppppp' }, { x: 'ppfff' }, 'not shown'],
    ['a rise that errors could explain', { x: 'ffffff' }, { x: 'ppppeeee' }, 'not shown'],
    ['a new scenario', { x: 'pppppp' }, { x: 'pppppp', y: 'f' }, 'not shown'],
    ['fewer repetitions', { x: 'pppppp' }, { x: 'pppp' }, 'not shown'],
    ['too few runs', { x: 'pp' }, { x: 'pp' }, 'undecided'],
    ['errors only', { x: 'pppppp' }, { x: 'eeeeee' }, 'not tested'],
    ['a sweep that has not ended', { x: 'pppppp' }, { x: 'pppppp.' }, 'not tested'],
    ['no result yet', { x: 'pppppp' }, { x: '......' }, 'not tested'],
    ['errors only in base', { x: 'eeeeee' }, { x: 'pppppp' }, 'not tested'],
    ['other scenarios', { x: 'pppppp' }, { y: 'pppppp' }, 'not tested'],
    ['a scenario that was dropped', { x: 'pppppp', y: 'p' }, { x: 'pppppp' }, 'not tested'],
    ['a scenario that base had not tested either', { x: 'pppppp', y: 'e' }, { x: 'pppppp' }, 'not shown'],
    ['one scenario with errors only', { x: 'pppppp', y: 'pp' }, { x: 'pppppp', y: 'ee' }, 'not tested'],
    ['errors that could not make it worse', { x: 'pppppppppp' }, { x: 'pppppppppe' }, 'not shown'],
    ['errors that could have been failures', { x: 'pppppppppp' }, { x: 'pppppeeeee' }, 'not tested'],
    ['cells that were cancelled', { x: 'pppppppppp' }, { x: 'pppppccccc' }, 'not tested'],
    ['errors of base that could have been passes', { x: 'pppppppeeeeeee' }, { x: 'pppppppffffff' }, 'not tested'],
    ['a fall that errors of head could have caused', { x: 'pppppp' }, { x: 'ffeeee' }, 'not tested'],
    ['a fall that errors of base could have caused', { x: 'ppppeeee' }, { x: 'ffff' }, 'not tested'],
    ['a fall that errors hide, though their cells ran again', { x: 'pppppppppp' }, { x: 'pppppPPPPP' }, 'not tested'],
    ['a fall that errors of head could explain', { x: 'pppppp' }, { x: 'ffFFFF' }, 'not tested'],
    ['a fall that errors of base could explain', { x: 'ppPPPP' }, { x: 'ffffff' }, 'not tested'],
    ['a fall that few errors cannot explain', { x: 'pppppppP' }, { x: 'fffffffF' }, 'worse'],
    ['cells all of which ran anew after an error', { x: 'pppppp' }, { x: 'FFFFFF' }, 'worse'],
    ['a fall that cells without a result could have caused', { x: 'pppppp' }, { x: 'ffc...' }, 'not tested'],
  ])('of %s is %s', (_name, before, after, result) => {
    expect(gate(before, after)).toBe(result);
  });

  test('of one cell of ten that fell is worse, and names the cell', () => {
    const steady = Object.fromEntries(Array.from('abcdefghi', (name) => [name, 'pppppppppf']));
    const { verdict, gate: found } = compare({ ...steady, x: 'pppppppppp' }, { ...steady, x: 'ppffffffff' });
    expect(verdict).toBe('no difference shown');
    expect(found).toEqual({
      result: 'worse',
      reasons: ['worse on its own: x mock/default (10 of 10 passed before, 2 of 10 passed now)'],
    });
    const missing = compare({ ...steady, x: 'pppppppppp' }, { ...steady, x: 'ppeeeeeeee' });
    expect(missing.gate.result).toBe('not tested');
  });

  test('names what was not tested', () => {
    const many = Object.fromEntries(['a', 'b', 'c', 'd', 'e'].map((name) => [name, 'pp']));
    const { reasons } = compare({ x: 'pppppp', ...many }, { x: 'eeeeee' }).gate;
    expect(reasons).toContain('no configuration has runs that passed or failed in both');
    expect(reasons).toContain(
      'tested in base, missing in head: a mock/default, b mock/default, c mock/default and 2 more',
    );
    expect(reasons).toContain('tested in base, but no run of head passed or failed: x mock/default');
  });

  test('says what untested cells could have changed', () => {
    const { verdict, gate } = compare({ x: 'pppppp' }, { x: 'ffeeee' });
    expect(verdict).toBe('worse');
    expect(gate.reasons).toEqual([
      '4 cells of head and 0 of base were not tested: if those of head passed and those of base failed, head would not be worse',
    ]);
    expect(compare({ x: 'pppppppppp' }, { x: 'pppppeeeee' }).gate.reasons).toEqual([
      '5 cells of head and 0 of base were not tested: if those of head failed and those of base passed, head would be worse',
    ]);
  });

  test('counts the cells that ran again after an error', () => {
    const { verdict, total, gate, configurations } = compare({ x: 'ppPPPP' }, { x: 'ffffff' });
    expect([verdict, total.robust, configurations[0]?.robust]).toEqual(['worse', false, false]);
    expect(total.base).toMatchObject({ passed: 6, tested: 6, after_errors: 4, passed_after_errors: 4 });
    expect(gate.reasons).toEqual([
      '0 cells of head and 4 of base were not tested, or only after an error: if those of head passed and those of base failed, head would not be worse',
    ]);
  });

  test('is "not worse" if all runs were reused, since their inputs are the same', () => {
    const head = sweepOf('b', { x: 'ppp' }, (name, n) => ({ cached_from: `a-${name}-${n}` }));
    const result = compareSweeps(sweepOf('a', { x: 'ppp' }), head, new Map());
    expect([result.verdict, result.gate.result]).toEqual(['nothing to compare', 'not worse']);
  });
});

describe('the gate with a margin of 10 points', () => {
  const runs = (passed: number, failed: number, errors = 0): string =>
    'p'.repeat(passed) + 'f'.repeat(failed) + 'e'.repeat(errors);
  const resultOf = (before: string, after: string): string => compare({ x: before }, { x: after }, 0.1).gate.result;

  test.each([
    ['enough runs without a change', runs(95, 5), runs(95, 5), 'not worse'],
    ['too few runs without a change', runs(19, 1), runs(19, 1), 'undecided'],
    ['a fall', runs(95, 5), runs(60, 40), 'worse'],
    ['a small fall that is significant, but within the margin', runs(400, 0), runs(392, 8), 'not worse'],
    ['errors that could be a loss beyond the margin', runs(95, 5), runs(80, 4, 16), 'not tested'],
  ])('of %s is right', (_name, before, after, result) => {
    expect(resultOf(before, after)).toBe(result);
  });

  test('says how much worse head may be, and how many more runs it takes', () => {
    const { gate: found, total } = compare({ x: runs(19, 1) }, { x: runs(19, 1) }, 0.1);
    expect(found.reasons).toEqual([
      expect.stringMatching(/^head may be worse by up to 1\d(\.\d)? points, and 10 are too many$/),
    ]);
    expect(total.needed).toMatchObject({ difference: 0.1, power: 0.8 });
    expect(total.needed?.runs).toBeGreaterThan(50);
  });

  test('is shown only if it holds whatever errors hid, and so is equivalence', () => {
    const shown = (after: string) => {
      const { not_worse, equivalent } = compare({ x: runs(190, 10) }, { x: after }, 0.1).total;
      return [not_worse?.holds, equivalent];
    };
    expect(shown(runs(190, 10))).toEqual([true, true]);
    expect(shown(runs(160, 10) + 'P'.repeat(30))).toEqual([false, false]);
    expect(shown(runs(160, 0, 30) + runs(10, 0))).toEqual([false, false]);
    expect(shown(runs(194, 0) + 'P'.repeat(6))).toEqual([true, true]);
  });

  test('calls two sides equivalent only if head is neither worse nor better by the margin', () => {
    const equivalent = (before: string, after: string) => compare({ x: before }, { x: after }, 0.1).total.equivalent;
    expect(equivalent(runs(190, 10), runs(190, 10))).toBe(true);
    expect(equivalent(runs(100, 100), runs(190, 10))).toBe(false);
    expect(compare({ x: 'pp' }, { x: 'pp' }).total).toMatchObject({ equivalent: null, not_worse: null });
  });
});

describe('by property', () => {
  const outcomes = (letters: string) =>
    fc.string({ unit: fc.constantFrom(...Array.from(letters)), minLength: 1, maxLength: 8 });
  const arms = fc.array(fc.record({ base: outcomes('pf'), head: outcomes('pf') }), {
    minLength: 1,
    maxLength: 3,
  });
  const byScenario = (sides: readonly string[]): Outcomes =>
    Object.fromEntries(sides.map((letters, at) => [`s${at}`, letters]));
  const HIDDEN = /[ecPF.]/g;

  test('losing passes of head and failures of base never makes head worse', () => {
    const loses = fc.infiniteStream(fc.constantFrom(null, null, 'e', 'c', '.'));
    fc.assert(
      fc.property(arms, loses, (all, lost) => {
        const lose = (letters: string, which: string): string =>
          letters.replaceAll(which, (letter) => (lost.next().value as string | null) ?? letter);
        const before = byScenario(all.map(({ base }) => base));
        const after = byScenario(all.map(({ head }) => head));
        fc.pre(gate(before, after) !== 'worse');
        expect(
          gate(byScenario(all.map(({ base }) => lose(base, 'f'))), byScenario(all.map(({ head }) => lose(head, 'p')))),
        ).not.toBe('worse');
      }),
      { numRuns: 100 },
    );
  });

  test('"worse" and "not worse" hold even if the missing results contradict them', () => {
    const withMissing = fc
      .array(fc.record({ base: outcomes('ppffPPFFec.'), head: outcomes('ppffPPFFec.') }), {
        minLength: 1,
        maxLength: 3,
      })
      // If all cells had run anew, none would be in doubt.
      .filter((all) => (['base', 'head'] as const).every((side) => all.some((one) => /[pf]/.test(one[side]))));
    const came = (sides: readonly string[], as: string): Outcomes =>
      byScenario(sides.map((letters) => letters.replaceAll(HIDDEN, as)));
    fc.assert(
      fc.property(withMissing, (all) => {
        const [base, head] = [all.map((one) => one.base), all.map((one) => one.head)];
        const result = gate(byScenario(base), byScenario(head));
        if (result === 'worse') expect(gate(came(base, 'f'), came(head, 'p'))).toBe('worse');
        if (result === 'not worse') expect(gate(came(base, 'p'), came(head, 'f'))).not.toBe('worse');
      }),
      { numRuns: 100 },
    );
  });
});

describe('errors', () => {
  const doubts = (before: string, after: string): string[] => compare({ x: before }, { x: after }).doubts;

  test('are doubted if one side has them more often', () => {
    expect(doubts('pppppppppp', 'pppppeeeee')).toEqual([
      expect.stringMatching(/^error rates differ: 5 of 10 cells in head, 0 of 10 in base/),
    ]);
    expect(doubts('eeeeeppppp', 'pppppppppp')).toHaveLength(1);
  });
  test('are doubted if one side hides them by running again', () => {
    expect(doubts('pppppppppp', 'pppppPPPPP')).toEqual([
      expect.stringMatching(/^error rates differ: 5 of 10 cells in head, .* or did so before they passed or failed/),
    ]);
  });
  test('are doubted if both sides have many: those of one may hide passes, and those of the other failures', () => {
    for (const runs of ['pppppeeeee', 'pppppPPPPP'])
      expect(doubts(runs, runs)).toEqual([
        expect.stringMatching(/^5 of 10 cells in head, 5 of 10 in base .*: even if both sides have as many/),
      ]);
  });
  test('are not doubted if both sides have them equally often', () => {
    expect(doubts('pppppppppe', 'pppppppppe')).toEqual([]);
    expect(doubts('pppppppppp', 'pppppppppe')).toEqual([]);
  });
});

/** A generator of pseudo-random numbers with a seed (mulberry32): the same numbers in every run. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

describe('by simulation of an agent that passes 60 % of its runs and does not change', () => {
  const SWEEPS = 100;
  const random = numbers(20_261_122);
  const draw = (runs: number): string => Array.from({ length: runs }, () => (random() < 0.6 ? 'p' : 'f')).join('');
  const falseAlarms = (base: () => ReturnType<typeof sweepOf>, head = () => draw(15)): number => {
    let worse = 0;
    for (let at = 0; at < SWEEPS; at++)
      if (compareSweeps(base(), sweepOf('b', { x: head() }), new Map()).gate.result === 'worse') worse += 1;
    return worse / SWEEPS;
  };

  test('a base with failures that ran again (retry --failed) gives no more alarms than chance', () => {
    const base = () => {
      const first = sweepOf('a', { x: draw(15) });
      const again = first.lines
        .filter(({ outcome }) => outcome === 'fail')
        .map((line) => ({
          ...line,
          id: `${line.id}-again`,
          outcome: random() < 0.6 ? ('pass' as const) : ('fail' as const),
        }));
      return { ...first, lines: [...first.lines, ...again] };
    };
    expect(falseAlarms(base)).toBeLessThan(0.05);
  });

  test('a judge that fails for half of the passing runs of head gives no more alarms than chance', () => {
    const judged = () => draw(20).replaceAll('p', () => (random() < 0.5 ? 'e' : 'p'));
    expect(falseAlarms(() => sweepOf('a', { x: draw(20) }), judged)).toBeLessThan(0.05);
  });

  test('a build that breaks half of its failing runs never passes as not worse', () => {
    // Head passes 30 % and has errors instead of failures: all remaining runs have passed.
    for (let at = 0; at < 20; at++) {
      const head = Array.from({ length: 30 }, () => (random() < 0.3 ? 'p' : 'e')).join('');
      expect(gate({ x: 'p'.repeat(28) + 'ff' }, { x: head })).toBe('not tested');
    }
  });
});
