import { mkdirSync, mkdtempSync, rmSync, writeFileSync, appendFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { reportNight } from '../../src/sweeps/report-night.ts';
import { firingId } from '../../src/decide/documents/firing.ts';
import { createFolderStore } from '../../src/store/shared/folder-store.ts';
import { sweepOf } from './sweeps.js';

/** @typedef {import('../../src/decide/schedules/night.ts').Night} Night */

const DAY_MS = 86_400_000;
const SCHEDULE = 'nightly';
const STORED = {
  schema_version: /** @type {const} */ (1),
  schedule: SCHEDULE,
  created_at: '',
  when: { every_secs: 86_400 },
  overlap: /** @type {const} */ ('skip'),
  jitter_secs: 0,
  catch_up_secs: 60,
  fail_on: /** @type {const} */ ('worse'),
  junit: null,
  webhook: null,
  env_file: null,
  variables: [],
};
/** The fields that the plans of all nights have in common. */
const PLAN = {
  schema_version: /** @type {const} */ (1),
  concurrency: 1,
  scenarios: [],
  agents: {},
  providers: {},
  caps: { agents: {}, models: {} },
  prices: {},
  cache: false,
  max_usd: null,
  project: null,
  hidden: [],
  sandbox: { required: false, allow_loopback: [] },
  cells: [],
};

/**
 * Writes the results of one night after the other as sweeps leave them, and reports each as a schedule does. For each
 * night, the number of the night since which it is reported as worse; null: it is not.
 * @param {readonly Night[]} nights @returns {Promise<(number | null)[]>}
 */
export async function reportedLosses(nights) {
  const folder = mkdtempSync(join(tmpdir(), 'nights-'));
  const home = process.env['LLM_TOOL_TEST_HOME'];
  process.env['LLM_TOOL_TEST_HOME'] = join(folder, 'home');
  try {
    const results = join(folder, 'results');
    /** @type {(number | null)[]} */
    const found = [];
    for (const [at, night] of nights.entries()) {
      const { verdict, nights: followed } = await report(results, at, night);
      const since = nights.findIndex(({ sweep }) => sweep === followed?.since?.sweep);
      found.push(verdict === 'worse' ? since : null);
    }
    return found;
  } finally {
    if (home === undefined) delete process.env['LLM_TOOL_TEST_HOME'];
    else process.env['LLM_TOOL_TEST_HOME'] = home;
    rmSync(folder, { recursive: true });
  }
}

/** @param {string} results @param {number} at @param {Night} night */
async function report(results, at, { sweep, counts }) {
  const due = Date.UTC(2026, 0, 1) + at * DAY_MS;
  const time = new Date(due).toISOString();
  const runs = counts.flatMap(({ scenario, passed, tested, untested }) =>
    Array.from({ length: tested + untested }, (_, run) => ({
      scenario,
      passes: run < passed,
      isError: run >= tested,
    })),
  );
  const { cells, lines } = sweepOf(sweep, runs, time);
  const plan = JSON.stringify({ ...PLAN, sweep, created_at: time, cells });
  write(join(results, 'sweeps', sweep, 'plan.json'), plan);
  write(join(results, 'sweeps', sweep, 'summary.json'), JSON.stringify({ status: 'completed' }));
  const text = lines.map((line) => `${JSON.stringify({ ...line, results_dir: null })}\n`).join('');
  appendFileSync(join(results, 'results.jsonl'), text);
  return reportNight(
    results,
    createFolderStore(results),
    { ...STORED, plan: PLAN },
    {
      schema_version: 1,
      schedule: SCHEDULE,
      firing: firingId(due),
      scheduled_at: time,
      triggered: false,
      workflow: '',
      sweep,
      status: 'completed',
      exit_code: null,
      compared_with: null,
      verdict: null,
      reasons: [],
      nights: null,
      configurations: [],
      totals: null,
      cost_usd: null,
      ended_at: time,
      webhook: null,
      text: '',
    },
  );
}

/** @param {string} path @param {string} text */
function write(path, text) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
