import { existsSync, realpathSync } from 'node:fs';
import { dirname, isAbsolute, join, normalize, relative, resolve, sep } from 'node:path';
import { scriptPaths } from '#agent-scripts';
import { CHECKS_VARIABLE } from '#environments';
import type { Rubric } from '#gates';
import { canonical, displayPath } from '#host';
import type { Path, ProblemAt } from '#input';
import type { Problem } from '#lib';
import { scriptsRunBy } from '#model';
import { checkCommands, loadRubric, namedChecks, placedGates, type Scenario, type ScenarioVariant } from '#scenario';
import { isFile, isFolder, loadText } from './file-checks.js';
import type { CheckFolder, LookedAt } from './left-out.js';
import type { Project } from './project.js';

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
    if (folders.some((folder) => isFolder(join(folder, path)))) return 'the fixture has a folder with this name';
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

/**
 * Finds what is needed and left out of the fixture. Of what gates name, only scripts that they run are known to be
 * needed.
 */
function neededProblems(scenario: Scenario, leftOut: readonly string[], problemAt: ProblemAt): Problem[] {
  const target = typeof scenario.target === 'object' ? scenario.target : null;
  const needed: [Path, string][] = [
    ...scenario.inputs.commands.map((command, at): [Path, string] => [['inputs', 'commands', at], command]),
    ...(target === null ? [] : [[['target'], JSON.stringify(target)] as [Path, string]]),
    ...checkCommands(scenario).map(({ path, command }): [Path, string] => [path, scriptsRunBy(command).join(' ')]),
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
export function targetProblems({ config, configFile }: Project, scenario: Scenario, problemAt: ProblemAt): Problem[] {
  if (scenario.target !== 'from_config' || config.target !== undefined) return [];
  const where =
    configFile === null ? 'there is no llm-tool-test-config.toml' : `${displayPath(configFile)} has no [target]`;
  return [problemAt(['target'], `from_config: ${where}; add it, or describe the target here`)];
}

/** The checks folder of a scenario as an absolute path, and its problems. Null if there is none, or on problems. */
interface FoundChecks {
  checks: string | null;
  /** The files that are not copied. */
  leftOut: readonly string[];
  problems: Problem[];
}

const AT: Path = ['checks', 'folder'];

/** Finds the checks folder of a scenario, and what its gates and evaluators name in it that is not there. */
export async function findChecks(
  scenarioPath: string,
  { scenario, problemAt }: Pick<ScenarioVariant, 'scenario' | 'problemAt'>,
  fixture: string | null,
  look: CheckFolder,
): Promise<FoundChecks> {
  const { folder } = scenario.checks;
  const named = namedChecks(scenario);
  const uncontained = placedGates(scenario).flatMap(({ path, gate }) =>
    gate.type === 'verifier' && scenario.environment.type !== 'docker'
      ? [problemAt([...path, 'type'], 'a verifier runs in a container; set environment.type to docker')]
      : [],
  );
  if (uncontained.length > 0) return { checks: null, leftOut: [], problems: uncontained };
  if (folder === undefined) {
    const message = `the scenario has no checks folder; put the files into a folder beside the scenario file, and add the line "checks_folder: <its name>"`;
    return {
      checks: null,
      leftOut: [],
      problems: named.map(({ path, file }) =>
        problemAt(path, file === null ? `$${CHECKS_VARIABLE} is not set: ${message}` : `${file}: ${message}`),
      ),
    };
  }
  const checks = resolve(dirname(scenarioPath), folder);
  const { unusable, leftOut } =
    scenario.task === undefined ? await lookAt(folder, checks, fixture, look) : await look(checks, 'task');
  if (unusable !== null) return { checks: null, leftOut, problems: [problemAt(AT, unusable)] };
  const problems = named.flatMap(({ path, file, isExpected }) => {
    if (file === null) return [];
    if (file.split('/').includes('..')) return [problemAt(path, `'${file}' leaves the checks folder`)];
    const out = leftOut.find((one) => `${normalize(file)}/`.startsWith(one.endsWith('/') ? one : `${one}/`));
    if (out !== undefined)
      return [problemAt(path, `'${out}' is not copied, because it is a suite, a scenario or a result; rename it`)];
    if ((isExpected ? isFile : existsSync)(join(checks, file))) return [];
    return [problemAt(path, `the checks folder '${folder}' has no ${isExpected ? 'file ' : ''}'${file}'`)];
  });
  return { checks, leftOut, problems };
}

async function lookAt(folder: string, checks: string, fixture: string | null, look: CheckFolder): Promise<LookedAt> {
  const not = (unusable: string): LookedAt => ({ unusable, leftOut: [] });
  if (isAbsolute(folder)) return not('expected a path relative to the scenario file');
  if (!isFolder(checks)) return not(`checks folder '${folder}' was not found; paths are relative to the scenario file`);
  if (fixture !== null && !relative(realpathSync(fixture), realpathSync(checks)).split(sep).includes('..'))
    return not(
      `'${folder}' is inside the fixture ${displayPath(fixture)}, where the agent sees it; move it out of the fixture`,
    );
  return look(checks, 'checks');
}
