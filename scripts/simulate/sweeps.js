import { compareSweeps } from '../../src/decide/comparison/compare-sweeps.ts';
import { parseResult } from '../../src/store/results-log.ts';

/** @typedef {import('./draw.js').Random} Random */
/** @typedef {import('./draw.js').Stratum} Stratum */
/** @typedef {import('../../src/model/records/result-line.ts').ResultLine} ResultLine */
/**
 * `from`: the run whose result is reused.
 * @typedef {{ agent?: string, scenario: string, passes: boolean, isError?: boolean, cost_usd?: number | null, from?:
 * string }} Run
 */

/** The fields that all lines have in common, as results.jsonl has it. */
const COMMON = {
  schema_version: 1,
  scenario_hash: 'abc',
  model: 'm',
  variant: 'default',
  timestamp: '2026-01-01T00:00:00.000Z',
  duration_secs: null,
  completed: true,
  gates_passed: 1,
  gates_total: 1,
  judge_score: null,
  message: 'done',
  metrics: null,
  cache_key: null,
  cached_from: null,
  regressions: [],
  attempts: 1,
  starts: 1,
};

/**
 * A sweep of these runs, with lines as results.jsonl has them. The reader of that file checks the first one only: all
 * would take most of the time.
 * @param {string} sweep @param {readonly Run[]} runs @param {string} [started]
 * @returns {import('../../src/decide/comparison/compare-sweeps.ts').SweepToCompare}
 */
export function sweepOf(sweep, runs, started = COMMON.timestamp) {
  /** @type {Map<string, number>} */
  const repetitions = new Map();
  const lines = runs.map(({ agent = 'a', scenario, passes, isError = false, cost_usd = null, from = null }, at) => {
    const repetition = (repetitions.get(`${scenario} ${agent}`) ?? 0) + 1;
    repetitions.set(`${scenario} ${agent}`, repetition);
    const cell = `${scenario}/${agent}/m/default/${repetition}`;
    const id = from === null ? `${sweep}-${at}` : `${sweep}/${cell}`;
    const outcome = isError ? 'error' : passes ? 'pass' : 'fail';
    return {
      ...COMMON,
      id,
      sweep,
      cell,
      scenario_id: scenario,
      agent,
      repetition,
      outcome,
      cost_usd,
      results_dir: id,
      cached_from: from,
      timestamp: started,
    };
  });
  const [first] = lines;
  const problem = first === undefined ? null : parseResult(JSON.stringify(first));
  if (typeof problem === 'string') throw new Error(problem);
  const read = /** @type {ResultLine[]} */ (lines);
  return {
    sweep,
    variant: null,
    started,
    status: 'completed',
    combinations: [],
    lines: read,
    cells: read.map(({ cell: id, scenario_id: scenario, agent, model, variant, repetition }) => ({
      id,
      scenario,
      agent,
      model,
      variant,
      repetition,
    })),
    scenarios: new Map(),
    agents: {},
    prices: {},
    runInputs: new Map(),
  };
}

/** The answer of `compare` about sweeps with these counts.
 * @param {readonly Stratum[]} strata @param {number | null} [margin] */
export function compared(strata, margin = null) {
  const side = (/** @type {'base' | 'head'} */ name) =>
    sweepOf(
      name,
      strata.flatMap((stratum, at) =>
        Array.from({ length: stratum[name].tested }, (_, run) => ({
          scenario: `s${at}`,
          passes: run < stratum[name].passed,
        })),
      ),
    );
  return compareSweeps(side('base'), side('head'), new Map(), { alpha: 0.05, margin });
}
