import { cpuOf, createProject, secondsOf } from './project.js';

const CELLS = Number(process.env['BENCH_RUNS'] ?? 1000);

/**
 * Measures cells that need no agent: those whose work is checked again, and those with results in the cache.
 * @returns {Promise<import('./project.js').Row[]>}
 */
export async function again() {
  const project = createProject();
  try {
    const sweep = ['--repeat', String(CELLS), '--agents', 'instant', '--json'];
    project.scenario('cached', { gates: Array(4).fill('{ type: file_exists, path: README.md }'), cache: true });
    await project.run('run', 'cached', ...sweep);
    const { server, worker } = await project.status();
    const cpu = () => cpuOf(server.pid).own + cpuOf(worker.pid).own + cpuOf(worker.pid).children;
    const verbs = [
      { what: 'regraded', args: ['regrade', 'latest', '--json'], goal: '<= 10 s' },
      { what: 'reused from the cache', args: ['run', 'cached', ...sweep], goal: '<= 5 s' },
    ];
    const rows = [];
    for (const { what, args, goal } of verbs) {
      const before = cpu();
      const secs = await secondsOf(() => project.run(...args));
      const each = (((cpu() - before) * 1000) / CELLS).toFixed(1);
      rows.push({ what: `${CELLS} cells ${what}`, value: `${secs.toFixed(2)} s, ${each} ms of CPU each`, goal });
    }
    return rows;
  } finally {
    await project.remove();
  }
}
