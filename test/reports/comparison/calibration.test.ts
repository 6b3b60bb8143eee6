import { expect, test } from 'vitest';
import { calibrate, type JudgedRun } from '../../../src/decide/calibration/calibrate.js';
import { compareSweeps } from '../../../src/decide/comparison/compare-sweeps.js';
import { printText } from '../../../src/reports/blocks/terminal.js';
import { comparedJudges } from '../../../src/reports/comparison/calibration.js';
import { sweepOf } from '../../decide/comparison/sample.js';

/** A run that a judge and a person scored alike. */
const reviewed = (score: number): JudgedRun => ({
  scenario: 'notes',
  judgment: { model: 'house/strict', scores: { tidy: score }, weighted_score: score, pass_threshold: 0.7 },
  human: { score, points: null, max: null, notes: null, reviewer: null, problem: null },
});

test('names the side of each judge, even if a terminal is too narrow for the other names', () => {
  const calibration = calibrate([0.2, 0.5, 0.9].map(reviewed), []);
  const comparison = compareSweeps(sweepOf('old', { notes: 'p' }), sweepOf('new', { notes: 'p' }), new Map());
  const [, table = []] = comparedJudges({
    ...comparison,
    calibration: { base: calibration, head: calibration },
  });
  const lines = printText([table], { color: false, width: 20 }).trimEnd().split('\n');
  expect(lines.map((line) => line.slice(0, 10))).toEqual(['      …  …', 'base  …  …', 'head  …  …']);
});
