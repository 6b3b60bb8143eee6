import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { calibrate, type JudgedRun } from '../../../src/decide/calibration/calibrate.js';
import { judgeNote, judgeWarnings } from '../../../src/decide/calibration/judge-notes.js';

interface Scores {
  judge: number;
  human?: number | null;
  /** A human score of the criterion `tidy`. */
  tidy?: number;
  model?: string;
  scenario?: string;
}

const judged = ({ judge, human = null, tidy, model = 'house/strict', scenario = 'notes' }: Scores): JudgedRun => ({
  scenario,
  judgment: { model, scores: { tidy: judge }, weighted_score: judge, pass_threshold: 0.7 },
  human:
    human === null && tidy === undefined
      ? null
      : {
          score: human,
          points: null,
          max: null,
          notes: null,
          reviewer: null,
          problem: null,
          ...(tidy === undefined ? {} : { criteria: { tidy } }),
        },
});
const FIFTHS = [0, 0.2, 0.4, 0.6, 0.8, 1];
/** So many reviewed runs, with all scores; people's are what `of` makes of the judge's. */
const reviewed = (runs: number, of: (judge: number) => number): JudgedRun[] =>
  Array.from({ length: runs }, (_, at) => {
    const judge = FIFTHS[at % FIFTHS.length] ?? 0;
    return judged({ judge, human: of(judge) });
  });
const verdictOf = (runs: readonly JudgedRun[]): string | undefined => calibrate(runs, [])[0]?.verdict;

