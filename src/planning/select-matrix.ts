import { dirname, resolve } from 'node:path';
import { displayPath } from '#host';
import { UsageError } from '#lib';
import { type Combination, combinationReader, combinationsOf, loadMatrix, matchesFilter } from '#scenario';
import { isFile, loadText } from './file-checks.js';
import type { Project } from './project.js';
import { loadScenarios, refuseProblems, type SelectedScenario } from './select-scenarios.js';

/** The scenario of a matrix file, with a variant for each selected combination. */
export interface SelectedMatrix {
  name: string;
  combinations: Combination[];
  scenarios: SelectedScenario[];
}

/**
 * Reads a matrix file and its scenario. `filter` selects combinations by a part of their values.
 *
 * @throws UsageError with all problems of both files
 */
export async function selectMatrix(
  project: Project,
  path: string,
  filter: string | undefined,
): Promise<SelectedMatrix> {
  const file = displayPath(resolve(path));
  const read = loadText(path);
  if (!read.ok)
    throw new UsageError('scenario_not_found', `${file} cannot be read: ${read.reason}; name a matrix file`);
  const texts = new Map([[file, read.text]]);
  const loaded = loadMatrix(file, read.text);
  if (!loaded.ok) throw new UsageError('scenario_invalid', `${file} is not valid`, loaded.problems, texts);
  const { value: matrix, problemAt } = loaded;
  const base = resolve(dirname(path), matrix.base_scenario);
  if (!isFile(base)) {
    const message = `'${matrix.base_scenario}' was not found; paths are relative to the matrix file`;
    const problems = [problemAt(['base_scenario'], message)];
    throw new UsageError('scenario_invalid', `${file} is not valid`, problems, texts);
  }
  const combinations = combinationsOf(matrix).filter(
    (one) => filter === undefined || matchesFilter(one, filter),
  );
  if (combinations.length === 0)
    throw new UsageError('nothing_selected', `no combination matches --filter ${filter ?? ''}`);
  const reader = combinationReader(matrix, combinations, problemAt);
  const { scenarios, problems, texts: more } = await loadScenarios(project, [base], reader);
  refuseProblems(problems, new Map([...texts, ...more]));
  return { name: matrix.name, combinations, scenarios };
}
