import { compareSweeps } from '../../src/results/comparison/compare-sweeps.ts';
import { armsOf } from '../../src/results/comparison/samples.ts';
import { replayRounds } from '../../src/results/decision/replay-rounds.ts';
import { createFacts, sameResult } from '../../src/store/result-facts.ts';
import { parseResult } from '../../src/store/results-log.ts';
import { share } from './fixed.js';

/** @typedef {import('./criterion.js').Criterion} Criterion */
/** @typedef {import('./draw.js').Random} Random */
/** @typedef {import('../../src/results/records/cell.ts').Cell} Cell */
/** @typedef {import('../../src/results/records/result-line.ts').ResultLine} ResultLine */
/** The probability of an error, by how the run would have ended otherwise. @typedef {{ pass: number, fail: number }} Errors */
/** @typedef {{ rate: number, errors: Errors }} Truth */
/** What is done about errors: cells are run again, or the sweep is, reusing what it has. @typedef {'retry' | 'run'} Again */

const CONFIGURATIONS = 5;
const RUNS = 10;
const NEVER = { pass: 0, fail: 0 };

/** @type {Cell[]} */
const CELLS = Array.from({ length: CONFIGURATIONS }, (_, at) => `s${at}`).flatMap((scenario) =>
  Array.from({ length: RUNS }, (_, index) => ({
    ...{ id: `${scenario}/a/m/default/${index + 1}`, scenario, agent: 'a', model: 'm', variant: 'default' },
    repetition: index + 1,
  })),
);

/** A line as it lies in results.jsonl. @param {Cell} cell @param {Partial<ResultLine>} more @returns {ResultLine} */
function lineOf(cell, more) {
  const { id, scenario, agent, model, variant, repetition } = cell;
  const line = parseResult(
    JSON.stringify({
      ...{ schema_version: 1, cell: id, scenario_id: scenario, scenario_hash: '', agent, model, variant },
      ...{
        repetition,
        timestamp: '2026-01-01T00:00:00.000Z',
        duration_secs: 1,
        cost_usd: 0,
        completed: true,
      },
      ...{ gates_passed: 0, gates_total: 1, judge_score: null, message: '', metrics: null, results_dir: '-' },
      ...{ cache_key: `key of ${id}`, attempts: 1, starts: 1 },
      ...more,
    }),
  );
  if (typeof line === 'string') throw new Error(line);
  return line;
}

/**
 * The lines of a sweep none of whose cells is left with an error, because these are run again (`retry`, `run`).
 * @param {Random} random @param {string} name @param {Truth} truth @param {Again} again
 */
function finished(random, name, { rate, errors }, again) {
  const facts = createFacts('');
  /** @type {ResultLine[]} */
  let lines = [];
  /** @param {Cell} cell @param {Partial<ResultLine>} more */
  const write = (cell, more) => {
    const line = lineOf(cell, more);
    facts.add(line, { begin: 0, gatesPassed: [] });
    lines.push(line);
    return line.outcome;
  };
  let written = 0;
  /** @param {Cell} cell @param {string} sweep */
  const run = (cell, sweep) => {
    const inputs = [sameResult(`key of ${cell.id}`)];
    const hidden = facts.hiddenBy({ sweep, cell: cell.id, inputs, work: null });
    const before = hidden === 0 ? {} : { errors_before: hidden };
    const reused = facts.reusable(`key of ${cell.id}`);
    if (reused !== null)
      return write(cell, {
        ...{ id: `${sweep}/${cell.id}`, sweep, outcome: reused.outcome, cached_from: reused.id, ...before },
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
    if (!outcomes.includes('error')) return { sweep, lines };
  }
}

/** @param {{ sweep: string, lines: ResultLine[] }} sweep */
const asRead = ({ sweep, lines }) => ({
  ...{
    sweep,
    variant: null,
    started: '2026-01-01T00:00:00.000Z',
    status: /** @type {const} */ ('completed'),
  },
  ...{ cells: CELLS, combinations: [], lines, scenarios: new Map(), agents: {}, prices: {} },
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
      ...{ base: { kind: 'sweep', sweep, outcomes }, margin: null, alpha: 0.05, most_runs: RUNS },
      round_size: CONFIGURATIONS,
    },
    ended,
  );
}

/** Errors that hide passes, or failures, in a share of all runs at a pass rate of 50 %. @param {number} of @param {'pass' | 'fail'} what @returns {Errors} */
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

/** @param {string} what @param {(random: Random, truth: { base: Truth, head: Truth }) => boolean} isFalse @returns {Criterion} */
const falseClaims = (what, isFalse) => ({
  what,
  bar: { atMost: 0.05 },
  of: 'worst',
  cells: Object.entries(WAYS).map(([label, { base, head }]) => ({
    label: `errors in ${label}`,
    once: (random) =>
      share(isFalse(random, { base: { rate: 0.5, errors: base }, head: { rate: 0.5, errors: head } })),
  })),
});

/** @param {Random} random @param {{ base: Truth, head: Truth }} truth @param {Again} again */
const isClaimed = (random, truth, again) => {
  const { total, gate } = comparison(random, truth, again);
  return total.robust === true || gate.result === 'worse';
};

/** @type {Criterion[]} */
export const retried = [
  falseClaims('errors run again with `retry`: false "better" or "worse"', (random, truth) =>
    isClaimed(random, truth, 'retry'),
  ),
  falseClaims('errors run again with `run`, results reused: false "better" or "worse"', (random, truth) =>
    isClaimed(random, truth, 'run'),
  ),
  falseClaims('`--until-clear --vs` a sweep with errors: false "better" or "worse"', (random, truth) =>
    ['better', 'worse'].includes(
      untilClearVersus(random, { ...truth, head: { rate: 0.5, errors: NEVER } }).verdict ?? '',
    ),
  ),
  {
    what: 'a fall of 25 points whose failures became errors that are run again: the gate passes',
    // As often as without errors.
    bar: { atMost: 0.24, isReached: true },
    of: 'worst',
    cells: /** @type {const} */ (['retry', 'run']).flatMap((again) =>
      [0.5, 0.9].map((fail) => ({
        label: `75 to 50 %, ${fail * 100} % of failures, ${again}`,
        once: (/** @type {Random} */ random) => {
          const truth = {
            base: { rate: 0.75, errors: NEVER },
            head: { rate: 0.5, errors: { pass: 0, fail } },
          };
          return share(comparison(random, truth, again).gate.result === 'not worse');
        },
      })),
    ),
  },
  {
    what: 'a tenth of all runs are errors that are run again, 80 % against 40 %: power',
    bar: { atLeast: 0.77, isReached: true },
    of: 'worst',
    cells: /** @type {const} */ (['retry', 'run']).map((again) => ({
      label: `K=${CONFIGURATIONS}, n=${RUNS}, ${again}`,
      once: (random) => {
        const errors = { pass: 0.1, fail: 0.1 };
        const truth = { base: { rate: 0.8, errors }, head: { rate: 0.4, errors } };
        const { verdict, total } = comparison(random, truth, again);
        return share(verdict === 'worse' && total.robust === true);
      },
    })),
  },
];
