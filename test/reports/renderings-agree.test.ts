import { expect, test } from 'vitest';
import { createRandom } from '../../scripts/fuzz/random.js';
import { cellsOf } from '../../scripts/simulate/sequential.js';
import { compareSweeps } from '../../src/decide/comparison/compare-sweeps.js';
import type { Comparison } from '../../src/decide/comparison/document.js';
import { decide } from '../../src/decide/decision/decide.js';
import { MAX_TRIES, type CellResult } from '../../src/decide/decision/paired-cells.js';
import type { Decision } from '../../src/decide/decision/decision.js';
import { exitCodeOf } from '../../src/decide/exit-code.js';
import { sureVerdict } from '../../src/reports/comparison/answer.js';
import { comparisonMarkdown, renderComparison } from '../../src/reports/comparison/comparison.js';
import { github } from '../../src/reports/formats/github.js';
import { junit } from '../../src/reports/formats/junit.js';
import { md } from '../../src/reports/formats/md.js';
import { renderSweep } from '../../src/reports/sweep/sweep-text.js';
import { notesOf } from '../../src/viewer/server/notes.js';
import { shownVerdict } from '../../src/viewer/shared/shown-verdict.js';
import { sweepOf } from '../decide/comparison/sample.js';
import { reportOf } from './formats/sample.js';

const SEED = Number(process.env['PROPERTY_SEED'] ?? 1);
const COMPARISONS = 150;
const SWEEPS = 60;
type Random = ReturnType<typeof createRandom>;

const view = { now: 0, command: (words: string) => words };
const plain = { color: false, width: 400, ...view };

/** Outcomes of a side of some scenarios: some pass often, some rarely, some end with errors. */
function outcomesOf(random: Random, scenarios: number): Record<string, string> {
  return Object.fromEntries(
    Array.from({ length: scenarios }, (_, at) => {
      const letters = random.pick(['p', 'f', 'pf', 'pppf', 'fffp', 'ppe', 'fffe', 'pfe', 'pP', 'fF', 'e', 'pfc']);
      return [
        `s${at}`,
        Array.from({ length: 1 + random.below(14) }, () => letters[random.below(letters.length)] ?? 'p').join(''),
      ];
    }),
  );
}

const measureOf = (random: Random): { measure?: 'reward' } => (random.chance(0.3) ? { measure: 'reward' } : {});

/** A decision of the newer sweep against the older one, for some comparisons. */
function decisionOf(random: Random): { decision?: Decision } {
  if (random.chance(0.6)) return {};
  const difference = random.pick([-0.5, -0.1, 0, 0.4]);
  const isShown = Math.abs(difference) > 0.3;
  const verdict = isShown ? (difference > 0 ? 'better' : 'worse') : random.pick(['undecided', 'not worse'] as const);
  return {
    decision: {
      base: { variant: null, sweep: 'a' },
      head_variant: null,
      verdict: random.chance(0.2) ? 'not tested' : verdict,
      stopped: random.pick(['clear', 'most runs', 'errors'] as const),
      ...measureOf(random),
      margin: random.pick([0.2, 0.4]),
      alpha: 0.05,
      difference,
      interval: { low: difference - 0.25, high: difference + 0.25 },
      spent_alpha: 0.05,
      p: isShown ? 0.01 : 0.4,
      rounds: 5,
      runs: 10,
      runs_again: 0,
      most_runs: 20,
      pairs_left_out: 0,
      configurations: [],
      doubts: [],
    },
  };
}

/** The verdict with which the first line begins. */
const headlineOf = (text: string): string =>
  /(perhaps )?(worse|better|no difference|too few|nothing)/.exec(text)?.[0] ?? '';

function expectAgreement(comparison: Comparison): void {
  const text = renderComparison(comparison, plain);
  const markdown = comparisonMarkdown(comparison, view);
  const [first = ''] = text.split('\n');
  const headline = headlineOf(first);
  expect(headlineOf(markdown)).toBe(headline);
  const sure = sureVerdict(comparison);
  expect(sure?.verdict ?? null).toBe(headline === 'worse' || headline === 'better' ? headline : null);
  const { gate, margin, total } = comparison;
  const isWithin = total.not_worse?.holds === true;
  // Without a margin, and where the loss is not within it, the first line and the exit code say the same.
  expect(gate.result === 'worse', first).toBe(headline === 'worse' && !(isWithin && sure?.part === null));
  if (gate.result === 'not worse' && margin === null) expect(['better', 'nothing']).toContain(headline);
  expect(exitCodeOf(gate.result) === 1).toBe(gate.result === 'worse');
  expect(/^ {2}(not worse by|equivalent)/m.test(text)).toBe(isWithin || total.equivalent === true);
  if (margin !== null && gate.result === 'not worse' && headline !== 'nothing') expect(isWithin).toBe(true);
  for (const one of comparison.configurations) {
    const cell = shownVerdict(one);
    const row = text.split('\n').find((line) => line.trimStart().startsWith(`${one.scenario} `)) ?? '';
    if (one.verdict !== 'better' && one.verdict !== 'worse') expect(cell.sure).toBeNull();
    else {
      expect(cell).toEqual(
        one.robust === false
          ? { text: `perhaps ${one.verdict}`, sure: null }
          : { text: one.verdict, sure: one.verdict },
      );
      expect(row.trimEnd().endsWith(one.robust === false ? `${one.verdict}?` : one.verdict), row).toBe(true);
    }
  }
}

