import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { multiplyResults } from './multiply-results.js';
import { cli, createProject, memoryOf, repeated, secondsOf, spread } from './project.js';

const CELLS = Number(process.env['BENCH_RUNS'] ?? 10_000);
const FEW = 100;
const SCENARIOS_RUN = 10;
const TIMES = 5;

/**
 * Measures the verbs and pages that read results: with 100 results, and with 10,000.
 * @returns {Promise<import('./project.js').Row[]>}
 */
export async function views() {
  const project = createProject();
  const results = join(project.folder, 'llm-tool-test-results');
  try {
    await project.runTrivial(SCENARIOS_RUN);
    await project.run('engine', 'stop');
    multiplyResults(results, { sweep: 'small', cells: FEW });
    const small = await measure(project, 'small');
    multiplyResults(results, { sweep: 'large', cells: CELLS });
    const large = await measure(project, 'large');
    return large.map(({ what, times, goal }, at) => {
      const ratio = median(times) / median(small[at]?.times ?? []);
      return { ...row({ what, times, goal }, CELLS), value: `${spread(times, 's')}, ${ratio.toFixed(1)} x` };
    });
  } finally {
    await project.remove();
  }
}

/**
 * @param {ReturnType<typeof createProject>} project
 * @param {string} sweep
 * @param {number} cells
 * @returns {Promise<import('./project.js').Row[]>}
 */
export const viewRows = async (project, sweep, cells) => (await measure(project, sweep)).map((one) => row(one, cells));

/**
 * The time that something took, each time.
 * @typedef {{what: string, times: number[], goal: string | undefined}} Measured
 */

/** @param {Measured} measured @param {number} cells */
const row = ({ what, times, goal }, cells) => ({
  what: `${what}, ${cells} cells`,
  value: spread(times, 's'),
  ...(goal === undefined ? {} : { goal }),
});

/** @param {number[]} values */
const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;

/** @param {ReturnType<typeof createProject>} project @param {string} sweep @returns {Promise<Measured[]>} */
async function measure(project, sweep) {
  const verbs = [
    ['show', 'SWEEP'],
    ['show', 'SWEEP', '--json'],
    ['sweeps'],
    ['report', 'SWEEP'],
    ['report', 'SWEEP', '--format', 'html'],
  ];
  /** @type {Measured[]} */
  const measured = [];
  for (const verb of verbs) {
    const args = verb.map((arg) => (arg === 'SWEEP' ? sweep : arg));
    const times = await repeated(TIMES, () => secondsOf(() => project.run(...args)));
    measured.push({ what: verb.join(' '), times, goal: verb[0] === 'report' ? undefined : '< 1 s' });
  }
  return [...measured, ...(await measurePages(project, sweep))];
}

/**
 * Measures until the first line of an answer of the viewer is there, from its start on.
 * @param {ReturnType<typeof createProject>} project @param {string} sweep @returns {Promise<Measured[]>}
 */
async function measurePages({ folder, env }, sweep) {
  const viewer = spawn(cli, ['view', '--no-open', '--json'], { cwd: folder, env });
  try {
    const [text] = await once(viewer.stdout, 'data');
    const { url } = JSON.parse(String(text));
    const [origin, token] = url.split('/#token=');
    const run = readdirSync(join(folder, 'llm-tool-test-results')).findLast((name) => /^\d/.test(name));
    /** @type {Measured[]} */
    const pages = [
      ['list', '/api/sweeps'],
      ['sweep', `/api/sweeps/${sweep}`],
      ['run', `/api/runs/${run}`],
    ].map(([what, path]) => ({ what: `page of a ${what}`, path, times: [], goal: '< 1 s' }));
    for (let time = 0; time < TIMES; time += 1)
      for (const { path, times } of /** @type {(Measured & {path: string})[]} */ (pages))
        times.push(await secondsOf(() => firstLine(`${origin}${path}`, token)));
    const memory = viewer.pid === undefined ? NaN : memoryOf(viewer.pid);
    return [...pages, { what: 'memory of the viewer in GB', times: [memory / 1024], goal: undefined }];
  } finally {
    viewer.kill('SIGINT');
    await once(viewer, 'exit');
  }
}

/** @param {string} url @param {string} token */
async function firstLine(url, token) {
  const stop = new AbortController();
  const { body } = await fetch(url, { headers: { authorization: `Bearer ${token}` }, signal: stop.signal });
  for await (const chunk of body ?? []) if (chunk.includes(10)) break;
  stop.abort();
}
