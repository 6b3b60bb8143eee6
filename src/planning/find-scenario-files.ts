import { isUtf8 } from 'node:buffer';
import { lstatSync, readdirSync, realpathSync } from 'node:fs';
import { dirname, extname, join, relative, resolve } from 'node:path';
import { displayPath, ownCommand } from '#host';
import { counted, fileProblem, suggest, systemFailure, UsageError } from '#lib';
import { isElizaName, isTaskFile, recognize, type Recognized, SCENARIO_ENDING, TASK_FILE } from '#scenario';
import { isFile, isFolder, readText } from './file-checks.js';
import { findDataset } from './find-dataset.js';
import { otherToolsIn } from './other-tools.js';
import type { Selection } from './draft.js';
import type { Project } from './project.js';

/** A YAML or JSON file among the scenarios that is none. */
interface OtherFile {
  path: string;
  what: string;
}

/** A folder that was searched, and what lies below it. */
export interface SearchedFolder {
  folder: string;
  files: string[];
  others: OtherFile[];
}

/** The files that a command selects. */
export interface FoundFiles {
  files: string[];
  /** The folders that were searched, in the order of the command line. */
  searched: SearchedFolder[];
}

/** The paths of the files that `searchFiles` finds. @throws UsageError as it does */
export const findFiles = (
  project: Project,
  selection: { files: readonly string[]; all?: boolean | undefined },
): string[] => searchFiles(project, selection).files;

/**
 * Finds the named files and, with `--all` or if none are named, all scenario files in the fixtures folder. Files that
 * lie there and cannot be read as what they are belong to them, so that loading them reports why.
 *
 * @throws UsageError if a name is not found, or a folder cannot be read
 */
export function searchFiles(
  project: Project,
  { files, all }: { files: readonly string[]; all?: boolean | undefined },
): FoundFiles {
  const named = files.map((name) => locate(project, name));
  const everything = all === true || files.length === 0 ? [discover(project, project.fixturesPath)] : [];
  return {
    files: [...new Set([...named.flatMap((one) => one.files), ...everything.flatMap((one) => one.files)])],
    searched: [...named.flatMap(({ searched }) => searched), ...everything],
  };
}

/**
 * Finds a scenario by path, or in the fixtures folder: by the name of its file, with or without extension, or by the
 * `name` in it. A plain name is a scenario rather than another file, such as the tool of that name. A folder stands for
 * the scenarios below it.
 *
 * @throws UsageError if there is none, or if the name could mean several
 */
function locate(project: Project, name: string): FoundFiles {
  const { fixturesPath } = project;
  const alone = (...files: string[]): FoundFiles => ({ files, searched: [] });
  const path = resolve(name);
  const dataset = findDataset(name);
  if (dataset !== null) return { files: dataset.files, searched: [{ ...dataset, others: [] }] };
  if (isFile(path) && (name.includes('/') || SCENARIO_ENDING.test(name) || isTaskFile(name))) return alone(path);
  const ofTask = [path, join(fixturesPath, name)].map((one) => join(one, TASK_FILE)).find(isFile);
  if (ofTask !== undefined) return alone(ofTask);
  const inFixtures = ['', '.yaml', '.yml', '.json'].map((ending) => join(fixturesPath, `${name}${ending}`));
  const file = inFixtures.find(isFile);
  const known =
    file === undefined && !isFile(path) ? discover(project, fixturesPath).files : discoverSome(project, fixturesPath);
  const files = [...new Set([...(file === undefined ? [] : [file]), ...known.filter((one) => nameIn(one) === name)])];
  const folder = [path, ...inFixtures].find(isFolder);
  const below = file === undefined && folder !== undefined ? discover(project, folder) : null;
  const meanings = below?.files.some((one) => !files.includes(one)) === true ? [...files, below.folder] : files;
  if (files.length > 0 && meanings.length > 1)
    throw new UsageError(
      'scenario_not_found',
      `'${name}' could mean ${meanings.map(displayPath).join(' or ')}; name one of these paths`,
    );
  if (files.length > 0) return alone(...files);
  if (isFile(path)) return alone(path);
  if (below !== null) return { files: below.files, searched: [below] };
  const near = suggest(
    name,
    known.flatMap((one) => [
      relative(fixturesPath, one).replace(SCENARIO_ENDING, ''),
      ...[nameIn(one)].filter((found) => found !== null),
    ]),
  );
  throw new UsageError(
    'scenario_not_found',
    `scenario '${name}' was not found as a path or in ${displayPath(fixturesPath)}${near === null ? '' : `; did you mean '${near}'?`}${known.length > 0 ? '' : `; ${whereToLook(project)}`}`,
  );
}

