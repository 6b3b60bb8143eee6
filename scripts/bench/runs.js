import { cpuOf, createProject, memoryOf, secondsOf } from './project.js';

const COUNTS = [1, 100, Number(process.env['BENCH_RUNS'] ?? 300)];

/** Measures what trivial runs cost. @returns {Promise<import('./project.js').Row[]>} */
export async function runs() {
  const project = createProject();
  try {
    await project.runTrivial(1); // warm up: start the engine and compile its code
    const { server, worker } = await project.status();
    const rows = [];
    for (const count of COUNTS) {
      const cpu = () => {
        const [ofServer, ofWorker] = [cpuOf(server.pid), cpuOf(worker.pid)];
        return [ofServer.own, ofWorker.own, ofWorker.children];
      };
      const before = cpu();
      const wall = await secondsOf(() => project.runTrivial(count));
      const spent = cpu().map((secs, at) => secs - (before[at] ?? 0));
      const each = (/** @type {number} */ secs) => `${((secs * 1000) / count).toFixed(0)} ms`;
      rows.push(
        { what: `${count} runs: wall for each`, value: each(wall) },
        {
          what: `${count} runs: CPU for each, server + worker + agents`,
          value: `${spent.map(each).join(' + ')} = ${each(spent.reduce((sum, secs) => sum + secs, 0))}`,
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
