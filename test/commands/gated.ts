import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { linesIn, untilLines } from './engine-parts.js';
import { scenario, type ScenarioOptions, type TestProject } from './project.js';

/** A command that records its start in the project and then waits until the test releases it. */
export const gatedCommand = ({ folder }: TestProject, name: string): string =>
  `echo start >> ${folder}/${name}.starts; until [ -e ${folder}/${name}.go ]; do sleep 0.05; done`;

/** Writes a scenario of that name whose agent is gated. */
export const writeGated = (project: TestProject, name: string, options: ScenarioOptions = {}): Promise<void> =>
  project.write(
    `fixtures/${name}.yaml`,
    scenario(name, {
      gates: ['{type: file_exists, path: README.md}'],
      steps: [`run: '${gatedCommand(project, name)}'`],
      ...options,
    }),
  );

/** Resolves when that many gated commands of that name have started. */
export const untilStarted = (project: TestProject, name: string, count = 1): Promise<true> =>
  untilLines(project, `${name}.starts`, count);

/** Counts the gated commands of that name that have started. */
export const startsOf = (project: TestProject, name: string): number => linesIn(project, `${name}.starts`).length;

/** Releases the commands of that name that wait, and all later ones. */
export const letGo = (project: TestProject, name: string): Promise<void> => project.write(`${name}.go`, '');

/** The id of the sweep that was started with that name. */
export async function sweepOf({ results }: TestProject, name: string): Promise<string> {
  const sweeps = await readdir(join(results, 'sweeps'));
  const found = sweeps.find((sweep) => sweep.startsWith(`${name}-`));
  if (found === undefined) throw new Error(`no sweep ${name} among ${sweeps.join(', ')}`);
  return found;
}