/** Says what the fixtures folder lacks, and what else lies in the working folder. */
const whereToLook = (project: Project): string =>
  [describeSearch({ folder: project.fixturesPath, files: [], others: [] }), ...otherToolsIn(process.cwd())].join('; ');

/** Returns the name in a scenario file as far as it can be read, also if the file is not valid. */
function nameIn(file: string): string | null {
  const look = recognizeFile(file);
  return look.kind === 'other' ? null : look.name;
}

/** Like `discover`. If a folder cannot be read, returns none: it does not matter, since the file was found. */
function discoverSome(project: Project, folder: string): string[] {
  try {
    return discover(project, folder).files;
  } catch {
    return [];
  }
}

/**
 * Returns the scenario files below a folder, and the other YAML and JSON files. Files in the folder of a fixture, of
 * checks or of a skill belong to it. Follows links, after everything that is no link, so that a file that both lead to
 * has its own path.
 */
function discover({ resultsPath }: Project, folder: string): SearchedFolder {
  const looks: { path: string; look: Recognized }[] = [];
  const links: string[] = [];
  const seen = new Set<string>([realPath(resultsPath)]);
  const visit = (at: string): void => {
    const names = namesIn(at);
    if (at !== folder && isResults(names)) return;
    if (isTask(names)) {
      // Everything below belongs to the task.
      look(join(at, TASK_FILE));
      return;
    }
    for (const name of names) {
      if (name.startsWith('.') || name === 'node_modules') continue;
      const path = join(at, name);
      const info = lstatSync(path);
      if (info.isSymbolicLink()) links.push(path);
      else if (info.isDirectory()) enter(path, visit);
      else if (SCENARIO_ENDING.test(name)) look(path);
    }
  };
  const enter = (path: string, then: (path: string) => void): void => {
    const real = realPath(path);
    if (seen.has(real)) return;
    seen.add(real);
    then(path);
  };
  const look = (path: string): void =>
    enter(path, () => {
      looks.push({ path, look: recognizeFile(path) });
    });
  /**
   * Folders that belong to scenarios. Those that are part of such a folder themselves, like examples in a fixture,
   * count for nothing.
   */
  const belonging = (): ReadonlySet<string> => {
    const folders = new Set<string>();
    const depth = (path: string): number => path.split('/').length;
    for (const { path, look: found } of looks.toSorted((a, b) => depth(a.path) - depth(b.path))) {
      const beside = dirname(path);
      if (found.kind === 'other' || liesIn(beside, folders)) continue;
      const named = [
        ...found.fixtures.flatMap((one) => [join(folder, one), join(folder, 'templates', one)]),
        ...[...found.fixtures, ...found.others].map((one) => join(beside, one)),
      ];
      // A scenario in its own fixture would hide itself and those beside it.
      for (const one of named) if (!liesIn(beside, new Set([one]))) folders.add(one);
    }
    return folders;
  };

  if (isFolder(folder)) {
    seen.add(realPath(folder));
    visit(folder);
  }
  for (let link = links.shift(); link !== undefined; link = links.shift()) {
    if (liesIn(dirname(link), belonging()) || belonging().has(link)) continue;
    if (isFolder(link)) enter(link, visit);
    // A link to nothing could have been one to a folder of scenarios.
    else if (SCENARIO_ENDING.test(link) || (extname(link) === '' && isDangling(link))) look(link);
  }
  const parts = belonging();
  const found: SearchedFolder = { folder, files: [], others: [] };
  for (const { path, look: one } of looks.toSorted((a, b) => (a.path < b.path ? -1 : 1))) {
    if (liesIn(dirname(path), parts)) {
      if (one.kind === 'scenario') found.others.push({ path, what: 'part of a folder that a scenario names' });
    } else if (one.kind === 'other') found.others.push({ path, what: one.what });
    else found.files.push(path);
  }
  return found;
}

