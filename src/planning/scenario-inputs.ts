import { dirname, isAbsolute, join, normalize, resolve, sep } from 'node:path';
import { scriptPaths } from '../agent-scripts/script-name.js';
import type { Problem } from '../lib/errors/problem.js';
import { whyPointsBack } from '../platform/fs/pointers-back.js';
import { listTree, UnusableTree, type IsLeftOut, type TreeEntry } from '../platform/fs/tree.js';
import { scriptsRunBy } from '../results/transcript/scripts-run-by.js';
import { checkCommands } from '../scenario/named-checks.js';
import type { Rubric } from '../scenario/rubric.js';
import type { Scenario } from '../scenario/scenario.js';
import type { Path, ProblemAt } from '../scenario/problems/source.js';
import { loadRubric } from '../scenario/yaml/load-rubric.js';
import { type Project } from './project.js';
import { canonical } from '../platform/folders.js';
import { displayPath } from '../platform/display-path.js';
import { isFile, isFolder, loadText } from './file-checks.js';
import { leaveOut, leavingOut, pathsIn } from './left-out.js';
import { whyHistoryTells } from './why-history-tells.js';

const leavesFolder = (path: string): boolean => isAbsolute(path) || path.split(/[\\/]/).includes('..');

/** Returns the first existing folder for a fixture's name. Null if there is none, or the name leaves the folders. */
export function findFixture({ fixturesPath }: Project, scenarioPath: string, name: string): string | null {
  if (leavesFolder(name)) return null;
  const candidates = [
    join(dirname(scenarioPath), name),
    join(fixturesPath, name),
    join(fixturesPath, 'templates', name),
  ];
  return candidates.find(isFolder) ?? null;
}

/** The facts about a fixture or checks folder. */
export interface LookedAt {
  /** The reason why its files cannot be used; null if they can. */
  unusable: string | null;
  /** The paths that are not copied, relative to the folder; folders end with `/`. */
  leftOut: readonly string[];
}
export type CheckFolder = (folder: string, copied: 'fixture' | 'checks') => Promise<LookedAt>;

/** Creates a check that looks at each folder only once, even if several scenarios use it. */
export function createFolderCheck(
  { fixturesPath, resultsPath }: Pick<Project, 'fixturesPath' | 'resultsPath'>,
  list: (folder: string, isLeftOut: IsLeftOut) => Promise<readonly TreeEntry[]> = listTree,
): CheckFolder {
  const looks = new Map<string, Promise<LookedAt>>();
  const look: CheckFolder = async (folder, copied) => {
    const { isLeftOut, leftOut } = leaveOut(folder, copied, pathsIn(folder, [fixturesPath, resultsPath]));
    try {
      const entries = await list(folder, isLeftOut);
      const initial = join(folder, 'initial-state');
      const unusable =
        whyPointsBack(folder, entries) ??
        (isFolder(initial)
          ? whyPointsBack(
              initial,
              await list(initial, (path, isFolder) =>
                leavingOut(leftOut)(join('initial-state', path), isFolder),
              ),
            )
          : null) ??
        (copied === 'fixture' ? await whyHistoryTells(folder, entries, leftOut) : null);
      return { unusable, leftOut };
    } catch (error) {
      if (error instanceof UnusableTree) return { unusable: error.message, leftOut };
      throw error;
    }
  };
  return (folder, copied) => {
    const key = `${copied} ${folder}`;
    const found = looks.get(key) ?? look(folder, copied);
    looks.set(key, found);
    return found;
  };
}

/** Finds files in a fixture that cannot be copied faithfully, or that conflict with `setup.files` of the scenario. */
export function fixtureProblems(
  fixture: string | null,
  scenario: Scenario,
  problemAt: ProblemAt,
  { unusable, leftOut }: LookedAt,
): Problem[] {
  const at = ['inputs', 'fixture'];
  const name = scenario.inputs.fixture;
  if (name !== null && leavesFolder(name)) {
    return [
      problemAt(
        at,
        `'${name}' is outside the folders that are searched for fixtures; expected a name or a path inside them`,
      ),
    ];
  }
  if (name !== null && fixture === null) {
    return [
      problemAt(
        at,
        `fixture folder '${name}' was not found next to the scenario, in the fixtures folder or in its templates/`,
      ),
    ];
  }
  if (unusable !== null) return [problemAt(at, unusable)];
  const folders = fixture === null ? [] : [fixture, join(fixture, 'initial-state')];
  const paths = Object.keys(scenario.inputs.files);
  const databases = (scenario.databases ?? []).flatMap((one, index) =>
    'sqlite' in one ? [{ index, path: one.sqlite }] : [],
  );
  const files = new Set([...paths, ...databases.map(({ path }) => path)].map((path) => normalize(path)));
  const problemOf = (path: string): string | null => {
    if (folders.some((folder) => isFolder(join(folder, path))))
      return 'the fixture has a folder with this name';
    for (const above of foldersAbove(normalize(path))) {
      if (files.has(above)) return `'${above}' is a file in setup.files and cannot contain another`;
      if (folders.some((folder) => isFile(join(folder, above))))
        return `'${above}' is a file in the fixture and cannot contain another`;
    }
    return null;
  };
  return [
    ...neededProblems(scenario, leftOut, problemAt),
    ...paths.flatMap((path) => {
      const problem = problemOf(path);
      return problem === null ? [] : [problemAt(['inputs', 'files', path], problem, 'key')];
    }),
    ...databases.flatMap(({ index, path }) => {
      const problem = problemOf(path);
      return problem === null ? [] : [problemAt(['databases', index, 'sqlite'], problem)];
    }),
  ];
}

