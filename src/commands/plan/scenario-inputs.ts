import { dirname, isAbsolute, join, normalize, resolve } from 'node:path';
import { scriptPaths } from '../../agent-scripts/script-name.js';
import type { Problem } from '../../lib/problem.js';
import { listTree, UnusableTree } from '../../platform/tree.js';
import { loadRubric, type Rubric } from '../../scenario/rubric.js';
import type { Scenario } from '../../scenario/schema.js';
import type { ProblemAt } from '../../scenario/source.js';
import { displayPath, type Project } from '../project.js';
import { isFile, isFolder, loadText } from './look.js';

const leavesFolder = (path: string): boolean => isAbsolute(path) || path.split(/[\\/]/).includes('..');

/** Folder of the fixture that a scenario names: the first that is there. */
export function findFixture({ fixturesPath }: Project, scenarioPath: string, name: string): string | null {
  if (leavesFolder(name)) return null;
  const candidates = [
    join(dirname(scenarioPath), name),
    join(fixturesPath, name),
    join(fixturesPath, 'templates', name),
  ];
  return candidates.find(isFolder) ?? null;
}

/** What is wrong with the files of a fixture: a message, or null. */
export type LookAtFixture = (fixture: string) => Promise<string | null>;

/** Looks at the files of each fixture once, however many scenarios name it. */
export function createFixtureLook(list: (folder: string) => Promise<unknown> = listTree): LookAtFixture {
  const looks = new Map<string, Promise<string | null>>();
  const look = async (fixture: string): Promise<string | null> => {
    try {
      await list(fixture);
      const initial = join(fixture, 'initial-state');
      if (isFolder(initial)) await list(initial);
      return null;
    } catch (error) {
      if (error instanceof UnusableTree) return error.message;
      throw error;
    }
  };
  return (fixture) => {
    const found = looks.get(fixture) ?? look(fixture);
    looks.set(fixture, found);
    return found;
  };
}

/** What of a fixture cannot be copied faithfully, or is in the way of `setup.files`. */
export async function fixtureProblems(
  fixture: string | null,
  scenario: Scenario,
  problemAt: ProblemAt,
  look: LookAtFixture,
): Promise<Problem[]> {
  const at = ['template_folder'];
  const name = scenario.template_folder;
  if (leavesFolder(name)) {
    return [
      problemAt(
        at,
        `'${name}' leaves the folders that fixtures are looked for in; expected a name or a path below them`,
      ),
    ];
  }
  if (fixture === null) {
    return [
      problemAt(
        at,
        `fixture folder '${name}' was not found beside the scenario, in the fixtures folder or in its templates/`,
      ),
    ];
  }
  const unusable = await look(fixture);
  if (unusable !== null) return [problemAt(at, unusable)];
  const folders = [fixture, join(fixture, 'initial-state')];
  const paths = Object.keys(scenario.setup.files);
  const files = new Set(paths.map((path) => normalize(path)));
  const problemOf = (path: string): string | null => {
    if (folders.some((folder) => isFolder(join(folder, path))))
      return 'the fixture has a folder of that name';
    for (const above of foldersAbove(normalize(path))) {
      if (files.has(above)) return `'${above}' is a file of setup.files, and can hold no other`;
      if (folders.some((folder) => isFile(join(folder, above))))
        return `'${above}' is a file of the fixture, and can hold no other`;
    }
    return null;
  };
  return paths.flatMap((path) => {
    const problem = problemOf(path);
    return problem === null ? [] : [problemAt(['setup', 'files', path], problem, 'key')];
  });
}

/** `a/b/c`: `a/b` and `a`. */
function foldersAbove(path: string): string[] {
  const above = dirname(path);
  return above === '.' || above === path ? [] : [above, ...foldersAbove(above)];
}

/**
 * Scripts of `task.context` that the workspace will not have. Where setup commands may bring them, nobody knows before the
 * run; those of gates and evaluators may be what the agent is to make.
 */
export function contextProblems(fixture: string | null, scenario: Scenario, problemAt: ProblemAt): Problem[] {
  if (fixture === null || scenario.setup.commands.length > 0) return [];
  return scenario.task.context.flatMap(({ script }, index) => {
    const readme = scriptPaths(script)?.readme ?? '';
    const isThere =
      readme in scenario.setup.files ||
      [fixture, join(fixture, 'initial-state')].some((folder) => isFile(join(folder, readme)));
    const message = `the fixture has no agent script '${script}': ${readme} is not there`;
    return isThere ? [] : [problemAt(['task', 'context', index, 'script'], message)];
  });
}

/** The rubric that a scenario's judge scores by, null where there is no judge, and what is wrong with it. */
export interface FoundRubric {
  rubric: Rubric | null;
  problems: Problem[];
}

/** Reads the rubric file of the judge; its text goes into `texts`, for code frames. */
export function findRubric(
  path: string,
  scenario: Scenario,
  problemAt: ProblemAt,
  texts: Map<string, string>,
): FoundRubric {
  const { judge } = scenario.evaluation;
  if (judge === undefined) return { rubric: null, problems: [] };
  const unusable = (message: string): FoundRubric => ({
    rubric: null,
    problems: [problemAt(['evaluation', 'judge', 'rubric'], message)],
  });
  if (isAbsolute(judge.rubric)) return unusable('expected a path relative to the scenario file');
  const rubric = resolve(dirname(path), judge.rubric);
  const read = loadText(rubric);
  if (!read.ok) {
    const reason = isFile(rubric) ? `cannot be read: ${read.reason}` : 'was not found or is no file';
    return unusable(`rubric file '${judge.rubric}' ${reason}; its path is relative to the scenario file`);
  }
  const { text } = read;
  const file = displayPath(rubric);
  texts.set(file, text);
  const loaded = loadRubric(file, text);
  return loaded.ok ? { rubric: loaded.value, problems: [] } : { rubric: null, problems: loaded.problems };
}

/** Whether `target: from_config` finds a target. */
export function targetProblems(
  { config, configFile }: Project,
  scenario: Scenario,
  problemAt: ProblemAt,
): Problem[] {
  if (scenario.target !== 'from_config' || config.target !== undefined) return [];
  const where =
    configFile === null
      ? 'there is no llm-tool-test-config.toml'
      : `${displayPath(configFile)} has no [target]`;
  return [problemAt(['target'], `from_config: ${where}; add one, or describe the target here`)];
}
