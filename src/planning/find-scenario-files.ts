import { isUtf8 } from 'node:buffer';
import { lstatSync, readdirSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { isElizaForm } from '../scenario/load-scenario.js';
import { suggest } from '../lib/suggest.js';
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

/**
 * Finds a scenario by path, or in the fixtures folder: by the name of its file, with or without extension, or by the
 * `name` in it. A plain name is a scenario rather than another file, such as the tool of that name. A folder stands for
 * the scenarios below it.
 *
 * @throws UsageError if there is none, or if the name could mean several
 */
function locate({ fixturesPath }: Project, name: string): string[] {
  const path = resolve(name);
  if (isFile(path) && /\/|\.ya?ml$/.test(name)) return [path];
  const inFixtures = ['', '.yaml', '.yml'].map((ending) => join(fixturesPath, `${name}${ending}`));
  const file = inFixtures.find(isFile);
  const known = file === undefined && !isFile(path) ? discover(fixturesPath) : discoverSome(fixturesPath);
  const files = [
    ...new Set([...(file === undefined ? [] : [file]), ...known.filter((one) => nameIn(one) === name)]),
  ];
  const folder = [resolve(name), ...inFixtures].find(isFolder);
  const below = file === undefined && folder !== undefined ? discover(folder) : [];
  const meanings = below.some((one) => !files.includes(one)) ? [...files, folder ?? ''] : files;
  if (files.length > 0 && meanings.length > 1)
    throw new UsageError(
      'scenario_not_found',
      `'${name}' could mean ${meanings.map(displayPath).join(' or ')}; name one of these paths`,
    );
  if (files.length > 0) return files;
  if (isFile(path)) return [path];
  if (folder !== undefined) return below;
  const near = suggest(
    name,
    known.flatMap((one) => [
      relative(fixturesPath, one).replace(/\.ya?ml$/, ''),
      ...[nameIn(one)].filter((found) => found !== null),
    ]),
  );
  throw new UsageError(
    'scenario_not_found',
    `scenario '${name}' was not found as a path or in ${displayPath(fixturesPath)}${near === null ? '' : `; did you mean '${near}'?`}`,
  );
}

const NAME = /^(?:\{\s*)?["']?name["']?\s*:\s*(?:"([^"\n]*)"|'([^'\n]*)'|([^,}#\n]*))/m;

/** Returns the name in a scenario file as far as a search of its text shows, also if the file is not valid. */
function nameIn(file: string): string | null {
  const [, ...forms] = NAME.exec(readText(file) ?? '') ?? [];
  return forms.join('').trim() || null;
}

/** Like `discover`. If a folder cannot be read, returns none: it does not matter, since the file was found. */
function discoverSome(folder: string): string[] {
  try {
    return discover(folder);
  } catch {
    return [];
  }
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
