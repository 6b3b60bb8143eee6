import { dirname, resolve } from 'node:path';
import type { Rubric } from '#gates';
import { displayPath } from '#host';
import { inTextOrder, type ProblemAt } from '#input';
import { counted, omit, type Problem, UsageError } from '#lib';
import { DEFAULT_VARIANT } from '#model';
import {
  type Combination,
  combinationReader,
  combinationsOf,
  loadMatrix,
  loadScenario,
  matchesFilter,
  type Scenario,
  type ScenarioReader,
  type ScenarioVariant,
} from '#scenario';
import { type StoredSubject, WITH, WITHOUT } from '#subjects';
import { checkedUseProblems } from './checked-uses.js';
import type { Selection } from './draft.js';
import { isFile, loadText, lookBeside } from './file-checks.js';
import { findBuild } from './find-build.js';
import { loadCharacter } from './find-runtime.js';
import { describeSearch, nothingSelected, searchFiles } from './find-scenario-files.js';
import { findSubject, mockProblems } from './find-subject.js';
import { createFolderCheck, type LookedAt } from './left-out.js';
import type { Project } from './project.js';
import type { Secret } from './subject-folder.js';
import {
  contextProblems,
  findChecks,
  findFixture,
  findRubric,
  fixtureProblems,
  ownInputProblems,
  targetProblems,
} from './scenario-inputs.js';

/** The facts if there is no fixture. */
const NOTHING: LookedAt = { unusable: null, leftOut: [] };

/** One variant of a scenario, with the folders that it names. */
export interface SelectedVariant extends ScenarioVariant {
  /** Absolute path; null if the scenario has no fixture. */
  fixture: string | null;
  /** Absolute path of the checks folder; null if the scenario has none. */
  checks: string | null;
  /** Absolute path of the folder that its image is built of; null if none is built. */
  build: string | null;
  /** The subject with the contents of its files; empty if the variant has none. */
  subject: StoredSubject[];
  /** Absolute paths of the subject's files and folders; those of a variant without it too. */
  subjectPaths: string[];
  /** The files in its skills that are not given to the agent. */
  leftOut: string[];
  /** The paths that are not copied of the fixture and of the checks folder, relative to them. */
  notCopied: Record<'fixture' | 'checks', readonly string[]>;
}

/** All that is left out of what the variant names, with the names of their folders. */
export function leftOutOf({ leftOut, notCopied, scenario }: SelectedVariant): string[] {
  const { fixture } = scenario.inputs;
  return [
    ...leftOut,
    ...notCopied.fixture.map((path) => `${fixture ?? ''}/${path}`),
    ...notCopied.checks.map((path) => `${scenario.checks.folder ?? ''}/${path}`),
  ];
}

/** A valid scenario file. */
export interface SelectedScenario {
  /** The path as shown to the user. */
  file: string;
  /** Absolute path. */
  path: string;
  text: string;
  scenario: Scenario;
  /** The variants to run; at least one. */
  variants: SelectedVariant[];
  /** The judge's rubric; null if there is no judge. */
  rubric: Rubric | null;
  /** Parts of the file that have no effect. */
  warnings: Problem[];
  problemAt: ProblemAt;
}

export interface Loading {
  scenarios: SelectedScenario[];
  problems: Problem[];
  texts: Map<string, string>;
}

/**
 * Returns the scenarios that a command selects.
 * @throws UsageError with all problems of all files, or if there are none
 */
export async function selectScenarios(project: Project, selection: Selection): Promise<SelectedScenario[]> {
  const { files, searched } = searchFiles(project, selection);
  // Beside others that run, a named folder without scenarios would not be missed.
  const empty = searched.find((one) => one.files.length === 0);
  if (empty !== undefined && files.length > 0 && selection.passWithNoScenarios !== true)
    throw new UsageError('scenario_not_found', describeSearch(empty));
  const { scenarios, problems, texts } = await loadScenarios(project, files);
  refuseProblems(problems, texts);
  const all = selection.withBaseline
    ? scenarios.map((one) => ({
        ...one,
        // A scenario that says `baseline: true` has them already.
        variants: one.scenario.baseline === true ? one.variants : withBaseline(one.variants),
      }))
    : scenarios;
  const chosen = all.filter(
    ({ scenario }) =>
      (selection.tags.length === 0 || selection.tags.some((tag) => scenario.tags.includes(tag))) &&
      (selection.tier === null || scenario.tier <= selection.tier),
  );
  if (chosen.length === 0 && selection.passWithNoScenarios !== true) throw nothingSelected(project, selection);
  return chosen;
}

/** @throws UsageError with all problems, if there are any */
export function refuseProblems(problems: Problem[], texts: ReadonlyMap<string, string>): void {
  if (problems.length === 0) return;
  const files = new Set(problems.map(({ file }) => file)).size;
  throw new UsageError(
    'scenario_invalid',
    `${counted(problems.length, 'problem')} in ${counted(files, 'file')}; nothing was run`,
    problems,
    texts,
  );
}

