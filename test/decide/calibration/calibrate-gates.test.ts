import { describe, expect, test } from 'vitest';
import { calibrateGates, type DecidedGate } from '../../../src/decide/calibration/calibrate-gates.js';
import { judgeWarnings } from '../../../src/decide/calibration/judge-notes.js';
import type { GateVerdict } from '../../../src/model/records/human-review.js';

const decided = (
  judge: GateVerdict,
  human: GateVerdict | null = null,
  of: { scenario?: string; model?: string; prompt?: string } = {},
): DecidedGate => ({
  scenario: of.scenario ?? 'notes',
  judge: of.model ?? 'house/strict',
  gate: {
    index: 1,
    gate_type: 'llm_judge',
    name: null,
    subject: of.prompt ?? 'The list is complete',
    passed: judge === 'pass',
  },
  human,
});
const times = (count: number, one: DecidedGate): DecidedGate[] => Array.from({ length: count }, () => one);
/** Warnings about the gates. */
const warnings = (own: readonly DecidedGate[], earlier: readonly DecidedGate[] = []): string[] =>
  judgeWarnings({ judges: [], gates: calibrateGates(own, earlier) });

describe('calibrateGates', () => {
  test('gates without a human verdict are not calibrated, and share a warning', () => {
    const own = ['a', 'b', 'c', 'd', 'e'].map((prompt) => decided('pass', null, { prompt }));
    expect(calibrateGates(own.slice(0, 1), [])).toEqual([
      {
        scenario: 'notes',
        number: 2,
        gate: 'llm_judge a',
        judge: 'house/strict',
        judged: 1,
        passed: 1,
        reviewed: 0,
        agreed: 0,
        interval: null,
        kappa: null,
        kappa_interval: null,
        verdict: 'not calibrated',
        passed_alone: 0,
        failed_alone: 0,
        corrected: null,
      },
    ]);
    expect(warnings(own)).toEqual([
      "5 gates not calibrated, decided by house/strict: 'llm_judge a' of notes, 'llm_judge b' of notes, 'llm_judge c' of notes and 2 more. No person has said in which runs they should pass. Write pass or fail into about 20 evaluation.md files before you rely on them",
    ]);
  });

  test('a gate agrees if people give the same verdicts, and agrees little if they do not', () => {
    const same = [...times(10, decided('pass', 'pass')), ...times(10, decided('fail', 'fail'))];
    expect(calibrateGates(same, [])).toMatchObject([{ agreed: 20, reviewed: 20, kappa: 1, verdict: 'agrees' }]);
    expect(warnings(same)).toEqual([]);
    const lenient = [
      ...times(16, decided('pass', 'pass')),
      ...times(7, decided('pass', 'fail')),
      decided('fail', 'pass'),
    ];
    const [found] = calibrateGates(lenient, []);
    expect(found).toMatchObject({
      agreed: 16,
      reviewed: 24,
      verdict: 'low agreement',
      passed_alone: 7,
      failed_alone: 1,
      interval: { low: expect.closeTo(0.467, 3) as number, high: expect.closeTo(0.82, 3) as number },
    });
    expect(warnings(lenient)[0]).toMatch(
      /^gate 'llm_judge The list is complete' of notes, decided by house\/strict, agrees little with people: the same verdict in 16 of 24 runs \(47 to 82 %\), kappa -0\.08 .*; it passes 7 that people would fail and fails 1 that people would pass/,
    );
  });

  test('few verdicts, or verdicts that are all the same, show nothing', () => {
    const few = [...times(5, decided('pass', 'pass')), ...times(4, decided('fail', 'fail'))];
    const alike = times(30, decided('pass', 'pass'));
    for (const own of [few, alike]) {
      expect(calibrateGates(own, [])[0]?.verdict).toBe('unclear');
      expect(warnings(own)[0]).toMatch(/^whether gate .* agrees with people is unclear: the same verdict in /);
    }
  });

  test('corrects the pass rate of a gate that passes too much, by the verdicts of this sweep only', () => {
    const own = [
      ...times(15, decided('pass', 'fail')),
      ...times(15, decided('pass', 'pass')),
      ...times(70, decided('pass')),
    ];
    const [found] = calibrateGates(own, times(50, decided('pass', 'pass')));
    expect(found).toMatchObject({ judged: 100, passed: 100, reviewed: 80, corrected: { reviewed: 30 } });
    expect(found?.corrected?.rate).toBeCloseTo(0.5, 2);
    expect(found?.corrected?.interval.low).toBeGreaterThan(0.2);
    expect(found?.corrected?.interval.high).toBeLessThan(0.8);
  });

  test('only verdicts on the same question by the same model count', () => {
    const labelled = [...times(10, decided('pass', 'pass')), ...times(10, decided('fail', 'fail'))];
    const others = (of: Parameters<typeof decided>[2]): DecidedGate[] =>
      labelled.map(({ gate, human }) => decided(gate.passed ? 'pass' : 'fail', human, of));
    const verdictWith = (earlier: DecidedGate[]) => calibrateGates([decided('pass')], earlier)[0]?.verdict;
    expect(verdictWith(labelled)).toBe('agrees');
    for (const of of [{ model: 'house/other' }, { prompt: 'The list is short' }, { scenario: 'other' }])
      expect(verdictWith(others(of))).toBe('not calibrated');
  });
});
