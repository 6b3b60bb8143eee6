import { readdir, readFile, readlink, realpath, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isJsonObject, parseJson } from '#lib';
import { fingerprint } from './fingerprint.js';

/** A program's source is not larger than this, and larger folders would take too long to read for every run. */
const MAX_FILES = 10_000;
const MAX_BYTES = 256 * 1024 * 1024;

/** History and caches of tools, which change without the program and are not read by it; and our own config file. */
const PASSED_OVER = new Set([
  ...['.git', '.hg', '.svn', '__pycache__', '.pytest_cache', '.mypy_cache', '.ruff_cache', '.tox', '.nox'],
  'llm-tool-test-config.toml',
]);
/** Files in which package managers record what they have installed in `node_modules`. */
const INSTALLED = ['.package-lock.json', '.modules.yaml', '.yarn-state.yml'];

/** The path of a file or link, and a text that identifies its content. */
export type SourceFile = [path: string, content: string];

/** Thrown if there is more than can be read for every run. The message names the folder. */
export class TooManyFiles extends Error {}

/**
 * Returns all files below a file or folder, with their contents, in a fixed order. Follows symlinks, and visits each
 * place once. Installed dependencies (`node_modules`, a Python virtual environment) are represented by the records of
 * their package manager, and by the packages that are linked into them. `passOver`: real paths that are left out.
 *
 * @throws TooManyFiles
 */
export async function sourceFiles(root: string, passOver: readonly string[]): Promise<SourceFile[]> {
  const found: SourceFile[] = [];
  const seen = new Set<string>();
  const open: string[] = [root];
  let bytes = 0;

  const add = async (path: string): Promise<void> => {
    bytes += (await stat(path).catch(() => null))?.size ?? 0;
    found.push([nameOf(path), (await fingerprint(path)) ?? 'unreadable']);
    if (found.length > MAX_FILES || bytes > MAX_BYTES)
      throw new TooManyFiles(`${root} has more than ${MAX_FILES} files or ${MAX_BYTES / 1024 / 1024} MiB`);
  };
  /** Names files relative to the root, because a checkout in another place is the same program. */
  const nameOf = (path: string): string => (path === root || path.startsWith(root + sep) ? relative(root, path) : path);

  async function visit(path: string): Promise<void> {
    const real = await realpath(path).catch(() => null);
    if (real === null) {
      found.push([nameOf(path), 'missing']);
      return;
    }
    // The root itself is never left out: the folder of a package may also be that of the fixtures.
    if (seen.has(real) || (passOver.includes(real) && path !== root)) return;
    seen.add(real);
    const info = await stat(real);
    if (info.isFile()) await add(real);
    else if (info.isDirectory()) await visitFolder(real);
  }

  async function visitFolder(folder: string): Promise<void> {
    const entries = await readdir(folder, { withFileTypes: true });
    if (entries.some(({ name }) => name === 'pyvenv.cfg')) return visitPython(folder);
    if (basename(folder) === 'node_modules') {
      const state = entries.filter(({ name }) => INSTALLED.includes(name));
      if (state.length > 0) {
        for (const { name } of state) await add(join(folder, name));
        open.push(...(await linkedPackages(folder)));
        return;
      }
    }
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      if (PASSED_OVER.has(entry.name)) continue;
      const path = join(folder, entry.name);
      if (entry.isSymbolicLink()) {
        found.push([nameOf(path), `to ${await readlink(path)}`]);
        open.push(path);
      } else if (entry.isDirectory() || entry.isFile()) await visit(path);
    }
  }

  /**
   * Visits a virtual environment: what pip recorded about each package, with hashes of its files, and editable
   * packages.
   */
  async function visitPython(folder: string): Promise<void> {
    const isRecord = /(\.dist-info[/\\](RECORD|direct_url\.json)|\.pth|^pyvenv\.cfg|__editable__[^/\\]*\.py)$/;
    const names = await readdir(folder, { recursive: true });
    for (const name of names.filter((one) => isRecord.test(one)).sort()) {
      const path = join(folder, name);
      await add(path);
      if (name.endsWith('.pth') || name.endsWith('direct_url.json')) open.push(...(await placesIn(path)));
    }
  }

  for (let next = open.shift(); next !== undefined; next = open.shift()) await visit(next);
  return found;
}

/** Returns packages elsewhere that are linked into a `node_modules`, because they are under development. */
async function linkedPackages(folder: string): Promise<string[]> {
  const found: string[] = [];
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && entry.name.startsWith('@')) found.push(...(await linkedPackages(path)));
    if (!entry.isSymbolicLink() || entry.name === '.bin') continue;
    const real = await realpath(path).catch(() => null);
    // `pnpm` links what it has installed, which its records cover.
    if (real !== null && !real.includes(`${sep}node_modules${sep}`)) found.push(real);
  }
  return found.sort();
}

/** Returns the folders from which an editable installation in Python takes a package. */
async function placesIn(file: string): Promise<string[]> {
  const text = await readFile(file, 'utf8').catch(() => '');
  if (file.endsWith('.pth'))
    return text
      .split('\n')
      .map((line) => line.trim())
      .filter(isAbsolute);
  const json = parseJson(text);
  const url = isJsonObject(json) ? json['url'] : undefined;
  const info = isJsonObject(json) ? json['dir_info'] : undefined;
  const isEditable = isJsonObject(info) && info['editable'] === true;
  return isEditable && typeof url === 'string' && url.startsWith('file://') ? [fileURLToPath(url)] : [];
}

/** Files that mark the root of a package. */
const MANIFESTS = [
  ...['package.json', 'deno.json', 'deno.jsonc', 'pyproject.toml', 'setup.py', 'setup.cfg', 'pyvenv.cfg'],
  ...['Gemfile', 'composer.json', 'Cargo.toml', 'go.mod', 'mix.exs', 'pom.xml'],
  ...['build.gradle', 'build.gradle.kts', 'build.sbt', 'Package.swift', 'pubspec.yaml', 'cpanfile'],
];

/**
 * Returns the folders that contain a program's files: the nearest package above it and, if that is an environment with
 * installed packages, the package around it. Empty if it is in no package. `notAbove`: folders that are no packages,
 * such as HOME.
 */
export async function packagesOf(program: string, notAbove: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (let folder = dirname(program); dirname(folder) !== folder; folder = dirname(folder)) {
    if (notAbove.includes(folder)) break;
    const names: string[] = await readdir(folder).catch(() => []);
    if (!MANIFESTS.some((name) => names.includes(name))) continue;
    // A folder of built files may have a package.json with only `{"type": "module"}`. It is not the root.
    if (names.includes('package.json') && !(await isRoot(join(folder, 'package.json')))) {
      found.push(folder);
      continue;
    }
    found.push(folder);
    const modules = folder.lastIndexOf(`${sep}node_modules${sep}`);
    // Its dependencies are beside it.
    if (modules !== -1) found.push(folder.slice(0, modules + `${sep}node_modules`.length));
    if (!names.includes('pyvenv.cfg')) break;
  }
  return found;
}

async function isRoot(manifest: string): Promise<boolean> {
  const json = parseJson(await readFile(manifest, 'utf8').catch(() => ''));
  return isJsonObject(json) && ['name', 'dependencies', 'workspaces', 'bin', 'scripts'].some((key) => key in json);
}
