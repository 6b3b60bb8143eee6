import { compareSweeps } from '../../src/decide/comparison/compare-sweeps.ts';
import { spentBefore, withOrigins } from '../../src/decide/comparison/looks.ts';
import { decide } from '../../src/decide/decision/decide.ts';
import { share } from './fixed.js';
import { cellsOf } from './sequential.js';
import { sweepOf } from './sweeps.js';

/** @typedef {import('./criterion.js').Criterion} Criterion */
/** @typedef {import('./draw.js').Random} Random */
/** @typedef {import('./sweeps.js').Run} Run */
/** @typedef {import('../../src/model/records/result-line.ts').ResultLine} ResultLine */
/** @typedef {import('../../src/decide/decision/question.ts').Start} Start */
/** @typedef {'base' | 'head'} Side */
/**
 * compare: the sweeps of both sides as they are. buy: the runs that the hint names, 5 without one. anew: 5 runs of each
 * side without the earlier ones. start: `run --until-clear`. reuse: ordinary sweeps with the runs of the last start.
 * @typedef {'compare' | 'buy' | 'anew' | 'start' | 'reuse'} Step
 */

const ALPHA = 0.05;
const FIRST = 5;
const CAP = 20;

/**
 * Asks one question in these steps until a difference is shown; there is none. Everything draws on the same alpha, by
 * the code that commands use.
 * @param {Random} random @param {{ configurations: number, rate: number, effect?: number }} question
 * @param {readonly Step[]} steps
 */
