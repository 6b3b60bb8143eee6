import { createProject, repeated, secondsOf, spread } from './project.js';

/**
 * Measures verbs that need no engine, and one cell with and without a running engine.
 * @returns {Promise<import('./project.js').Row[]>}
 */
export async function startUp() {
  const project = createProject();
  try {
    project.scenario('one', { steps: ['{ say: done }'], gates: ['{ type: file_exists, path: README.md }'] });
    const cold = await secondsOf(() => project.run('run', 'one'));
    const verbs = [['--help'], ['validate'], ['scenarios'], ['show', 'latest'], ['sweeps']];
    const rows = [];
    for (const args of verbs) {
      const times = await repeated(5, () => secondsOf(() => project.run(...args)));
      rows.push({
        what: args.join(' '),
        value: spread(times, 's'),
        goal: /help|validate/.test(args.join()) ? '<= 0.15 s' : '< 0.3 s',
      });
    }
    const warm = await repeated(5, () => secondsOf(() => project.run('run', 'one')));
    return [
      ...rows,
      { what: 'one cell, engine up', value: spread(warm, 's'), goal: '<= 0.6 s' },
      { what: 'one cell, engine not up', value: `${cold.toFixed(2)} s`, goal: '<= 2 s' },
    ];
  } finally {
    await project.remove();
  }
}