test('text, Markdown, JSON, viewer and gate say the same of a comparison', () => {
  for (let at = 0; at < COMPARISONS; at++) {
    const random = createRandom(100_000 * SEED + at);
    const scenarios = 1 + random.below(4);
    const [base, head] = [
      sweepOf('a', outcomesOf(random, scenarios)),
      sweepOf('b', outcomesOf(random, scenarios), undefined, decisionOf(random)),
    ];
    expectAgreement(compareSweeps(base, head, new Map(), { alpha: 0.05, margin: random.pick([null, null, 0.1, 0.3]) }));
  }
});

const WORDS = {
  better: /is better than/,
  worse: /is worse than/,
  'not worse': /is not worse than/,
  equivalent: /differ by less than/,
  undecided: /undecided whether|not clear yet whether/,
  'not tested': /could not be tested/,
} as const satisfies Record<Decision['verdict'], RegExp>;

const JUNIT = {
  better: '',
  'not worse': '',
  equivalent: '',
  worse: '<failure type="worse"',
  'not tested': '<error type="not tested"',
  undecided: '<skipped',
} as const satisfies Record<Decision['verdict'], string>;

const PASS = { outcome: 'pass', reward: 1 } as const;
const FAIL = { outcome: 'fail', reward: 0.1 } as const;

function decided(random: Random): Decision {
  const most = random.pick([6, 10]);
  const scenarios = 1 + random.below(3);
  const rates = { base: random.pick([0.1, 0.5, 0.9]), head: random.pick([0.1, 0.5, 0.9]) };
  const errors = random.pick([0, 0.1, 0.9]);
  const cells = cellsOf(scenarios, most);
  const results = new Map(
    cells.map(({ id, variant }): [string, CellResult] => [
      id,
      random.chance(errors)
        ? { outcome: 'error', cost_usd: null, errors: MAX_TRIES }
        : { ...(random.chance(variant === 'base' ? rates.base : rates.head) ? PASS : FAIL), cost_usd: null, errors: 0 },
    ]),
  );
  const plan = {
    base: { kind: 'variant' as const, variant: 'base' },
    ...measureOf(random),
    margin: random.pick([null, 0.4]),
    alpha: 0.05,
    most_runs: most,
    round_size: scenarios,
  };
  return decide(cells, plan, results, 'completed').decision;
}

test('text, Markdown, GitHub, JUnit, viewer and exit code say the same of a sweep until its verdict is clear', () => {
  const verdicts = new Set<string>();
  for (let at = 0; at < SWEEPS; at++) {
    const decision = decided(createRandom(100_000 * SEED + at));
    const { verdict } = decision;
    verdicts.add(verdict);
    const report = reportOf([], { decision, status: 'completed' });
    const { document } = report;
    const texts = [
      renderSweep(document, { ...plain, height: 100 }),
      md.render(report),
      github.render(report),
      notesOf(document).join('\n'),
    ];
    const unit = decision.measure === 'reward' ? 'pass rate' : 'mean reward';
    for (const text of texts) expect(text).not.toContain(unit);
    for (const text of texts)
      for (const [other, words] of Object.entries(WORDS))
        expect(words.test(text), `${text} ${other}`).toBe(other === verdict);
    const xml = junit.render(report);
    for (const mark of ['<failure type="worse"', '<error type="not tested"', '<skipped'])
      expect(xml.includes(mark)).toBe(JUNIT[verdict] === mark);
    const code = exitCodeOf({ status: document.status, totals: document.totals, decision });
    expect(code).toBe(verdict === 'worse' ? 1 : verdict === 'not tested' ? 3 : verdict === 'undecided' ? 4 : 0);
  }
  expect(verdicts.size).toBeGreaterThan(3);
});
