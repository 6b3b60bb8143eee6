import { describe, expect, test } from 'vitest';
import { compareSweeps, type SweepToCompare } from '../../../src/decide/comparison/compare-sweeps.js';
import type { Comparison } from '../../../src/decide/comparison/document.js';
import type { JudgedFacts } from '../../../src/decide/comparison/judge-drift.js';
import { decisionWithJudgeDrift, withJudgeDrift } from '../../../src/decide/comparison/with-judge-drift.js';
import { decide } from '../../../src/decide/decision/decide.js';
import { decisionText, progressText } from '../../../src/decide/decision/decision-text.js';
import { endedCells } from '../../../src/decide/decision/paired-cells.js';
import { exitCodeOf } from '../../../src/decide/exit-code.js';
import type { ResultLine } from '../../../src/model/records/result-line.js';
import { renderComparison } from '../../../src/reports/comparison/comparison.js';
import { gate, judgment, metrics } from '../../model/sample.js';
import { sweepOf } from './sample.js';

/** A run that a model judged, whose files are as they should be. */
const judgedBy = (version: string, change: Partial<ResultLine> = {}) => ({
  metrics: metrics({ judge: judgment({ model_used: version, cost_usd: 0.01 }), details: [gate()] }),
  scenario_hash: 'asked',
  ...change,
});

/** The runs of base judged again, with these outcomes from the first on: p pass, f fail, `-` not judged again. */
function again(base: SweepToCompare, outcomes: string, change: Partial<ResultLine> = {}): ResultLine[] {
  return Array.from(outcomes).flatMap((letter, at) => {
    const line = base.lines[at];
    if (letter === '-' || line === undefined) return [];
    return {
      ...line,
      id: `again-${at}`,
      sweep: 'again',
      timestamp: '2026-02-01T00:00:00.000Z',
      outcome: letter === 'p' ? 'pass' : 'fail',
      regraded_from: { run: line.id, outcome: line.outcome, paid_usd: 0.01 },
      ...judgedBy('v1'),
      ...change,
    };
  });
}

const facts: JudgedFacts = { question: ({ scenario_hash: hash }) => hash, cost: () => 0.01 };

interface Drifted {
  before: string;
  now: string;
  /** The runs of base, judged again. */
  again?: string;
  version?: string;
  margin?: number | null;
  change?: Partial<ResultLine>;
  head?: Partial<ResultLine>;
}

function compare({ before, now, version = 'v1', margin = null, ...more }: Drifted): Comparison {
  const base = sweepOf('a', { x: before }, () => judgedBy('v1'));
  const started = '2026-02-01T00:00:00.000Z';
  const head = sweepOf('b', { x: now }, () => judgedBy(version, more.head), { started });
  const regraded = again(base, more.again ?? '', more.change);
  const compared = compareSweeps(base, head, new Map(), { alpha: 0.05, margin });
  return withJudgeDrift(compared, { base, head }, [...base.lines, ...head.lines, ...regraded], facts);
}

const told = (comparison: Comparison): string =>
  renderComparison(comparison, {
    color: false,
    width: 300,
    now: Date.parse('2026-02-02'),
    command: (words) => words,
  });

const P = (count: number): string => 'p'.repeat(count);
const F = (count: number): string => 'f'.repeat(count);
/** 27 of 30 before. */
const BASE = `${P(27)}${F(3)}`;
const FALL = `${P(12)}${F(18)}`;

