import { linkSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/** Every nth run of a multiplied sweep has not passed. */
const FAILS = 5;
const SCENARIOS = 50;
const AGENTS = 4;
const MODELS = 5;

/**
 * Adds a sweep of many cells to a results folder, made of copies of the runs in it: scenarios x agents x models x
 * repetitions. Real sweeps of that size take half an hour.
 * @param {string} results
 * @param {{sweep: string, cells: number}} wanted
 */
export function multiplyResults(results, { sweep, cells: count }) {
  const [base = ''] = readdirSync(join(results, 'sweeps'));
  const read = (/** @type {string[]} */ ...path) => readFileSync(join(results, ...path), 'utf8');
  const plan = JSON.parse(read('sweeps', base, 'plan.json'));
  const summary = JSON.parse(read('sweeps', base, 'summary.json'));
  const lines = read('results.jsonl')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .filter((line) => line.sweep === base);
  const cells = Array.from({ length: count }, (_, at) => cellAt(at));
  const added = cells.map((cell, at) => {
    const line = lines[at % lines.length];
    const id = `${line.id.slice(0, -8)}${(at + count + 0x10000000).toString(16)}`;
    copyRun(results, line.results_dir, id);
    const passed = at % FAILS > 0;
    const message = passed ? line.message : `3/4 gates passed; file_exists: ${at} is missing`;
    const { id: of, scenario, agent, model, repetition } = cell;
    const own = { id, sweep, cell: of, scenario_id: scenario, agent, model, repetition, results_dir: id };
    return { ...line, ...own, message, outcome: passed ? 'pass' : 'fail', gates_passed: passed ? 4 : 3 };
  });
  writeFileSync(join(results, 'results.jsonl'), added.map((line) => `${JSON.stringify(line)}\n`).join(''), {
    flag: 'a',
  });
  mkdirSync(join(results, 'sweeps', sweep));
  const [scenario] = plan.scenarios;
  const scenarios = Array.from({ length: SCENARIOS }, (_, nth) => ({ ...scenario, name: `scenario-${nth}` }));
  const write = (/** @type {string} */ file, /** @type {object} */ content) =>
    writeFileSync(join(results, 'sweeps', sweep, file), JSON.stringify(content, null, 2));
  write('plan.json', { ...plan, sweep, created_at: new Date().toISOString(), scenarios, cells });
  const shown = added.map(({ id, outcome }, at) => ({
    ...summary.cells[0],
    ...cells[at],
    outcome,
    results_dir: join(results, id),
  }));
  write('summary.json', { ...summary, sweep, cells: shown });
}

/** @param {number} at */
function cellAt(at) {
  const scenario = `scenario-${at % SCENARIOS}`;
  const agent = `agent-${Math.floor(at / SCENARIOS) % AGENTS}`;
  const model = `model-${Math.floor(at / SCENARIOS / AGENTS) % MODELS}`;
  const repetition = Math.floor(at / SCENARIOS / AGENTS / MODELS) + 1;
  return {
    id: `${scenario}/${agent}/${model}/default/${repetition}`,
    scenario,
    agent,
    model,
    variant: 'default',
    repetition,
  };
}

/**
 * Copies a run's folder; two of its files name the run. The others are links: 100,000 runs have a million files.
 * @param {string} results
 * @param {string} from
 * @param {string} to
 */
function copyRun(results, from, to) {
  for (const entry of readdirSync(join(results, from), { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const copy = join(results, to, relative(join(results, from), path));
    mkdirSync(dirname(copy), { recursive: true });
    if (/^(run|metrics)\.json$/.test(entry.name)) writeFileSync(copy, readFileSync(path, 'utf8').replaceAll(from, to));
    else if (entry.isFile()) linkSync(path, copy);
  }
}