function ask(random, { configurations, rate, effect }, steps) {
  const scenarios = Array.from({ length: configurations }, (_, at) => `s${at}`);
  /** @type {ResultLine[]} */
  const results = [];
  /** @type {Start[]} */
  const starts = [];
  /** @type {Record<Side, Run[]>} */
  let runs = { base: [], head: [] };
  /** @type {Record<Side, Run[]>} */
  let ofStart = { base: [], head: [] };
  let [sweeps, hinted] = [0, FIRST];
  const next = () => {
    const at = new Date(Date.UTC(2026, 0, 1) + 1000 * sweeps).toISOString();
    return { name: `sweep${sweeps++}`, at };
  };
  const inputs = (/** @type {Side} */ side) => ({
    ...{ scenario_hash: side, agent: 'a', model: 'm' },
    ...{ settings: null, target: null },
  });
  /** Runs a sweep of one side. @param {Side} side @param {readonly Run[]} some */
  const sweepWith = (side, some) => {
    const { name, at } = next();
    const sweep = sweepOf(name, some, at);
    for (const line of sweep.lines) Object.assign(line, { scenario_hash: side, cache_key: `${side} ${line.cell}` });
    results.push(...sweep.lines);
    return { sweep, runs: some.map((run, nth) => ({ ...run, from: run.from ?? sweep.lines[nth]?.id ?? '' })) };
  };
  /** The sides as they are compared. @type {Record<Side, ReturnType<typeof sweepOf> | null>} */
  const sides = { base: null, head: null };
  /** @param {Record<Side, Run[]>} before @param {number} more */
  const buy = (before, more) => {
    for (const side of /** @type {const} */ (['base', 'head'])) {
      const fresh = scenarios.flatMap((scenario) =>
        Array.from({ length: more }, () => ({ scenario, passes: random.chance(rate) })),
      );
      const bought = sweepWith(side, [...before[side], ...fresh]);
      [sides[side], runs[side]] = [bought.sweep, bought.runs];
    }
  };
  const compare = () => {
    if (sides.base === null || sides.head === null) buy(runs, FIRST);
    const [base, head] = /** @type {const} */ (['base', 'head']).map((side) => {
      const { lines = [], ...sweep } = sides[side] ?? sweepOf('none', []);
      const keys = new Set(lines.map((line) => line.cache_key));
      const others = results.filter(
        (line) => keys.has(line.cache_key) && line.cached_from === null && line.sweep !== sweep.sweep,
      );
      return { ...sweepOf(sweep.sweep, []), ...sweep, others, starts, lines: withOrigins(lines, results) };
    });
    if (base === undefined || head === undefined) throw new Error('two sides');
    const { verdict, total } = compareSweeps(base, head, new Map());
    hinted = Math.min(40, total.needed?.runs ?? 0) || FIRST;
    return verdict;
  };
  const start = () => {
    const isStart = new Set(starts.map(({ sweep }) => sweep));
    const of = (/** @type {string} */ scenario, /** @type {Side} */ side) =>
      results.filter(
        (line) =>
          line.scenario_id === scenario &&
          line.scenario_hash === side &&
          line.cached_from === null &&
          !isStart.has(line.sweep),
      );
    const before = spentBefore(
      scenarios.map((one) => ({ base: of(one, 'base'), head: of(one, 'head') })),
      starts,
      ALPHA,
    );
    const { name, at } = next();
    const alpha = before.spent === 0 ? ALPHA : before.left;
    const cells = cellsOf(configurations, CAP);
    const outcomes = new Map(
      cells.map(({ id }) => [id, { outcome: random.chance(rate) ? 'pass' : 'fail', cost_usd: null, errors: 0 }]),
    );
    const { decision, released } = decide(
      cells,
      {
        base: { kind: 'variant', variant: 'base' },
        ...{ margin: null, alpha, most_runs: CAP, round_size: configurations },
        ...(effect === undefined ? {} : { effect }),
      },
      /** @type {Map<string, import('../../src/decide/decision/paired-cells.ts').CellResult>} */ (outcomes),
      'completed',
    );
    const pairs = scenarios.map(() => ({ base: inputs('base'), head: inputs('head') }));
    starts.push({ sweep: name, at, alpha, pairs, base: null });
    ofStart = { base: [], head: [] };
    for (const side of /** @type {const} */ (['base', 'head'])) {
      const some = released
        .filter(({ variant }) => variant === side)
        .map(({ id, scenario }) => ({ scenario, passes: outcomes.get(id)?.outcome === 'pass' }));
      const { lines } = sweepOf(`${name}-${side}`, some, at);
      for (const line of lines) Object.assign(line, { sweep: name, scenario_hash: side });
      results.push(...lines);
      ofStart[side] = some.map((run, nth) => ({ ...run, from: lines[nth]?.id ?? '' }));
    }
    return decision.verdict;
  };
  for (const step of steps) {
    if (step === 'buy') buy(runs, hinted);
    if (step === 'anew') buy({ base: [], head: [] }, FIRST);
    if (step === 'reuse') buy(ofStart, FIRST);
    const verdict = step === 'compare' ? compare() : step === 'start' ? start() : null;
    if (verdict === 'better' || verdict === 'worse') return true;
  }
  return false;
}

/** @type {Record<string, readonly Step[]>} */
const WAYS = {
  'compare, buy, compare, start': ['compare', 'buy', 'compare', 'start'],
  'start, compare its runs and more, buy, compare': ['start', 'reuse', 'compare', 'buy', 'compare'],
  'four starts': ['start', 'start', 'start', 'start'],
  'compare, start, buy, compare, start': ['compare', 'start', 'buy', 'compare', 'start'],
  'compare anew twice, start': ['compare', 'anew', 'compare', 'start'],
};

const QUESTIONS = [
  ...[1, 3].flatMap((configurations) =>
    [0.5, 0.9].map((rate) => ({
      label: `${100 * rate} %, K=${configurations}`,
      question: { configurations, rate },
    })),
  ),
  { label: '50 %, K=1, --effect 20', question: { configurations: 1, rate: 0.5, effect: 0.2 } },
];

/** @type {Criterion[]} */
export const starts = Object.entries(WAYS).map(([way, steps]) => ({
  what: `${way}: false "better" or "worse"`,
  bar: { atMost: 0.055 },
  of: 'worst',
  isSlow: true,
  cells: QUESTIONS.map(({ label, question }) => ({
    label,
    once: (random) => share(ask(random, question, steps)),
  })),
}));
