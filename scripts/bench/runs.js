import { cpuOf, createProject, memoryOf, secondsOf } from './project.js';

const COUNTS = [1, 100, Number(process.env['BENCH_RUNS'] ?? 300)];

/** What trivial runs cost: an instant agent and four file gates. @returns {Promise<import('./project.js').Row[]>} */
export async function runs() {
  const project = createProject();
  try {
    const gates = Array(4).fill('{ type: file_exists, path: README.md }');
    project.scenario('trivial', { steps: ['{ say: done }'], gates });
    await project.run('run', 'trivial'); // the engine is up, its code is compiled
    const { server, worker } = await project.status();
    const rows = [];
    for (const count of COUNTS) {
      const before = [server, worker].map(({ pid }) => cpuOf(pid));
      const args = ['run', 'trivial', '--repeat', String(count), '--json'];
      const wall = await secondsOf(() => project.run(...args));
      const [ofServer = 0, ofWorker = 0] = [server, worker].map(
        ({ pid }, at) => cpuOf(pid) - (before[at] ?? 0),
      );
      const each = (/** @type {number} */ secs) => `${((secs * 1000) / count).toFixed(0)} ms`;
      rows.push(
        { what: `${count} runs: wall for each`, value: each(wall) },
        {
          what: `${count} runs: CPU for each, server + worker`,
          value: `${each(ofServer)} + ${each(ofWorker)} = ${each(ofServer + ofWorker)}`,
          goal: '<= 110 ms, then 50 ms',
        },
      );
    }
    rows.push({
      what: 'resident memory after them, server + worker',
      value: `${memoryOf(server.pid).toFixed(0)} + ${memoryOf(worker.pid).toFixed(0)} MB`,
    });
    return rows;
  } finally {
    await project.remove();
  }
}
