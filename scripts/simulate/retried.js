import { compareSweeps } from '../../src/decide/comparison/compare-sweeps.ts';
import { armsOf } from '../../src/decide/comparison/arms.ts';
import { exitCodeOf } from '../../src/decide/exit-code.ts';
import { replayRounds } from '../../src/decide/decision/replay-rounds.ts';
import { createFacts, sameResult } from '../../src/store/result-facts.ts';
import { parseResult } from '../../src/store/results-log.ts';
import { untilClearWithErrors } from './errors.js';
import { share } from './fixed.js';

/** @typedef {import('./criterion.js').Criterion} Criterion */
/** @typedef {import('./draw.js').Random} Random */
/** @typedef {import('../../src/model/records/cell.ts').Cell} Cell */
/** @typedef {import('../../src/model/records/result-line.ts').ResultLine} ResultLine */
/**
 * The probability of an error, by how the run would have ended otherwise.
 * @typedef {{ pass: number, fail: number }} Errors
 */
/** @typedef {{ rate: number, errors: Errors }} Truth */
/**
 * The remedy for errors: cells are run again, or the sweep is, reusing what it has; or none.
 * @typedef {'retry' | 'run' | null} Again
 */

const CONFIGURATIONS = 5;
const RUNS = 10;
const NEVER = { pass: 0, fail: 0 };

/** @type {Cell[]} */
const CELLS = Array.from({ length: CONFIGURATIONS }, (_, at) => `s${at}`).flatMap((scenario) =>
  Array.from({ length: RUNS }, (_, index) => ({
    id: `${scenario}/a/m/default/${index + 1}`,
    scenario,
    agent: 'a',
    model: 'm',
    variant: 'default',
    repetition: index + 1,
  })),
);

/** @param {string} cell */
const keyOf = (cell) => `key of ${cell}`;

/** The line of a passed run as it lies in results.jsonl, by cell: to read each anew would take most of the time. */
const LINES = new Map(
  CELLS.map(({ id, scenario, agent, model, variant, repetition }) => {
    const line = parseResult(
      JSON.stringify({
        schema_version: 1,
        id: '',
        sweep: '',
        cell: id,
        scenario_id: scenario,
        scenario_hash: '',
        agent,
        model,
        variant,
        repetition,
        timestamp: '2026-01-01T00:00:00.000Z',
        duration_secs: 1,
        cost_usd: 0,
        completed: true,
        gates_passed: 1,
        gates_total: 1,
        judge_score: null,
        message: '',
        outcome: 'pass',
        metrics: null,
        results_dir: '-',
        cache_key: keyOf(id),
        attempts: 1,
        starts: 1,
        cached_from: null,
        regressions: [],
      }),
    );
    if (typeof line === 'string') throw new Error(line);
    return [id, line];
  }),
);

/** @param {Cell} cell @param {Partial<ResultLine>} more @returns {ResultLine} */
function lineOf({ id }, more) {
  const line = LINES.get(id);
  if (line === undefined) throw new Error(id);
  return { ...line, ...more };
}

/**
 * The lines of a sweep. With a remedy, none of its cells is left with an error.
 * @param {Random} random @param {string} name @param {Truth} truth @param {Again} again
 */
function finished(random, name, { rate, errors }, again) {
  const facts = createFacts('');
  /** @type {ResultLine[]} */
  let lines = [];
  /** @param {Cell} cell @param {Partial<ResultLine>} more */
  const write = (cell, more) => {
    const line = lineOf(cell, more);
    if (again === 'run') facts.add(line, { begin: 0, gatesPassed: [] });
    lines.push(line);
    return line.outcome;
  };
  let written = 0;
  /** @param {Cell} cell @param {string} sweep */
  const run = (cell, sweep) => {
    const inputs = [sameResult(keyOf(cell.id))];
    const hidden = facts.hiddenBy({ sweep, cell: cell.id, inputs, work: null });
    const before = hidden === 0 ? {} : { errors_before: hidden };
    const reused = facts.reusable(keyOf(cell.id));
    if (reused !== null)
      return write(cell, {
        id: `${sweep}/${cell.id}`,
        sweep,
        outcome: reused.outcome,
        cached_from: reused.id,
        ...before,
      });
    const outcome = random.chance(rate) ? 'pass' : 'fail';
    const ended = random.chance(errors[outcome]) ? 'error' : outcome;
    return write(cell, { id: `${name}-${written++}`, sweep, outcome: ended, ...before });
  };
  for (let round = 0; ; round++) {
    const sweep = again === 'run' ? `${name}${round}` : name;
    if (again === 'run') lines = [];
    const known = new Map(lines.map((line) => [line.cell, line.outcome]));
    const due = CELLS.filter(({ id }) => (known.get(id) ?? 'error') === 'error');
    const outcomes = due.map((cell) => run(cell, sweep));
    if (again === null || !outcomes.includes('error')) return { sweep, lines };
  }
}

/** @param {{ sweep: string, lines: ResultLine[] }} sweep */
const asRead = ({ sweep, lines }) => ({
  sweep,
  variant: null,
  started: '2026-01-01T00:00:00.000Z',
  status: /** @type {const} */ ('completed'),
  cells: CELLS,
  combinations: [],
  lines,
  scenarios: new Map(),
  agents: {},
  prices: {},
  runInputs: new Map(),
});

/** @param {Random} random @param {{ base: Truth, head: Truth }} truth @param {Again} again */
const comparison = (random, { base, head }, again) =>
  compareSweeps(
    asRead(finished(random, 'base', base, again)),
    asRead(finished(random, 'head', head, again)),
    new Map(),
  );