/** Recognizes a file. One that cannot be read is not skipped, so that loading it reports why. */
function recognizeFile(path: string): Recognized {
  const text = readText(path);
  return text === null
    ? { kind: isElizaName(path) ? 'scenario' : 'unclear', name: null, fixtures: [], others: [] }
    : recognize(path, text);
}

/** True if a folder has results, of this project or another. */
export const isResultsFolder = (folder: string): boolean =>
  isFolder(join(folder, '.store')) && isFolder(join(folder, 'sweeps'));

/** True if the names in a folder are those of a folder of results. */
const isResults = (names: readonly string[]): boolean => names.includes('.store') && names.includes('sweeps');

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** True if the names in a folder are those of a task that others wrote. */
const isTask = (names: readonly string[]): boolean =>
  names.includes(TASK_FILE) && ['environment', 'instruction.md', 'steps'].some((name) => names.includes(name));

const isDangling = (link: string): boolean => realPath(link) === link && !isFile(link);

/**
 * Lists a folder.
 *
 * @throws UsageError if it cannot be read; it is not skipped, because it may contain scenarios
 */
function namesIn(folder: string): string[] {
  const shown = displayPath(folder);
  const unreadable = (message: string): UsageError =>
    new UsageError('scenario_invalid', `${shown} cannot be searched for scenarios: ${message}`, [
      fileProblem(shown, message),
    ]);
  try {
    const names = readdirSync(folder, { encoding: 'buffer' });
    const odd = names.find((name) => !isUtf8(name));
    if (odd !== undefined) throw unreadable(`the name ${JSON.stringify(String(odd))} is not UTF-8; rename it`);
    return names.map(String).sort();
  } catch (error) {
    const reason = systemFailure(error);
    throw reason === null ? error : unreadable(reason);
  }
}

/** True if a folder is one of `folders`, or inside one of them. */
function liesIn(folder: string, folders: ReadonlySet<string>): boolean {
  const parent = dirname(folder);
  return folders.has(folder) || (parent !== folder && liesIn(parent, folders));
}

const LISTED = 3;

/**
 * Describes the files that a search without result has seen in a folder: `fixtures has no scenarios, only 1 other file:
 * ...`.
 */
export function describeSearch({ folder, files, others }: SearchedFolder): string {
  const shown = displayPath(folder);
  if (!isFolder(folder)) return `there is no folder ${shown}; create a first scenario with ${ownCommand('init')}`;
  if (files.length > 0) return `${shown} has ${counted(files.length, 'scenario')}`;
  const hints = [
    ...otherToolsIn(folder),
    ...(others.length === 0 ? [`create a first scenario with ${ownCommand('init')}`] : []),
  ];
  const hint = hints.length === 0 ? '' : `; ${hints.join('; ')}`;
  if (others.length === 0)
    return `${shown} has no file with the ending .yaml, .yml or .json and no folder of a task (${TASK_FILE}), except hidden ones and those in results and node_modules${hint}`;
  const listed = others.slice(0, LISTED).map(({ path, what }) => `${displayPath(path)} (${what})`);
  const more = others.length > LISTED ? ` and ${others.length - LISTED} more` : '';
  return `${shown} has no scenarios, only ${counted(others.length, 'other file')}: ${listed.join(', ')}${more}${hint}`;
}

/** Says that a selection is empty, where it was searched for, and what is there. */
export function nothingSelected(
  project: Project,
  selection: Pick<Selection, 'files' | 'all' | 'tags' | 'tier' | 'passWithNoScenarios'>,
): UsageError {
  const { tags, tier, passWithNoScenarios } = selection;
  const remedy = passWithNoScenarios === null ? '' : '; use --pass-with-no-scenarios to exit 0 in this case';
  const { files, searched } = searchFiles(project, selection);
  const limits = [
    ...(tags.length === 0 ? [] : [`${tags.length === 1 ? 'the tag' : 'one of the tags'} ${tags.join(', ')}`]),
    ...(tier === null ? [] : [`a tier of at most ${tier}`]),
  ].join(' and ');
  const seen = searched.map(describeSearch).join('; ');
  const why = files.length > 0 ? `none of ${counted(files.length, 'scenario')} has ${limits}` : '';
  return new UsageError(
    'nothing_selected',
    `no scenarios selected: ${[why, files.length > 0 && searched.length === 0 ? '' : seen].filter((part) => part !== '').join('; ')}${remedy}`,
  );
}