describe('a verdict that rests on a judge', () => {
  test('stands and says that nobody has checked the judge, and at which price it can be', () => {
    const comparison = compare({ before: BASE, now: FALL });
    expect(comparison).toMatchObject({
      verdict: 'worse',
      gate: { result: 'worse' },
      total: { robust: true },
      judge_drift: { state: 'not checked', differs: [], judged: 30, again: 0, explains: false },
    });
    expect(told(comparison)).toContain(
      '  judge: not checked: none of the 30 runs of base that it judged was judged again\n',
    );
    expect(told(comparison)).toContain('regrade a --sample 30 judges 30 runs of base again for about $0.30');
  });

  test('is "perhaps" if the records say that the judge is another one, until the change is shown to remain', () => {
    const unchecked = compare({ before: BASE, now: FALL, version: 'v2' });
    expect(unchecked).toMatchObject({
      verdict: 'worse',
      gate: { result: 'not tested' },
      total: { robust: false },
      configurations: [{ robust: false }],
      judge_drift: { differs: ['another version answered: v1 → v2'], explains: true },
    });
    expect(told(unchecked)).toMatch(
      /^\? perhaps worse: [^]*\n {2}judge: not the same, and not checked; another version answered: v1 → v2; it could be the reason\n/,
    );
    expect(told(unchecked)).not.toContain('cells without a result');
    // The new version gives the same verdicts, so it is not what made head worse.
    const checked = compare({ before: BASE, now: FALL, version: 'v2', again: BASE, change: judgedBy('v2') });
    expect(checked).toMatchObject({ gate: { result: 'worse' }, total: { robust: true } });
    expect(checked.judge_drift).toMatchObject({ state: 'same', again: 30, to_fail: 0, explains: false });
  });

  test('is taken back if the judge has become stricter by as much', () => {
    const comparison = compare({ before: BASE, now: FALL, again: FALL });
    expect(comparison.judge_drift).toMatchObject({
      state: 'moved',
      again: 30,
      to_fail: 15,
      to_pass: 0,
      moved: -0.5,
      explains: true,
      sweeps: ['again'],
      without: { difference: 0 },
    });
    expect(comparison.gate).toEqual({
      result: 'not tested',
      reasons: [
        expect.stringMatching(
          /^judge: moved by -50 points between the sweeps: 30 of 30 runs of base judged again, 15 with the same outcome, 15 now fail, 0 now pass/,
        ),
      ],
    });
    expect(told(comparison)).toMatch(/^\? perhaps worse/);
    expect(told(comparison)).toMatch(/by the judge of head alone, the pass rate changed by 0 points/);
    expect(told(comparison)).toMatch(/regrade a judges all of base again; then compare the new sweep with b/);
  });

  test('stands if only a part of the fall is that of the judge', () => {
    const moved = `${P(21)}${F(9)}`;
    const comparison = compare({ before: BASE, now: F(30), again: moved });
    expect(comparison).toMatchObject({ gate: { result: 'worse' }, total: { robust: true } });
    expect(comparison.judge_drift).toMatchObject({ state: 'moved', to_fail: 6, explains: false });
  });

  test('stands against a noisy judge, which changes as many verdicts one way as the other', () => {
    const noisy = `${F(3)}${P(24)}${P(3)}`;
    const comparison = compare({ before: BASE, now: FALL, again: noisy });
    expect(comparison.judge_drift).toMatchObject({ state: 'same', to_fail: 3, to_pass: 3, moved: 0, p: 1 });
    expect(comparison).toMatchObject({ gate: { result: 'worse' }, total: { robust: true } });
  });

  test('is no surer without a check than with one that finds nothing, and less sure with one that finds some movement', () => {
    const close = `${P(19)}${F(11)}`; // 27 of 30 against 19 of 30
    expect(compare({ before: BASE, now: close }).total.robust).toBe(true);
    expect(compare({ before: BASE, now: close, again: 'ppppp' }).total.robust).toBe(true);
    const some = compare({ before: BASE, now: close, again: 'pppff' });
    expect(some).toMatchObject({ total: { robust: false }, judge_drift: { state: 'same', explains: true } });
  });

  test('does not pass the gate because the judge has become milder', () => {
    const better = compare({ before: FALL, now: BASE, again: BASE });
    expect(better).toMatchObject({
      verdict: 'better',
      gate: { result: 'not tested' },
      total: { robust: false },
    });
    const hidden = compare({ before: `${P(10)}${F(20)}`, now: `${P(10)}${F(20)}`, again: P(30) });
    expect(hidden).toMatchObject({ verdict: 'no difference shown', gate: { result: 'not tested' } });
    const within = { before: `${P(40)}${F(10)}`, now: `${P(42)}${F(8)}`, margin: 0.15 };
    expect(compare(within).gate.result).toBe('not worse');
    expect(compare({ ...within, again: P(50) })).toMatchObject({
      gate: { result: 'not tested' },
      total: { not_worse: { holds: false } },
    });
    expect(compare({ ...within, version: 'v2' })).toMatchObject({
      gate: { result: 'not tested' },
      total: { not_worse: null, equivalent: null },
    });
  });
});

