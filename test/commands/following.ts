import { openRunsIn } from '../../src/client/follow/waiting-reason.js';
import { stateOf } from './engine-parts.js';
import { until, type TestProject } from './project.js';

type Running = ReturnType<TestProject['start']>;

/** The output of a process so far. */
export function printed({ stdout, stderr }: Running): { stdout: () => string; stderr: () => string } {
  const texts = { stdout: '', stderr: '' };
  stdout.on('data', (data) => (texts.stdout += String(data)));
  stderr.on('data', (data) => (texts.stderr += String(data)));
  return { stdout: () => texts.stdout, stderr: () => texts.stderr };
}

export const untilPrinted = (text: () => string, part: string): Promise<true> =>
  until(`"${part}" is printed`, () => (text().includes(part) ? true : null));

/** The id of the run of a scenario that is not over. */
export const openRunOf = (project: TestProject, scenario: string): Promise<string> =>
  until(
    `a run of ${scenario}`,
    () => openRunsIn(stateOf(project)).find(({ run }) => run.includes(`-${scenario}-`))?.run ?? null,
  );