/** @param {Random} random @param {{ base: Truth, head: Truth }} truth */
function untilClearVersus(random, { base, head }) {
  const { sweep, lines } = finished(random, 'base', base, 'retry');
  const arms = [...armsOf(asRead({ sweep, lines }), () => false, { alpha: 0.05 }).values()];
  const outcomes = arms.map(({ configuration, runs }) => ({ ...configuration, runs }));
  const ended = new Map(
    finished(random, 'head', head, 'retry').lines.map(({ cell, outcome }) => [
      cell,
      { outcome, cost_usd: null, errors: 0 },
    ]),
  );
  return replayRounds(
    CELLS,
    {
      base: { kind: 'sweep', sweep, outcomes },
      margin: null,
      alpha: 0.05,
      most_runs: RUNS,
      round_size: CONFIGURATIONS,
    },
    ended,
  );
}

/**
 * Errors that hide passes, or failures, in a share of all runs at a pass rate of 50 %.
 * @param {number} of
 * @param {'pass' | 'fail'} what
 * @returns {Errors}
 */
const hiding = (of, what) => ({ ...NEVER, [what]: 2 * of });

/** @param {number} of @returns {Record<string, { base: Errors, head: Errors }>} */
const waysOf = (of) => ({
  [`${of * 100} % of base, which hide passes`]: { base: hiding(of, 'pass'), head: NEVER },
  [`${of * 100} % of head, which hide passes`]: { base: NEVER, head: hiding(of, 'pass') },
  [`${of * 100} % of head, which hide failures`]: { base: NEVER, head: hiding(of, 'fail') },
  [`${of * 100} % of both, which hide failures and passes`]: {
    base: hiding(of, 'fail'),
    head: hiding(of, 'pass'),
  },
});
const WAYS = { ...waysOf(0.2), ...waysOf(0.45) };

/**
 * @param {(random: Random, truth: { base: Truth, head: Truth }) => boolean} isFalse
 * @param {string} [how]
 * @returns {Criterion['cells']}
 */
const unchanged = (isFalse, how) =>
  Object.entries(WAYS).map(([label, { base, head }]) => ({
    label: `errors in ${label}${how === undefined ? '' : `, ${how}`}`,
    once: (random) => share(isFalse(random, { base: { rate: 0.5, errors: base }, head: { rate: 0.5, errors: head } })),
  }));

const AGAIN = /** @type {const} */ (['retry', 'run']);

/** @param {Random} random @param {{ base: Truth, head: Truth }} truth @param {Again} again */
function isShownByCompare(random, truth, again) {
  const { total, gate } = comparison(random, truth, again);
  return total.robust === true || gate.result === 'worse';
}

/** @param {Random} random @param {{ base: Truth, head: Truth }} truth */
function isShownUntilClear(random, { base, head }) {
  const rates = { base: base.rate, head: head.rate };
  const { verdict } = untilClearWithErrors(random, rates, { base: base.errors, head: head.errors });
  return verdict === 'better' || verdict === 'worse';
}

/** @type {Record<string, (random: Random, truth: { base: Truth, head: Truth }) => boolean>} */
const WAYS_TO_ASK = {
  compare: (random, truth) => isShownByCompare(random, truth, null),
  'compare, retry': (random, truth) => isShownByCompare(random, truth, 'retry'),
  '--until-clear': isShownUntilClear,
};

/** @type {Criterion[]} */
export const retried = [
  {
    what: 'errors run again, or reused: false "better" or "worse"',
    bar: { atMost: 0.05 },
    of: 'worst',
    cells: AGAIN.flatMap((again) => unchanged((random, truth) => isShownByCompare(random, truth, again), again)),
  },
  {
    what: 'as many errors on both sides, with opposite causes: false "better" or "worse"',
    bar: { atMost: 0.05 },
    of: 'worst',
    isSlow: true,
    cells: [0.2, 0.35, 0.5].flatMap((of) =>
      Object.entries(WAYS_TO_ASK).map(([label, isShown]) => ({
        label: `${of * 100} % of both, ${label}`,
        once: (/** @type {Random} */ random) =>
          share(
            isShown(random, {
              base: { rate: 0.5, errors: hiding(of, 'fail') },
              head: { rate: 0.5, errors: hiding(of, 'pass') },
            }),
          ),
      })),
    ),
  },
  {
    what: '`--until-clear --base` a sweep with errors: false "better" or "worse"',
    bar: { atMost: 0.05 },
    of: 'worst',
    cells: unchanged((random, { base }) => {
      const { verdict } = untilClearVersus(random, { base, head: { rate: 0.5, errors: NEVER } });
      return verdict === 'better' || verdict === 'worse';
    }),
  },
  {
    what: 'a fall of 25 points, all of it errors that are run again: the gate passes',
    // As often as without errors.
    bar: { atMost: 0.24, isReached: true },
    of: 'worst',
    cells: AGAIN.map((again) => ({
      label: `75 to 50 %, K=${CONFIGURATIONS}, n=${RUNS}, 90 % of failures, ${again}`,
      once: (random) => {
        const errors = { pass: 0, fail: 0.9 };
        const truth = { base: { rate: 0.75, errors: NEVER }, head: { rate: 0.5, errors } };
        return share(exitCodeOf(comparison(random, truth, again).gate.result) === 0);
      },
    })),
  },
  {
    what: 'a tenth of runs are errors that are run again, 80 to 40 %: power',
    bar: { atLeast: 0.71, isReached: true },
    of: 'worst',
    cells: [
      {
        label: `K=${CONFIGURATIONS}, n=${RUNS}`,
        once: (random) => {
          const errors = { pass: 0.1, fail: 0.1 };
          const truth = { base: { rate: 0.8, errors }, head: { rate: 0.4, errors } };
          const { verdict, total } = comparison(random, truth, 'retry');
          return share(verdict === 'worse' && total.robust === true);
        },
      },
    ],
  },
];
