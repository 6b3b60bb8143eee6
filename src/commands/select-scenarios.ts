import { lstatSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import type { Problem } from '../lib/problem.js';
import { loadRubric } from '../scenario/rubric.js';
import { loadScenario } from '../scenario/load-scenario.js';
import type { Scenario } from '../scenario/schema.js';
import type { ProblemAt } from '../scenario/source.js';
import { listTree, UnusableTree } from '../platform/tree.js';
import { displayPath, type Project } from './project.js';
import { UsageError } from './usage-error.js';

/** A scenario file that is valid, with the fixture that it names. */
export interface SelectedScenario {
  /** As shown to the user. */
  file: string;
  /** Absolute. */
  path: string;
  text: string;
  scenario: Scenario;
  /** Absolute. */
  fixture: string;
  problemAt: ProblemAt;
}

export interface Selection {
  files: string[];
  all?: boolean;
  tags?: string[];
  /** Scenarios of this tier and below. */
  tier?: number;
}

export interface Loading {
  scenarios: SelectedScenario[];
  problems: Problem[];
  texts: Map<string, string>;
}

/** The scenarios that a command is about. @throws UsageError naming every problem of every file. */
export async function selectScenarios(project: Project, selection: Selection): Promise<SelectedScenario[]> {
  const { scenarios, problems, texts } = await loadScenarios(project, findFiles(project, selection));
  if (problems.length > 0) {
    const files = new Set(problems.map(({ file }) => file)).size;
    throw new UsageError(
      'scenario_invalid',
      `${problems.length} problem${problems.length === 1 ? '' : 's'} in ${files} file${files === 1 ? '' : 's'}; nothing was run`,
      problems,
      texts,
    );
  }
  return scenarios.filter(
    ({ scenario }) =>
      (selection.tags === undefined ||
        selection.tags.length === 0 ||
        selection.tags.some((tag) => scenario.tags.includes(tag))) &&
      (selection.tier === undefined || scenario.tier <= selection.tier),
  );
}

/** Files named, or with `--all` (or nothing named) those of the fixtures folder. */
export function findFiles(project: Project, { files, all }: Selection): string[] {
  const named = files.flatMap((name) => locate(project, name));
  return all === true || files.length === 0
    ? [...new Set([...named, ...discover(project.fixturesPath)])]
    : [...new Set(named)];
}

/** A path as it is, or a name in the fixtures folder, with or without its ending. */
function locate({ fixturesPath }: Project, name: string): string[] {
  const candidates = [
    resolve(name),
    ...['', '.yaml', '.yml'].map((ending) => join(fixturesPath, `${name}${ending}`)),
  ];
  const file = candidates.find((path) => statSync(path, { throwIfNoEntry: false })?.isFile() === true);
  if (file !== undefined) return [file];
  const folder = candidates.find((path) => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true);
  if (folder !== undefined) return discover(folder);
  throw new UsageError(
    'scenario_not_found',
    `scenario '${name}' was not found, neither as a path nor in ${displayPath(fixturesPath)}`,
  );
}

/**
 * Scenario files below a folder. YAML that is something else (a rubric, a config) is passed over, and what lies in a
 * fixture belongs to the fixture.
 */
function discover(folder: string): string[] {
  const found: { path: string; fixture: string | null }[] = [];
  const visit = (at: string): void => {
    for (const name of readdirSync(at).sort()) {
      if (name.startsWith('.') || name === 'node_modules') continue;
      const path = join(at, name);
      const info = lstatSync(path);
      if (info.isDirectory()) visit(path);
      else if (/\.ya?ml$/.test(name)) {
        const look = peek(path);
        if (look !== null) found.push({ path, fixture: look });
      }
    }
  };
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) visit(folder);
  const fixtures = found.flatMap(({ path, fixture }) =>
    fixture === null || fixture === ''
      ? []
      : [join(dirname(path), fixture), join(folder, fixture), join(folder, 'templates', fixture)],
  );
  return found
    .map(({ path }) => path)
    .filter((path) => !fixtures.some((fixture) => path.startsWith(`${fixture}/`)));
}