describe('a run judged again', () => {
  test.each([
    ['by another version', judgedBy('v0')],
    ['with another question', { scenario_hash: 'other' }],
    ['by another model', { metrics: metrics({ judge: judgment({ model: 'house/big', model_used: 'v1' }) }) }],
    ['without a result', { outcome: 'error' as const }],
    ['without a model', { metrics: metrics({ judge: null, details: [gate()] }) }],
  ])('%s does not count', (_how, change) => {
    expect(compare({ before: BASE, now: FALL, again: FALL, change }).judge_drift).toMatchObject({
      state: 'not checked',
      again: 0,
      left_out: 0,
    });
  });

  test('is left out if a check that asks no model has another verdict', () => {
    const details = [gate({ status: 'fail' })];
    const change = { metrics: metrics({ judge: judgment({ model_used: 'v1' }), details }) };
    expect(compare({ before: BASE, now: FALL, again: FALL, change }).judge_drift).toMatchObject({
      state: 'not checked',
      again: 0,
      left_out: 30,
    });
  });

  test('counts by a gate that asks a model, too', () => {
    const asked = (passed: boolean): ResultLine['metrics'] =>
      metrics({
        judge: null,
        details: [gate({ gate_type: 'llm_judge', judged_by: 'house/small', status: passed ? 'pass' : 'fail' })],
      });
    const line = (outcomes: string) => (_scenario: string, at: number) => ({
      metrics: asked(outcomes[at - 1] === 'p'),
    });
    const base = sweepOf('a', { x: BASE }, line(BASE));
    const head = sweepOf('b', { x: FALL }, line(FALL));
    const regraded = again(base, FALL).map((one) => ({
      ...one,
      scenario_hash: 'abc',
      metrics: asked(one.outcome === 'pass'),
    }));
    const compared = compareSweeps(base, head, new Map());
    expect(withJudgeDrift(compared, { base, head }, regraded, facts).judge_drift).toMatchObject({
      state: 'moved',
      again: 30,
      to_fail: 15,
    });
  });
});

test('runs that no model judged have no judge that could have moved', () => {
  const [base, head] = [sweepOf('a', { x: BASE }), sweepOf('b', { x: FALL })];
  const compared = compareSweeps(base, head, new Map());
  expect(withJudgeDrift(compared, { base, head }, [], facts)).toBe(compared);
});

test('a judge that no run of head reached, because all failed before, is not another judge', () => {
  const base = sweepOf('a', { x: BASE }, () => judgedBy('v1'));
  const head = sweepOf('b', { x: F(30) }, () => judgedBy('v1', { metrics: metrics({ judge: null }) }));
  const compared = withJudgeDrift(compareSweeps(base, head, new Map()), { base, head }, [], facts);
  expect(compared).toMatchObject({
    gate: { result: 'worse' },
    judge_drift: { differs: [], explains: false },
  });
  const other = { ...head, lines: head.lines.map((line) => ({ ...line, scenario_hash: 'other' })) };
  const changed = withJudgeDrift(compareSweeps(base, other, new Map()), { base, head: other }, [], facts);
  expect(changed).toMatchObject({ gate: { result: 'not tested' }, judge_drift: { explains: true } });
});

test('only the configuration whose judge has moved is in doubt', () => {
  const outcomes = (x: string) => ({ x, y: x });
  const judgedX = (version: string) => (scenario: string) => (scenario === 'x' ? judgedBy(version) : {});
  const base = sweepOf('a', outcomes(P(30)), judgedX('v1'));
  const head = sweepOf('b', outcomes(F(30)), judgedX('v2'));
  const compared = withJudgeDrift(compareSweeps(base, head, new Map()), { base, head }, [], facts);
  expect(compared.configurations.map(({ robust }) => robust)).toEqual([false, true]);
  expect(compared).toMatchObject({ gate: { result: 'worse' }, total: { robust: false } });
});

test('a change of the values of parameters is in doubt as that of all', () => {
  const combinations = [{ name: 'x', variant: 'default', parameters: { size: 'big' } }];
  const base = sweepOf('a', { x: P(30) }, () => judgedBy('v1'), { combinations });
  const head = sweepOf('b', { x: F(30) }, () => judgedBy('v2'), { combinations });
  const compared = compareSweeps(base, head, new Map());
  expect(compared.parameters).toMatchObject([{ verdict: 'worse', robust: true }]);
  const known = withJudgeDrift(compared, { base, head }, [], facts);
  expect(known.parameters).toMatchObject([{ verdict: 'worse', robust: false }]);
});

