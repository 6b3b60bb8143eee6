import { compareSweeps } from '../../src/decide/comparison/compare-sweeps.ts';
import { withOrigins } from '../../src/decide/comparison/looks.ts';
import { share } from './fixed.js';
import { sweepOf } from './sweeps.js';

/** @typedef {import('./criterion.js').Criterion} Criterion */
/** @typedef {import('./draw.js').Random} Random */
/** @typedef {import('./sweeps.js').Run} Run */
/** @typedef {import('../../src/model/records/result-line.ts').ResultLine} ResultLine */
/**
 * @typedef {{ configurations: number, base: number, head: number, runs: readonly [base: number, head: number] }}
 * Question
 */

const MAX_LOOKS = 4;

/**
 * A question as users ask it: compare, buy the runs that the hint names, compare, and so on, until a difference is
 * shown. Each sweep reuses the results of that before it, and goes through its text in results.jsonl. `between`: also
 * compare when only base has its new runs. `anew`: instead, run head again without the results before, as `--no-cache`
 * does.
 * @param {Random} random @param {Question} question
 * @param {{ looks?: number, between?: boolean, anew?: boolean }} [options]
 * @returns {'better' | 'worse' | null} what is found
 */
function ask(random, { configurations, ...question }, { looks = MAX_LOOKS, between = false, anew = false } = {}) {
  /** @type {ResultLine[]} */
  const results = [];
  let sweeps = 0;
  /** @param {'base' | 'head'} side @param {readonly Run[]} before @param {number} more */
  const buy = (side, before, more) => {
    const started = new Date(Date.UTC(2026, 0, 1) + 1000 * sweeps).toISOString();
    const name = `${side}${sweeps++}`;
    const fresh = Array.from({ length: configurations }, (_, at) => `s${at}`).flatMap((scenario) =>
      Array.from({ length: more }, () => ({ scenario, passes: random.chance(question[side]) })),
    );
    const { lines, ...sweep } = sweepOf(name, [...before, ...fresh], started);
    for (const line of lines) line.cache_key = `${side} ${line.cell}`;
    const keys = new Set(lines.map((line) => line.cache_key));
    const others = results.filter((line) => keys.has(line.cache_key) && line.cached_from === null);
    results.push(...lines);
    const from = lines.map(({ id, cached_from }) => cached_from ?? id);
    const runs = [...before, ...fresh].map((run, at) => ({ ...run, from: from[at] ?? '' }));
    return { runs, sweep: { ...sweep, others, lines: withOrigins(lines, results) } };
  };
  let base = buy('base', [], question.runs[0]);
  let head = buy('head', [], question.runs[1]);
  for (let look = 1; ; look++) {
    const { verdict, total } = compareSweeps(base.sweep, head.sweep, new Map());
    if (verdict === 'better' || verdict === 'worse') return verdict;
    const more = total.needed?.runs ?? 0;
    if (look === looks || more === 0) return null;
    if (anew) {
      head = buy('head', [], question.runs[1]);
      continue;
    }
    base = buy('base', base.runs, more);
    if (between) {
      const { verdict: early } = compareSweeps(base.sweep, head.sweep, new Map());
      if (early === 'better' || early === 'worse') return early;
    }
    head = buy('head', head.runs, more);
  }
}

const QUESTIONS = [1, 3, 8].flatMap((configurations) =>
  [0.5, 0.8].flatMap((rate) =>
    /** @type {const} */ ([
      [5, 5],
      [3, 10],
    ]).map((runs) => ({
      label: `${100 * rate} %, K=${configurations}, ${runs.join('v')}`,
      question: { configurations, base: rate, head: rate, runs },
    })),
  ),
);

/** @param {string} how @param {Parameters<typeof ask>[2]} options @returns {Criterion['cells']} */
const alarms = (how, options) =>
  QUESTIONS.map(({ label, question }) => ({
    label: `${label}${how}`,
    once: (random) => share(ask(random, question, options) !== null),
  }));

/** @type {Criterion[]} */
export const looks = [
  {
    what: 'compare, buy the hinted runs, compare, up to 3 times: false "better" or "worse"',
    bar: { atMost: 0.055 },
    of: 'worst',
    isSlow: true,
    cells: [...alarms('', {}), ...alarms(', also between', { between: true })],
  },
  {
    what: 'compare, run head again with --no-cache, compare, up to 3 times: false "better" or "worse"',
    bar: { atMost: 0.055 },
    of: 'worst',
    isSlow: true,
    cells: alarms('', { anew: true }),
  },
  {
    what: 'compare, buy the hinted runs, compare, -20 points: power',
    bar: { atLeast: 0.8 },
    of: 'worst',
    cells: [
      {
        label: '70 to 50 %, K=1, 5v5',
        once: (random) =>
          share(ask(random, { configurations: 1, base: 0.7, head: 0.5, runs: [5, 5] }, { looks: 2 }) === 'worse'),
      },
    ],
  },
];