const SCENARIO_KEY = /^\s*[{"']*(template_folder|task|evaluation|target)["']?\s*:/m;
const FIXTURE_NAME = /^\s*[{"']*template_folder["']?\s*:\s*["']?([^"'#\n]*?)["']?\s*(#.*)?$/m;

/**
 * The fixture that a scenario file names ('' when that cannot be told); null for YAML that is no scenario. A look at the
 * text is enough, and is safe with files of others that YAML's parser would choke on.
 */
function peek(path: string): string | null {
  const text = readFileSync(path, 'utf8');
  return SCENARIO_KEY.test(text) ? (FIXTURE_NAME.exec(text)?.[1] ?? '') : null;
}

/** Reads and checks files: what is valid, and every problem of what is not. */
export async function loadScenarios(project: Project, paths: readonly string[]): Promise<Loading> {
  const loading: Loading = { scenarios: [], problems: [], texts: new Map() };
  const names = new Map<string, string>();
  for (const path of paths) {
    const file = displayPath(path);
    const text = readFileSync(path, 'utf8');
    loading.texts.set(file, text);
    const loaded = loadScenario(file, text);
    if (!loaded.ok) {
      loading.problems.push(...loaded.problems);
      continue;
    }
    const { value: scenario, problemAt } = loaded;
    const fixture = findFixture(project, path, scenario.template_folder);
    const problems = [
      ...(await fixtureProblems(fixture, scenario, problemAt)),
      ...rubricProblems(path, scenario, problemAt, loading.texts),
      ...targetProblems(project, scenario, problemAt),
    ];
    const sameName = names.get(scenario.name);
    if (sameName !== undefined) {
      problems.push(
        problemAt(['name'], `'${scenario.name}' is also the name of ${sameName}; names must differ`),
      );
    }
    names.set(scenario.name, file);
    loading.problems.push(...problems);
    if (problems.length === 0 && fixture !== null) {
      loading.scenarios.push({ file, path, text, scenario, fixture, problemAt });
    }
  }
  return loading;
}

const leavesFolder = (path: string): boolean => isAbsolute(path) || path.split(/[\\/]/).includes('..');

function findFixture({ fixturesPath }: Project, scenarioPath: string, name: string): string | null {
  if (leavesFolder(name)) return null;
  const candidates = [
    join(dirname(scenarioPath), name),
    join(fixturesPath, name),
    join(fixturesPath, 'templates', name),
  ];
  return candidates.find((path) => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) ?? null;
}

async function fixtureProblems(
  fixture: string | null,
  scenario: Scenario,
  problemAt: ProblemAt,
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
  try {
    await listTree(fixture);
    const initial = join(fixture, 'initial-state');
    const isThere = (path: string): boolean =>
      statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
    if (isThere(initial)) await listTree(initial);
    return Object.keys(scenario.setup.files)
      .filter((path) => [fixture, initial].some((folder) => isThere(join(folder, path))))
      .map((path) => problemAt(['setup', 'files', path], 'the fixture has a folder of that name', 'key'));
  } catch (error) {
    if (error instanceof UnusableTree) return [problemAt(at, error.message)];
    throw error;
  }
}

function rubricProblems(
  path: string,
  scenario: Scenario,
  problemAt: ProblemAt,
  texts: Map<string, string>,
): Problem[] {
  const { judge } = scenario.evaluation;
  if (judge === undefined) return [];
  const at = ['evaluation', 'judge', 'rubric'];
  if (isAbsolute(judge.rubric)) return [problemAt(at, 'expected a path relative to the scenario file')];
  const rubric = resolve(dirname(path), judge.rubric);
  if (statSync(rubric, { throwIfNoEntry: false })?.isFile() !== true) {
    return [
      problemAt(at, `rubric file '${judge.rubric}' was not found; its path is relative to the scenario file`),
    ];
  }
  const text = readFileSync(rubric, 'utf8');
  const file = displayPath(rubric);
  texts.set(file, text);
  const loaded = loadRubric(file, text);
  return loaded.ok ? [] : loaded.problems;
}

function targetProblems(
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
