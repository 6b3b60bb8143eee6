import { readdir, readFile, readlink, realpath, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isJsonObject, parseJson } from '../../lib/json.js';
import { fingerprint } from './fingerprint.js';

/** More than this is no program's source, and would be read for every run. */
const MAX_FILES = 10_000;
const MAX_BYTES = 256 * 1024 * 1024;

/** History and caches of tools: they change without the program, and it does not read them. */
const PASSED_OVER = new Set([
  ...['.git', '.hg', '.svn', '__pycache__', '.pytest_cache', '.mypy_cache', '.ruff_cache', '.tox', '.nox'],
  'llm-tool-test-config.toml',
]);
/** What package managers keep of what they have put into `node_modules`. */
const INSTALLED = ['.package-lock.json', '.modules.yaml', '.yarn-state.yml'];

/** A file or link by its path, and what it holds. */
export type SourceFile = [path: string, content: string];

/** Thrown where there is more than can be read for every run; the message names the folder. */
export class TooMuch extends Error {}

/**
 * All files below a file or folder, with their contents, in a fixed order; symlinks are followed, each place once.
 * Installed dependencies (`node_modules`, a virtual environment of Python) are told by what their package manager wrote
 * down, and by the packages that are linked into them. `passOver`: real paths that are no part of it.
 * @throws TooMuch
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
      throw new TooMuch(`${root} has more than ${MAX_FILES} files or ${MAX_BYTES / 1024 / 1024} MiB`);
  };
  /** Names in the root by their place there: a checkout elsewhere is the same program. */
  const nameOf = (path: string): string =>
    path === root || path.startsWith(root + sep) ? relative(root, path) : path;

  async function visit(path: string): Promise<void> {
    const real = await realpath(path).catch(() => null);
    if (real === null) {
      found.push([nameOf(path), 'missing']);
      return;
    }
    // The folder of a package may be that of the fixtures, too.
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

  /** A virtual environment: its programs, and what pip has written down of each package, with hashes of all its files. */
  async function visitPython(folder: string): Promise<void> {
    const isRecord =
      /(\.dist-info[/\\](RECORD|direct_url\.json)|\.pth|^pyvenv\.cfg|__editable__[^/\\]*\.py)$/;
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

/** Packages outside that are linked into a `node_modules`: those that are being worked on. */
async function linkedPackages(folder: string): Promise<string[]> {
  const found: string[] = [];
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && entry.name.startsWith('@')) found.push(...(await linkedPackages(path)));
    if (!entry.isSymbolicLink() || entry.name === '.bin') continue;
    const real = await realpath(path).catch(() => null);
    // pnpm links what it has installed; that is written down.
    if (real !== null && !real.includes(`${sep}node_modules${sep}`)) found.push(real);
  }
  return found.sort();
}

/** Folders that an editable installation of Python takes a package from. */
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

/** What makes a folder the root of a package. */
const MANIFESTS = [
  ...['package.json', 'deno.json', 'deno.jsonc', 'pyproject.toml', 'setup.py', 'setup.cfg', 'pyvenv.cfg'],
  ...['Gemfile', 'composer.json', 'Cargo.toml', 'go.mod', 'mix.exs', 'pom.xml'],
  ...['build.gradle', 'build.gradle.kts', 'build.sbt', 'Package.swift', 'pubspec.yaml', 'cpanfile'],
];

/**
 * Folders that a program's files are in: the nearest package above it, and where that is an environment with installed
 * packages, the package around that. Empty: it is in no package. `notAbove`: folders that are no package, such as HOME.
 */
export async function packagesOf(program: string, notAbove: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (let folder = dirname(program); dirname(folder) !== folder; folder = dirname(folder)) {
    if (notAbove.includes(folder)) break;
    const names: string[] = await readdir(folder).catch(() => []);
    if (!MANIFESTS.some((name) => names.includes(name))) continue;
    // `{"type": "module"}` in a folder of built files is not the root of a package.
    if (names.includes('package.json') && !(await isRoot(join(folder, 'package.json')))) {
      found.push(folder);
      continue;
    }
    found.push(folder);
    const modules = folder.lastIndexOf(`${sep}node_modules${sep}`);
    // Its dependencies lie beside it.
    if (modules !== -1) found.push(folder.slice(0, modules + `${sep}node_modules`.length));
    if (!names.includes('pyvenv.cfg')) break;
  }
  return found;
}

async function isRoot(manifest: string): Promise<boolean> {
  const json = parseJson(await readFile(manifest, 'utf8').catch(() => ''));
  return (
    isJsonObject(json) && ['name', 'dependencies', 'workspaces', 'bin', 'scripts'].some((key) => key in json)
  );
}
