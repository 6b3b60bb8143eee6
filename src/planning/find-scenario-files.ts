import { isUtf8 } from 'node:buffer';
import { lstatSync, readdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { isElizaForm } from '../scenario/load-scenario.js';
import { systemFailure } from '../lib/errors/system-failure.js';
import { type Project } from './project.js';
import { displayPath } from '../platform/display-path.js';
import { UsageError } from '../lib/errors/usage-error.js';
import { isFile, isFolder, readText } from './file-checks.js';

/**
 * Returns the paths of the named files and, with `--all` or if none are named, of all scenario files in the fixtures
 * folder.
 *
 * @throws UsageError if a name is not found, or a folder cannot be read
 */
export function findFiles(
  project: Project,
  { files, all }: { files: readonly string[]; all?: boolean },
): string[] {
  const named = files.flatMap((name) => locate(project, name));
  return all === true || files.length === 0
    ? [...new Set([...named, ...discover(project.fixturesPath)])]
    : [...new Set(named)];
}

/** Finds a scenario by path, or by name in the fixtures folder, with or without its extension. */
function locate({ fixturesPath }: Project, name: string): string[] {
  const candidates = [
    resolve(name),
    ...['', '.yaml', '.yml'].map((ending) => join(fixturesPath, `${name}${ending}`)),
  ];
  const file = candidates.find(isFile);
  if (file !== undefined) return [file];
  const folder = candidates.find(isFolder);
  if (folder !== undefined) return discover(folder);
  throw new UsageError(
    'scenario_not_found',
    `scenario '${name}' was not found as a path or in ${displayPath(fixturesPath)}`,
  );
}

/**
 * Returns the scenario files below a folder. Skips other YAML files (a rubric, a config), and files in a fixture or checks
 * folder, which belong to it.
 */
function discover(folder: string): string[] {
  const found: { path: string; folders: Folders }[] = [];
  const visit = (at: string): void => {
    for (const name of namesIn(at)) {
      if (name.startsWith('.') || name === 'node_modules') continue;
      const path = join(at, name);
      if (lstatSync(path).isDirectory()) visit(path);
      else if (/\.ya?ml$/.test(name) && !isFolder(path)) {
        const look = peek(path);
        if (look !== null) found.push({ path, folders: look });
      }
    }
  };
  if (isFolder(folder)) visit(folder);
  const others = new Set(
    found.flatMap(({ path, folders: { fixtures, checks } }) => [
      ...fixtures.flatMap((fixture) => [
        join(dirname(path), fixture),
        join(folder, fixture),
        join(folder, 'templates', fixture),
      ]),
      ...checks.map((one) => join(dirname(path), one)),
    ]),
  );
  return found.map(({ path }) => path).filter((path) => !liesIn(dirname(path), others));
}

/**
 * Lists a folder.
 *
 * @throws UsageError if it cannot be read; it is not skipped, because it may contain scenarios
 */
function namesIn(folder: string): string[] {
  const shown = displayPath(folder);
  const unreadable = (message: string): UsageError =>
    new UsageError('scenario_invalid', `${shown} cannot be searched for scenarios: ${message}`, [
      { file: shown, line: 1, column: 1, path: '', message },
    ]);
  try {
    const names = readdirSync(folder, { encoding: 'buffer' });
    const odd = names.find((name) => !isUtf8(name));
    if (odd !== undefined)
      throw unreadable(`the name ${JSON.stringify(String(odd))} is not UTF-8; rename it`);
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

const SCENARIO_KEY = /^\s*[{"']*(template_folder|task|evaluation|target)["']?\s*:/m;
const ELIZA_KEY = /^[{"']*run["']?\s*:/m;
const nameAfter = (key: string): RegExp =>
  new RegExp(`^[\\s-]*[{"']*${key}["']?\\s*:\\s*["']?([^"'#\\n]*?)["']?\\s*(#.*)?$`, 'gm');
const FIXTURE_NAME = nameAfter('template_folder');
const CHECKS_NAME = nameAfter('checks_folder');

/** The folders that a scenario file names. */
interface Folders {
  fixtures: string[];
  checks: string[];
}

/**
 * Returns the folders that a scenario file names, as far as a search of its text shows. Null for YAML that is not a
 * scenario. The file is not parsed, because the YAML parser may not cope with files that were not written for us.
 */
function peek(path: string): Folders | null {
  const text = readText(path);
  // not skipped, so that loading the file reports why it cannot be read
  if (text === null) return { fixtures: [], checks: [] };
  const isEliza = isElizaForm(path, text);
  if (!(isEliza ? ELIZA_KEY : SCENARIO_KEY).test(text)) return null;
  const named = (pattern: RegExp): string[] => [...text.matchAll(pattern)].flatMap(([, name]) => name || []);
  return { fixtures: isEliza ? [] : named(FIXTURE_NAME), checks: named(CHECKS_NAME) };
}