/** Finds what is needed and left out of the fixture. Of what gates name, only scripts that they run are known to be needed. */
function neededProblems(scenario: Scenario, leftOut: readonly string[], problemAt: ProblemAt): Problem[] {
  const target = typeof scenario.target === 'object' ? scenario.target : null;
  const needed: [Path, string][] = [
    ...scenario.inputs.commands.map((command, at): [Path, string] => [['inputs', 'commands', at], command]),
    ...(target === null ? [] : [[['target'], JSON.stringify(target)] as [Path, string]]),
    ...checkCommands(scenario).map(({ path, command }): [Path, string] => [
      path,
      scriptsRunBy(command).join(' '),
    ]),
  ];
  return leftOut.flatMap((path) => {
    const inWorkspace = path.replace(/^initial-state\//, '');
    const use = needed.find(([, text]) => namesPath(text, inWorkspace.replace(/\/$/, '')));
    if (use === undefined) return [];
    const message = `uses ${inWorkspace} of the fixture, which agents are not given, because it tells how they are judged; rename it, or write it with setup.files`;
    return [problemAt(use[0], message)];
  });
}

/** True if a text has a path, and not only a longer word that contains it. */
const namesPath = (text: string, path: string): boolean =>
  new RegExp(`(?<![\\w-])${path.replaceAll(/[^\w/]/g, String.raw`\$&`)}(?![\\w-])`).test(text);

/** Refuses a fixture that would give the agent its scenario, with what is expected, or results of earlier runs. */
export function ownInputProblems(
  { resultsPath }: Project,
  path: string,
  fixture: string | null,
  problemAt: ProblemAt,
): Problem[] {
  if (fixture === null) return [];
  const given = [path, resultsPath].find((one) => canonical(one).startsWith(canonical(fixture) + sep));
  if (given === undefined) return [];
  const message = `the fixture contains ${displayPath(given)}, which the agent must not see; move the fixture into a folder of its own`;
  return [problemAt(['inputs', 'fixture'], message)];
}

/** Returns `a/b` and `a` for `a/b/c`. */
function foldersAbove(path: string): string[] {
  const above = dirname(path);
  return above === '.' || above === path ? [] : [above, ...foldersAbove(above)];
}

/**
 * Finds context scripts that the workspace will not contain. Scripts that run after a command are not checked, because
 * the command may create them. Neither are scripts of gates and evaluators, which the agent may create.
 */
export function contextProblems(fixture: string | null, scenario: Scenario, problemAt: ProblemAt): Problem[] {
  if (fixture === null || scenario.inputs.commands.length > 0) return [];
  return scenario.steps.flatMap((step, index) => {
    if (step.kind !== 'script') return [];
    if (scenario.steps.slice(0, index).some(({ kind }) => kind === 'command')) return [];
    const { script } = step;
    const readme = scriptPaths(script)?.readme ?? '';
    const isThere =
      readme in scenario.inputs.files ||
      [fixture, join(fixture, 'initial-state')].some((folder) => isFile(join(folder, readme)));
    const message = `the fixture has no agent script '${script}': ${readme} is missing`;
    return isThere ? [] : [problemAt(['steps', index, 'script'], message)];
  });
}

/** The rubric of a scenario's judge, and its problems. The rubric is null if there is no judge, or on problems. */
export interface FoundRubric {
  rubric: Rubric | null;
  problems: Problem[];
}

/** Reads the rubric file of the judge. Adds its text to `texts`, for code frames. */
export function findRubric(
  path: string,
  scenario: Scenario,
  problemAt: ProblemAt,
  texts: Map<string, string>,
): FoundRubric {
  const { judge } = scenario.judgment;
  if (judge === undefined) return { rubric: null, problems: [] };
  const unusable = (message: string): FoundRubric => ({
    rubric: null,
    problems: [problemAt(['judgment', 'judge', 'rubric'], message)],
  });
  if (isAbsolute(judge.rubric)) return unusable('expected a path relative to the scenario file');
  const rubric = resolve(dirname(path), judge.rubric);
  const read = loadText(rubric);
  if (!read.ok) {
    const reason = isFile(rubric) ? `cannot be read: ${read.reason}` : 'was not found or is not a file';
    return unusable(`rubric file '${judge.rubric}' ${reason}; paths are relative to the scenario file`);
  }
  const { text } = read;
  const file = displayPath(rubric);
  texts.set(file, text);
  const loaded = loadRubric(file, text);
  return loaded.ok ? { rubric: loaded.value, problems: [] } : { rubric: null, problems: loaded.problems };
}

/** Reports `target: from_config` if the config has no target. */
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
  return [problemAt(['target'], `from_config: ${where}; add it, or describe the target here`)];
}
