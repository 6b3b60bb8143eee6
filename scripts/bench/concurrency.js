import { createProject, secondsOf, WAIT_SECS } from './project.js';

const AGENTS = 32;

/** Measures many agents at once that only wait. @returns {Promise<import('./project.js').Row[]>} */
export async function concurrency() {
  const project = createProject();
  try {
    project.scenario('waits', { steps: [] });
    await project.run('engine', 'start');
    const wall = await secondsOf(() =>
      project.run(
        'run',
        'waits',
        '--agents',
        'waiting',
        '--repeat',
        String(AGENTS),
        '--concurrency',
        String(AGENTS),
        '--json',
      ),
    );
    return [
      {
        what: `${AGENTS} agents of ${WAIT_SECS} s at once: wall`,
        value: `${wall.toFixed(1)} s, ${((100 * WAIT_SECS) / wall).toFixed(0)} % of the ideal`,
        goal: '>= 95 %',
      },
    ];
  } finally {
    await project.remove();
  }
}
