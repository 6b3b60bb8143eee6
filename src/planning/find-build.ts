import { dirname, isAbsolute, join, resolve } from 'node:path';
import { listTree, UnusableTree } from '#host';
import type { Problem } from '#lib';
import type { ScenarioVariant } from '#scenario';
import { isFile, isFolder } from './file-checks.js';

const AT = ['environment', 'build'];

/** The folder that a scenario's image is built of, and what is wrong with it. Null if there is none, or on problems. */
export async function findBuild(
  scenarioPath: string,
  { scenario: { environment }, problemAt }: Pick<ScenarioVariant, 'scenario' | 'problemAt'>,
): Promise<{ build: string | null; problems: Problem[] }> {
  if (environment.type !== 'docker' || environment.build === undefined) return { build: null, problems: [] };
  const { build: folder } = environment;
  const build = resolve(dirname(scenarioPath), folder);
  const problem = (message: string) => ({ build: null, problems: [problemAt(AT, message)] });
  if (isAbsolute(folder)) return problem('expected a path relative to the scenario file');
  if (!isFolder(build)) return problem(`folder '${folder}' was not found; paths are relative to the scenario file`);
  if (!isFile(join(build, 'Dockerfile'))) return problem(`'${folder}' has no Dockerfile`);
  try {
    await listTree(build);
    return { build, problems: [] };
  } catch (error) {
    if (error instanceof UnusableTree) return problem(error.message);
    throw error;
  }
}
