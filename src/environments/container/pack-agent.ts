import { closeSync, existsSync, openSync, readSync, realpathSync, statSync } from 'node:fs';
import { chmod, copyFile, cp, lstat, mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import {
  createFolderOnce,
  findExecutable,
  isBinary,
  isRealFolder,
  packageFile,
  readText,
  readTextIfThere,
} from '#host';
import { isJsonObject, type Json, parseJson, sha256, shellWord } from '#lib';
import { noteUse, packsFolder } from './packs.js';

/** Where a packed agent is in a container. */
const PLACE = '/opt/llm-tool-test/agent';

/** The folder of its program, for PATH. */
export const PACKED_BIN = `${PLACE}/bin`;
/** Node, which comes with every packed agent. */
export const PACKED_NODE = `${PLACE}/node`;
/** The path of a program of ours in a container with a packed agent. */
export const packedProgram = (name: string): string => `${PLACE}/programs/${basename(name, '.js')}.mjs`;
/** Our programs that containers need, each in one file. */
const PROGRAMS = ['acp-program.js', 'with-provider-program.js'];
/** The path of the agent's program in the container. `program`: its name or path on this machine. */
export const packedAgent = (program: string): string => `${PACKED_BIN}/${basename(program)}`;

/** An agent of this machine that can be used in containers, which have none of its files. */
type Packable = {
  /** The real path of its program, and its name on PATH. */
  program: string;
  name: string;
  /** The folders of the npm packages that it consists of, each also as it is found; empty for a binary. */
  packages: { found: string; real: string }[];
  /** The folder above all of them. */
  base: string;
};

/** Returns what an agent consists of, or why it cannot be packed. `program`: an executable file of this machine. */
export async function findParts(program: string): Promise<Packable | { why: string }> {
  if (process.platform !== 'linux') return { why: `programs of ${process.platform} do not run in containers` };
  const real = realpathSync(program);
  const name = basename(program);
  if (isBinary(real)) return { program: real, name, packages: [], base: dirname(real) };
  const interpreter = interpreterOf(real);
  if (interpreter.includes('python')) return { why: `${name} is a program of Python, whose packages are not packed` };
  if (!/\bnode\b/.test(interpreter))
    return {
      why: `${name} is a script for ${interpreter || 'no interpreter'}; only binaries and npm packages are packed`,
    };
  const root = await packageOf(dirname(real));
  if (root === null) return { why: `${name} is a script of Node that is in no npm package` };
  const packages = await withDependencies(root);
  return { program: real, name, packages, base: commonFolder(packages.flatMap(({ found, real: at }) => [found, at])) };
}

/** The first line of a script, without `#!`; empty if it has none. */
function interpreterOf(file: string): string {
  const [, line = ''] = /^#!(.*)/.exec(beginningOfFile(file, 256).toString('latin1')) ?? [];
  return line.trim();
}

function beginningOfFile(file: string, bytes: number): Buffer {
  const descriptor = openSync(file, 'r');
  try {
    const buffer = Buffer.alloc(bytes);
    return buffer.subarray(0, readSync(descriptor, buffer, 0, bytes, 0));
  } finally {
    closeSync(descriptor);
  }
}

/** The fields of a folder's package.json; none if there is no such file. */
async function packageJson(folder: string): Promise<Record<string, Json | undefined>> {
  const json = parseJson((await readTextIfThere(join(folder, 'package.json'))) ?? '');
  return isJsonObject(json) ? json : {};
}

/** The nearest folder above that is a package, and not only has settings for Node; null if there is none. */
async function packageOf(folder: string): Promise<string | null> {
  if (typeof (await packageJson(folder))['name'] === 'string') return folder;
  return dirname(folder) === folder ? null : packageOf(dirname(folder));
}

/** A package and all that it needs and that is installed, as Node finds it. */
async function withDependencies(root: string): Promise<Packable['packages']> {
  const all = new Map<string, { found: string; real: string }>([[root, { found: root, real: root }]]);
  for (const { real } of all.values()) {
    const fields = await packageJson(real);
    const needed = ['dependencies', 'optionalDependencies', 'peerDependencies'].flatMap((kind) =>
      isJsonObject(fields[kind]) ? Object.keys(fields[kind]) : [],
    );
    for (const name of needed) {
      const found = installed(name, real);
      if (found !== null) all.set(found, { found, real: realpathSync(found) });
    }
  }
  return [...all.values()];
}

/** The folder of a package as Node finds it from another folder; null if it is not installed. */
function installed(name: string, from: string): string | null {
  const folder = join(from, 'node_modules', name);
  if (existsSync(join(folder, 'package.json'))) return folder;
  return dirname(from) === from ? null : installed(name, dirname(from));
}

/** The folder above all packages: Node finds them only below a folder of the name `node_modules`. */
function commonFolder(paths: readonly string[]): string {
  const [first = '/', ...others] = paths;
  let common = dirname(first);
  while (!others.every((path) => path.startsWith(common === '/' ? '/' : `${common}/`))) common = dirname(common);
  const at = common.lastIndexOf('/node_modules');
  return at === -1 ? common : common.slice(0, at) || '/';
}

const PT_INTERP = 3;

/** True if a 64-bit ELF program needs no loader, so that it runs with any C library. */
export function isStatic(file: string): boolean {
  const start = beginningOfFile(file, 64 * 1024);
  if (start.length < 64 || start.toString('latin1', 0, 4) !== '\x7fELF' || start[4] !== 2) return false;
  const [at, size, count] = [Number(start.readBigUInt64LE(32)), start.readUInt16LE(54), start.readUInt16LE(56)];
  if (at + size * count > start.length) return false;
  return Array.from({ length: count }, (_, nth) => start.readUInt32LE(at + nth * size)).every(
    (kind) => kind !== PT_INTERP,
  );
}

/** The static binary of the same name that packages may bring, as that of Codex; null if there is none. */
async function staticBinary({ name, packages }: Packable): Promise<string | null> {
  for (const { real } of packages)
    for (const path of await readdir(real, { recursive: true })) {
      const file = join(real, path);
      if (basename(path) === name && (await lstat(file)).isFile() && isBinary(file) && isStatic(file)) return file;
    }
  return null;
}

/**
 * Packs an agent of this machine into a folder that containers mount, unless that was done, and returns the folder. It
 * has a program of the agent's name that starts it, Node, and programs of ours.
 *
 * @param path PATH on which Node is found.
 * @param openRun A file that is there until the run that uses it is over (packs.ts).
 */
export async function packAgent(
  program: string,
  path?: string,
  openRun?: string,
): Promise<{ folder: string } | { why: string }> {
  const parts = await findParts(program);
  if ('why' in parts) return parts;
  const programs = PROGRAMS.map((name) => packageFile(join('dist', name)));
  const node = realpathSync(findExecutable('node', path) ?? process.execPath);
  const look = (file: string) => {
    const { size, mtimeMs } = statSync(file);
    return [file, size, mtimeMs];
  };
  const manifest = parts.packages.map(({ real }) => join(real, 'package.json'));
  const contents = [parts.packages, [parts.program, node, ...manifest].map(look), programs.map(readText)];
  const key = sha256(JSON.stringify(contents));
  const folder = join(packsFolder(), `${parts.name}-${key.slice(0, 16)}`);
  if (openRun !== undefined) await noteUse(folder, openRun);
  if (isRealFolder(folder)) return { folder };
  await mkdir(dirname(folder), { recursive: true, mode: 0o700 });
  await createFolderOnce(folder, async (into) => {
    for (const name of ['bin', 'agent', 'programs']) await mkdir(join(into, name));
    await copyFile(node, join(into, 'node'));
    for (const one of programs) await copyFile(one, join(into, relative(PLACE, packedProgram(basename(one)))));
    const start = join(into, 'bin', parts.name);
    await writeFile(start, `#!/bin/sh\nexec ${(await copyParts(parts, into)).map(shellWord).join(' ')} "$@"\n`);
    await chmod(start, 0o755);
  });
  return { folder };
}

/** Copies the parts of an agent, and returns the beginning of the command line that starts it in a container. */
async function copyParts(parts: Packable, into: string): Promise<string[]> {
  const { program, name, packages, base } = parts;
  if (packages.length === 0) {
    await copyFile(program, join(into, 'agent', name));
    return [`${PLACE}/agent/${name}`];
  }
  const inside = (path: string): string => join('agent', relative(base, path));
  for (const { found, real } of packages) {
    const to = join(into, inside(real));
    await mkdir(dirname(to), { recursive: true });
    // A package within another one was copied with it.
    if (!existsSync(to)) await cp(real, to, { recursive: true, verbatimSymlinks: true });
    if (found === real) continue;
    const link = join(into, inside(found));
    await mkdir(dirname(link), { recursive: true });
    if (!existsSync(link)) await symlink(relative(dirname(link), to), link);
  }
  const own = await staticBinary(parts);
  return own === null ? [PACKED_NODE, `${PLACE}/${inside(program)}`] : [`${PLACE}/${inside(own)}`];
}

/** The arguments of `docker run` that mount a folder of this machine, which cannot be written to. */
export const mountOf = (folder: string, target: string): string[] => [
  '--mount',
  `type=bind,source=${folder},target=${target},readonly`,
];

/** The same for a packed agent. */
export const mountArgs = (folder: string): string[] => mountOf(folder, PLACE);

/** Script that starts a program for its version. It also prints which C library there is, if that is musl. */
export const tryScript = (program: string, args: readonly string[]): string =>
  `ls /lib/ld-musl-* >/dev/null 2>&1 && echo musl >&2
HOME=\${TMPDIR:-/tmp}; export HOME
exec ${[program, ...args].map(shellWord).join(' ')}`;

/** The reason why an agent did not start in an image, as `tryScript` printed it. */
export function misfitReason(program: string, stderr: string): string {
  const name = basename(program);
  const lines = stderr.trim().split('\n');
  const [glibc] = [...stderr.matchAll(/GLIBC_(\d+\.\d+)' not found/g)]
    .map(([, version]) => version)
    .sort(byVersion)
    .reverse();
  if (glibc !== undefined) return `its C library is older than glibc ${glibc}, which ${name} needs`;
  const [, library] = /error while loading shared libraries: ([^:\s]+)/.exec(stderr) ?? [];
  if (library !== undefined) return `it has no ${library}, which ${name} needs`;
  if (lines.includes('musl')) return `its C library is musl, and ${name} of this machine is made for glibc`;
  if (/not found|no such file/i.test(stderr)) return `it has no glibc, for which ${name} of this machine is made`;
  return `${name} does not start in it: ${lines.find((line) => /error/i.test(line)) ?? lines.at(-1) ?? ''}`;
}

const byVersion = (a = '', b = ''): number => a.localeCompare(b, 'en', { numeric: true });