/** The files and folders that tell how the agent is judged. */
const secretPaths = (
  { fixturesPath, resultsPath }: Project,
  path: string,
  { fixture, checks, scenario }: Pick<SelectedVariant, 'fixture' | 'checks' | 'scenario'>,
): Secret => ({
  judging: [
    path,
    ...(fixture === null ? [] : [fixture]),
    ...(checks === null ? [] : [checks]),
    ...(scenario.judgment.judge === undefined ? [] : [resolve(dirname(path), scenario.judgment.judge.rubric)]),
  ],
  folders: [fixturesPath, resultsPath],
});

/** Reads and checks scenario files. Returns the valid scenarios, and all problems of the others. */
export async function loadScenarios(
  project: Project,
  paths: readonly string[],
  readScenario: ScenarioReader = loadScenario,
): Promise<Loading> {
  const loading: Loading = { scenarios: [], problems: [], texts: new Map() };
  const names = new Map<string, string>();
  const checkFolder = createFolderCheck(project);
  for (const path of paths) {
    const file = displayPath(path);
    const read = loadText(path);
    if (!read.ok) {
      const { reason, line, column } = read;
      loading.problems.push({ file, line, column, path: '', message: `the file cannot be read: ${reason}` });
      continue;
    }
    const { text } = read;
    loading.texts.set(file, text);
    const loaded = readScenario(file, text, lookBeside(path));
    if (!loaded.ok) {
      loading.problems.push(...loaded.problems);
      continue;
    }
    const {
      value: { scenario, variants: inFile, warnings = [] },
      problemAt,
    } = loaded;
    const variants: SelectedVariant[] = [];
    const subjects: StoredSubject[][] = [];
    const ofVariants: Problem[] = [];
    for (const written of inFile) {
      const character = loadCharacter(path, written.scenario, written.problemAt);
      const varied = { ...written, scenario: character.scenario };
      const named = varied.scenario.inputs.fixture;
      const fixture = named === null ? null : findFixture(project, path, named);
      const looked = fixture === null ? NOTHING : await checkFolder(fixture, 'fixture');
      const { checks, problems: ofChecks, ...of } = await findChecks(path, varied, fixture, checkFolder);
      const { build, problems: ofBuild } = await findBuild(path, varied);
      const notCopied = { fixture: looked.leftOut, checks: of.leftOut };
      const secret = secretPaths(project, path, { fixture, checks, scenario: varied.scenario });
      const found = await findSubject(path, varied, loading.texts, secret);
      const { subject, paths: subjectPaths, leftOut } = found;
      subjects.push(subject);
      const ofInputs = [
        ...character.problems,
        ...found.problems,
        ...mockProblems(project, varied.scenario, varied.problemAt, subject),
        ...fixtureProblems(fixture, varied.scenario, varied.problemAt, looked),
        ...ofChecks,
        ...ofBuild,
        ...ownInputProblems(project, path, fixture, varied.problemAt),
        ...contextProblems(fixture, varied.scenario, varied.problemAt),
      ];
      ofVariants.push(...ofInputs);
      if (ofInputs.length === 0)
        variants.push({ ...varied, fixture, checks, build, subject, subjectPaths, leftOut, notCopied });
    }
    const { rubric, problems: ofRubric } = findRubric(path, scenario, problemAt, loading.texts);
    const problems = [
      ...inTextOrder(ofVariants), // reports a problem that variants share only once
      ...ofRubric,
      ...targetProblems(project, scenario, problemAt),
      // A skill that cannot be read would be reported twice.
      ...(ofVariants.length === 0 ? checkedUseProblems(scenario, subjects, problemAt) : []),
    ];
    const sameName = names.get(scenario.name);
    if (sameName !== undefined) {
      problems.push(problemAt(['name'], `'${scenario.name}' is also the name of ${sameName}; names must be unique`));
    }
    names.set(scenario.name, file);
    loading.problems.push(...problems);
    if (problems.length === 0) {
      const all = scenario.baseline === true ? withBaseline(variants) : variants;
      loading.scenarios.push({ file, path, text, scenario, variants: all, rubric, warnings, problemAt });
    }
  }
  return loading;
}

/**
 * The variants of a scenario, each with its subject and without it. A scenario without variants of its own gets `with`
 * and `without`; to a variant `x`, `x-without` is added. Variants without a subject stay as they are.
 */
export const withBaseline = <
  V extends Pick<ScenarioVariant, 'variant' | 'scenario'> & { subject: StoredSubject[]; leftOut: string[] },
>(
  variants: readonly V[],
): V[] =>
  variants.flatMap((one) => {
    if (one.subject.length === 0) return [one];
    const isPlain = one.variant === DEFAULT_VARIANT;
    return [
      isPlain ? { ...one, variant: WITH } : one,
      {
        ...one,
        variant: isPlain ? WITHOUT : `${one.variant}-${WITHOUT}`,
        scenario: omit(one.scenario, 'subject'),
        subject: [],
        leftOut: [],
      },
    ];
  });

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
  const combinations = combinationsOf(matrix).filter((one) => filter === undefined || matchesFilter(one, filter));
  if (combinations.length === 0)
    throw new UsageError('nothing_selected', `no combination matches --filter ${filter ?? ''}`);
  const reader = combinationReader(matrix, combinations, problemAt);
  const { scenarios, problems, texts: more } = await loadScenarios(project, [base], reader);
  refuseProblems(problems, new Map([...texts, ...more]));
  return { name: matrix.name, combinations, scenarios };
}
