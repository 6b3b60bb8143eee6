import { join } from 'node:path';
import { multiplyResults } from './multiply-results.js';
import { createProject, repeated, secondsOf, spread } from './project.js';

const CELLS = Number(process.env['BENCH_RUNS'] ?? 10_000);
const SCENARIOS_RUN = 10;

/** Measures the verbs that read results, with 10,000 results. @returns {Promise<import('./project.js').Row[]>} */
export async function views() {
  const project = createProject();
  try {
    await project.runTrivial(SCENARIOS_RUN);
    multiplyResults(join(project.folder, 'llm-tool-test-results'), { sweep: 'large', cells: CELLS });
    return await viewRows(project, 'large', CELLS);
  } finally {
    await project.remove();
  }
}

/**
 * @param {Pick<ReturnType<typeof createProject>, 'run'>} project
 * @param {string} sweep
 * @param {number} cells
 * @returns {Promise<import('./project.js').Row[]>}
 */
export async function viewRows({ run }, sweep, cells) {
  const verbs = [
    ['show', sweep],
    ['show', sweep, '--json'],
    ['sweeps'],
    ['report', sweep],
    ['report', sweep, '--format', 'html'],
  ];
  const rows = [];
  for (const verb of verbs) {
    const times = await repeated(3, () => secondsOf(() => run(...verb)));
    const goal = verb[0] === 'show' || verb[0] === 'sweeps' ? { goal: '< 2 s' } : {};
    rows.push({ what: `${verb.join(' ')}, ${cells} cells`, value: spread(times, 's'), ...goal });
  }
  return rows;
}
