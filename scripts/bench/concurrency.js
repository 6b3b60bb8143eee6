import { createProject, secondsOf } from './project.js';

const AGENTS = 32;
const SECS = 10;

/** Many agents at once, which mostly wait. @returns {Promise<import('./project.js').Row[]>} */
export async function concurrency() {
  const project = createProject();
  try {
    project.scenario('waits', { steps: [`{ wait_secs: ${SECS} }`] });
    await project.run('engine', 'start');
    const wall = await secondsOf(() =>
      project.run('run', 'waits', '--repeat', String(AGENTS), '--concurrency', String(AGENTS), '--json'),
    );
    return [
      {
        what: `${AGENTS} agents of ${SECS} s at once: wall`,
        value: `${wall.toFixed(1)} s, ${((100 * SECS) / wall).toFixed(0)} % of the ideal`,
        goal: '>= 95 %',
      },
    ];
  } finally {
    await project.remove();
  }
}