describe('a sweep that runs until its verdict against an earlier one is clear', () => {
  /** Decides as the sweep does, and compares the two afterwards, when more of base may have been judged again. */
  const decided = ({ before, now, version = 'v1', margin = null, ...more }: Drifted, later = more.again ?? '') => {
    const base = sweepOf('a', { x: before }, () => judgedBy('v1'));
    const head = sweepOf('b', { x: now }, () => judgedBy(version, more.head));
    const runs = Array.from(before, (letter) => ({
      outcome: letter === 'p' ? ('pass' as const) : ('fail' as const),
      after_errors: false,
    }));
    const configuration = { scenario: 'x', agent: 'mock', model: 'default', variant: 'default' };
    const plan = {
      base: { kind: 'sweep' as const, sweep: 'a', outcomes: [{ ...configuration, runs }] },
      ...{ margin, alpha: 0.05, most_runs: before.length, round_size: 1 },
    };
    const found = decide(head.cells, plan, endedCells(head.lines), 'completed');
    const sides = { base, head: { ...head, cells: found.released } };
    const results = (judged: string) => [...base.lines, ...head.lines, ...again(base, judged, more.change)];
    const decision = decisionWithJudgeDrift(found.decision, sides, results(more.again ?? ''), facts);
    const compared = compareSweeps(base, { ...sides.head, decision }, new Map(), { alpha: 0.05, margin });
    return { decision, comparison: withJudgeDrift(compared, sides, results(later), facts) };
  };
  const within = { before: `${P(40)}${F(10)}`, now: `${P(42)}${F(8)}`, margin: 0.3 };

  test.each<[what: string, Drifted, verdict: string, gate: string]>([
    ['nobody has checked the judge', { before: BASE, now: F(30) }, 'worse', 'worse'],
    ['another version answered', { before: BASE, now: F(30), version: 'v2' }, 'not tested', 'not tested'],
    [
      'it was asked something else',
      { before: BASE, now: F(30), head: { scenario_hash: 'other' } },
      'not tested',
      'not tested',
    ],
    ['the judge has become stricter', { before: BASE, now: F(30), again: F(30) }, 'not tested', 'not tested'],
    ['the judge has become milder', { before: F(30), now: BASE, again: BASE }, 'not tested', 'not tested'],
    ['the judge is the same', { before: BASE, now: F(30), again: BASE }, 'worse', 'worse'],
    [
      'another version judges alike',
      { before: BASE, now: F(30), version: 'v2', again: BASE, change: judgedBy('v2') },
      'worse',
      'worse',
    ],
    [
      'another version judges alike, but in too few runs for so early a verdict',
      { before: BASE, now: F(30), version: 'v2', again: `${P(20)}----------`, change: judgedBy('v2') },
      'not tested',
      'not tested',
    ],
    ['nothing is worse by the margin', within, 'equivalent', 'not worse'],
    ['another version says so', { ...within, version: 'v2' }, 'not tested', 'not tested'],
  ])('decides as `compare` does: %s', (_what, drifted, verdict, gate) => {
    const { decision, comparison } = decided(drifted);
    expect(decision.verdict).toBe(verdict);
    expect(comparison.gate.result).toBe(gate);
    expect(exitCodeOf(decision.verdict)).toBe(exitCodeOf(comparison.gate.result));
    expect(decision.judge_drift?.explains).toBe(comparison.judge_drift?.explains);
    expect(comparison.total.robust ?? true).toBe(verdict !== 'not tested' || drifted.margin !== undefined);
  });

  test('says what is not known of the judge, what shows it, and why it stopped', () => {
    const unchecked = decided({ before: BASE, now: F(30) }).decision;
    expect(unchecked.doubts).toContain(
      'judge: not checked: none of the 30 runs of base that it judged was judged again',
    );
    expect(unchecked.doubts).toContain(
      '`regrade a --sample 30` judges 30 runs of base again for about $0.30; then compare again',
    );
    expect(progressText(unchecked)).toContain(': the verdict is clear;');
    const taken = decided({ before: BASE, now: F(30), version: 'v2' }).decision;
    expect(decisionText(taken)).toMatch(
      /^whether this sweep is better or worse than a could not be tested: pass rate -/,
    );
    expect(progressText(taken)).toContain(': the runs are clear, but the judge could be the reason;');
    expect(taken.doubts).toContain(
      'judge: not the same, and not checked; another version answered: v1 → v2; it could be the reason',
    );
    expect(decided({ before: BASE, now: F(30), again: BASE }).decision.doubts).not.toContainEqual(
      expect.stringMatching(/judge|regrade/),
    );
  });

  test('is compared by what is known of the judge by then', () => {
    const { decision, comparison } = decided({ before: BASE, now: F(30), again: 'ff' }, BASE);
    expect(decision.verdict).toBe('not tested');
    expect(comparison).toMatchObject({ verdict: 'worse', gate: { result: 'worse' }, total: { robust: true } });
    const later = decided({ before: BASE, now: F(30) }, F(30));
    expect(later.decision.verdict).toBe('worse');
    expect(later.comparison).toMatchObject({
      verdict: 'worse',
      gate: { result: 'not tested' },
      total: { robust: false },
    });
  });

  test('knows nothing of the judge of results that are gone', () => {
    const head = sweepOf('b', { x: F(30) }, () => judgedBy('v1'));
    const base = { ...head, sweep: 'a', cells: [], lines: [] };
    const { decision } = decided({ before: BASE, now: F(30) });
    const bare = { ...decision, doubts: [] };
    expect(decisionWithJudgeDrift(bare, { base, head }, head.lines, facts)).toMatchObject({
      verdict: 'worse',
      doubts: ['judge: not checked: base keeps no answers that could be judged again'],
    });
  });
});