describe('calibrate', () => {
  test('says nothing of a sweep without a judge', () => {
    expect(
      calibrate(
        [],
        reviewed(20, (score) => score),
      ),
    ).toEqual([]);
  });

  test('a judge is not calibrated without human scores', () => {
    const [one] = calibrate([judged({ judge: 0.5 }), judged({ judge: 0.9 })], []);
    expect(one).toMatchObject({
      verdict: 'not calibrated',
      judged: 2,
      overall: { reviewed: 0, kappa: null },
    });
    expect(one?.overall.judge_mean).toBeCloseTo(0.7, 12);
    expect(one && judgeNote(one)).toMatch(/^judge house\/strict is not calibrated: no person has scored/);
  });

  test('a judge agrees if people give the same scores, and agrees little if they give the opposite', () => {
    expect(verdictOf(reviewed(24, (score) => score))).toBe('agrees');
    expect(verdictOf(reviewed(24, (score) => 1 - score))).toBe('low agreement');
  });

  test('few scores, or scores that are all the same, show nothing', () => {
    expect(verdictOf(reviewed(9, (score) => score))).toBe('unclear');
    expect(verdictOf(reviewed(24, () => 1))).toBe('unclear');
    const alike = Array.from({ length: 24 }, () => judged({ judge: 1, human: 1 }));
    expect(calibrate(alike, [])[0]).toMatchObject({ verdict: 'unclear', overall: { kappa: null } });
  });

  test('runs of other sweeps count if the same judge scored them, but do not correct the mean', () => {
    const own = Array.from({ length: 6 }, () => judged({ judge: 0.5 }));
    const others = reviewed(24, (score) => score);
    const [one] = calibrate(own, others);
    expect(one).toMatchObject({ verdict: 'agrees', judged: 6, overall: { reviewed: 24, corrected: null } });
    const another = others.map((run) => ({ ...run, judgment: { ...run.judgment, model: 'house/other' } }));
    expect(calibrate(own, another)[0]?.verdict).toBe('not calibrated');
    const criteria = others.map((run) => ({ ...run, judgment: { ...run.judgment, scores: { correct: 1 } } }));
    expect(calibrate(own, criteria)[0]?.verdict).toBe('not calibrated');
  });

  test('counts runs that judge and person would not both pass', () => {
    const runs = [
      judged({ judge: 0.9, human: 0.4 }),
      judged({ judge: 0.7, human: 0.6 }),
      judged({ judge: 0.6, human: 0.8 }),
      judged({ judge: 0.9, human: 0.8 }),
    ];
    const [one] = calibrate(runs, []);
    expect(one).toMatchObject({ passed_alone: 2, failed_alone: 1 });
    expect(one && judgeNote(one)).toContain('it passes 2 that people would fail and fails 1 that people would pass');
  });

  test('a run whose score is the threshold passes, for the person as for the judge', () => {
    const runs = [judged({ judge: 0.6, human: 0.7 }), judged({ judge: 0.7, human: 0.7 })];
    expect(calibrate(runs, [])[0]).toMatchObject({ passed_alone: 0, failed_alone: 1 });
    const other = [judged({ judge: 0.7, human: 0.6 }), judged({ judge: 0.6, human: 0.6 })];
    expect(calibrate(other, [])[0]).toMatchObject({ passed_alone: 1, failed_alone: 0 });
  });

  test('scores of criteria are enough, and are told by criterion', () => {
    const runs = reviewed(24, (score) => score).map((run) => ({
      ...run,
      human: run.human && { ...run.human, score: null, criteria: { tidy: run.human.score ?? 0 } },
    }));
    const [one] = calibrate(runs, []);
    expect(one).toMatchObject({ verdict: 'agrees', overall: { reviewed: 0 } });
    expect(one?.criteria).toMatchObject([{ criterion: 'tidy', reviewed: 24, verdict: 'agrees' }]);
  });

  test('the criterion with the most scores speaks for all if no run as a whole was scored', () => {
    const runs = reviewed(30, (score) => score).map((run, at): JudgedRun => {
      const score = run.judgment.weighted_score;
      const criteria = { ...(at < 24 ? { tidy: score } : {}), correct: score };
      return {
        ...run,
        judgment: { ...run.judgment, scores: { tidy: score, correct: score } },
        human: run.human && { ...run.human, score: null, criteria },
      };
    });
    const [one] = calibrate(runs, []);
    expect(one?.criteria).toMatchObject([
      { criterion: 'tidy', reviewed: 24 },
      { criterion: 'correct', reviewed: 30 },
    ]);
    expect(one && judgeNote(one)).toContain('in 30 runs that a person scored');
  });

  test('corrects the mean of a judge that scores too high', () => {
    const lenient = [
      ...Array.from({ length: 20 }, (_, at) =>
        judged({ judge: 0.8 + 0.01 * (at % 10), human: 0.5 + 0.01 * (at % 10) }),
      ),
      ...Array.from({ length: 80 }, (_, at) => judged({ judge: 0.8 + 0.01 * (at % 10) })),
    ];
    const [one] = calibrate(lenient, []);
    expect(one?.overall.judge_mean).toBeCloseTo(0.845, 10);
    expect(one?.overall.corrected?.mean).toBeCloseTo(0.545, 2);
    expect(one?.overall.corrected?.reviewed).toBe(20);
    expect(one && judgeNote(one)).toContain('it scores 0.30 higher on average');
  });

  test('separates judges', () => {
    const found = calibrate([judged({ judge: 1, model: 'a' }), judged({ judge: 1, model: 'b', scenario: 'x' })], []);
    expect(found.map(({ judge, scenarios }) => [judge, scenarios])).toEqual([
      ['a', ['notes']],
      ['b', ['x']],
    ]);
  });

  test('warns unless agreement is shown, and an interval belongs to it', () => {
    const score = fc.constantFrom(...FIFTHS);
    const run = fc.record({ judge: score, human: fc.option(score) }).map(judged);
    fc.assert(
      fc.property(fc.array(run, { minLength: 1, maxLength: 40 }), (runs) => {
        const found = calibrate(runs, []);
        expect(found).toHaveLength(1);
        for (const { verdict, overall } of found) {
          expect(judgeWarnings({ judges: found, gates: [] })).toHaveLength(verdict === 'agrees' ? 0 : 1);
          if (verdict === 'agrees') expect(overall.interval?.low).toBeGreaterThanOrEqual(0.4);
          if (verdict === 'low agreement') expect(overall.kappa).toBeLessThan(0.4);
          expect(overall.reviewed === 0).toBe(verdict === 'not calibrated');
        }
      }),
    );
  });
});
