import { existsSync } from 'node:fs';
import { readdir, readlink, realpath, stat } from 'node:fs/promises';
import { homedir, tmpdir, userInfo } from 'node:os';
import { basename, delimiter, dirname, isAbsolute, join, resolve } from 'node:path';
import type { EnvironmentHandle } from './environment.js';
import { AGENT_FOLDERS, RUN_FOLDERS } from './run-folders.js';

/**
 * The look of a path of this machine inside the sandbox: `empty` folder; `masked` file that cannot be opened; `scratch`
 * folder (empty, writable, discarded at the end); `readable`; `writable`.
 */
export type Visibility = 'empty' | 'masked' | 'scratch' | 'readable' | 'writable';

export interface Rule {
  /** Absolute. None of its parent folders is a symlink that a rule hides. */
  path: string;
  look: Visibility;
}

const MOUNT: Record<Visibility, (path: string) => string[]> = {
  empty: (path) => ['--tmpfs', path],
  masked: (path) => ['--ro-bind', '/dev/null', path], // in a bind mount of bwrap, devices cannot be opened
  scratch: (path) => ['--tmpfs', path],
  readable: (path) => ['--ro-bind', path, path],
  writable: (path) => ['--bind', path, path],
};

/** For each look of a rule, the looks of the place above it for which the rule makes a difference. */
const CHANGES: Record<Visibility, readonly Visibility[]> = {
  empty: ['readable'],
  masked: ['readable'],
  scratch: ['readable', 'empty'],
  readable: ['empty', 'scratch'],
  writable: ['empty', 'scratch', 'readable'],
};

const isBelow = (path: string, folder: string): boolean =>
  path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);

/**
 * Arguments of bwrap that make everything readable except for the rules. The nearest rule above a path decides; of two
 * rules for the same path, the later one.
 */
export function bubblewrapArgs(rules: readonly Rule[], workspace: string): string[] {
  const byPath = new Map(rules.map((rule) => [rule.path, rule]));
  byPath.delete('/'); // a rule for everything would hide all programs
  const kept: Rule[] = [];
  // A folder is sorted before its contents.
  for (const rule of [...byPath.values()].sort((a, b) => (a.path < b.path ? -1 : 1))) {
    const above = kept.findLast(({ path }) => isBelow(rule.path, path))?.look ?? 'readable';
    if (CHANGES[rule.look].includes(above)) kept.push(rule);
  }
  return [
    // A /proc of its own namespace: through another process's /proc, its view of the files could be entered.
    ...['--unshare-pid', '--unshare-ipc', '--die-with-parent'],
    // Otherwise root could undo all of this.
    ...['--cap-drop', 'ALL'],
    ...['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc'],
    // Kernel settings, which root can write without any capability.
    ...['/proc/sys', '/proc/sysrq-trigger'].flatMap((path) => ['--ro-bind-try', path, path]),
    ...kept.flatMap(({ path, look }) => MOUNT[look](path)),
    // Last, because mount points had to be created in them first.
    ...kept.flatMap(({ path, look }) => (look === 'empty' ? ['--remount-ro', path] : [])),
    ...['--chdir', workspace],
  ];
}

/** Home folders, and sockets of daemons (Docker, D-Bus, key agents). */
const HOMES_AND_SOCKETS = ['/home', '/root', '/run'];
/** Variables that name files or folders with keys, or sockets, wherever those are. */
const CREDENTIALS = [
  ...['SSH_AUTH_SOCK', 'GNUPGHOME', 'NETRC', 'PGPASSFILE', 'NPM_CONFIG_USERCONFIG'],
  ...['AWS_SHARED_CREDENTIALS_FILE', 'AWS_CONFIG_FILE'],
  ...['AWS_WEB_IDENTITY_TOKEN_FILE', 'AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE'],
  ...['AZURE_CONFIG_DIR', 'AZURE_FEDERATED_TOKEN_FILE', 'AZURE_CLIENT_CERTIFICATE_PATH'],
  ...['GOOGLE_APPLICATION_CREDENTIALS', 'CLOUDSDK_CONFIG', 'GH_CONFIG_DIR'],
  ...['KUBECONFIG', 'DOCKER_CONFIG', 'REGISTRY_AUTH_FILE'],
  ...['TEMPORAL_CONFIG_FILE', 'TEMPORAL_TLS_CLIENT_KEY_PATH'],
  ...['CLAUDE_CONFIG_DIR', 'CODEX_HOME'],
];
/** Files that mark the package of a program, all of which the program may need. */
const MANIFESTS = ['package.json', 'pyproject.toml'];
/** Folders of a home in which `bin` is next to what does not belong to programs: logins, state. */
const SHARED = new Set(['.local', '.cargo', '.config']);

/** A program that is started in a sandbox. */
interface SandboxedCommand {
  argv: readonly string[];
  env: Readonly<Record<string, string>>;
  /** Set for what checks the agent's work: it has its own folders apart from the agent's, and can read `shown`. */
  checks?: { shown: readonly string[] };
}

/**
 * Returns the rules of a sandbox: nothing of the user and of other runs is visible; the programs that the agent needs
 * are readable; its own folders are writable.
 */
export async function rulesFor(handle: EnvironmentHandle, { argv, env, checks }: SandboxedCommand): Promise<Rule[]> {
  const hidden = await hiddenPlaces(handle);
  const project = await rules([handle.project], 'empty');
  const root = await realpath(handle.root);
  const walls = { hidden: hidden.map(({ path }) => path), project: project[0]?.path ?? null };
  const isHidden = (path: string): boolean => isBehind(path, walls);
  const isOwn = (path: string): boolean => [handle.root, root].some((own) => path === own || isBelow(path, own));

  const folders = (env['PATH'] ?? '').split(delimiter).filter(isAbsolute);
  const wanted = [
    ...folders,
    ...(await Promise.all(folders.filter(isHidden).map(linkedFrom))).flat(),
    // Paths that the user names must be visible.
    ...[...argv, ...Object.values(env)].filter(isAbsolute),
  ].filter((path) => existsSync(path));
  const named = await Promise.all(wanted.map(async (path) => [path, await realpath(path)]));
  const programs = [...new Set(named.flat())].filter((path) => isHidden(path) && !isOwn(path));
  // Also under the name that is used, if a rule hides the symlinks by which it leads to the folder.
  const roots = isHidden(handle.root) ? [handle.root, root] : [root];
  const own = (name: string, look: Visibility): Rule[] => roots.map((folder) => ({ path: join(folder, name), look }));
  return [
    ...project,
    ...(await Promise.all(programs.map((path) => reachOf(path, walls)))).map((path): Rule => ({
      path,
      look: 'readable',
    })),
    ...(await rules([await resolverFolder()], 'readable')),
    ...hidden,
    ...[basename(handle.workspace), ...AGENT_FOLDERS].flatMap((name) => own(name, 'writable')),
    ...own(RUN_FOLDERS.binaries, 'readable'),
    ...(existsSync(join(handle.root, RUN_FOLDERS.sockets)) ? own(RUN_FOLDERS.sockets, 'readable') : []),
    ...(checks === undefined
      ? []
      : [...own(RUN_FOLDERS.checks, 'writable'), ...(await rules(checks.shown, 'readable'))]),
  ];
}

async function hiddenPlaces(handle: EnvironmentHandle): Promise<Rule[]> {
  // KUBECONFIG may be a list
  const named = CREDENTIALS.flatMap((name) => (process.env[name] ?? '').split(delimiter));
  return [
    ...(await rules([...HOMES_AND_SOCKETS, homedir(), userInfo().homedir], 'empty')),
    ...(await rules(['/tmp', '/var/tmp', tmpdir()], 'scratch')),
    ...(await rules([...handle.hidden, ...named], 'empty')),
  ];
}

/** Returns rules for the paths that exist, by real path. A file cannot be `empty`, so it is `masked`. */
async function rules(paths: readonly (string | null)[], look: Visibility): Promise<Rule[]> {
  const found = paths.map(async (path): Promise<Rule[]> => {
    const real = path === null || !isAbsolute(path) ? null : await realpath(path).catch(() => null);
    if (real === null) return [];
    const isFolder = (await stat(real)).isDirectory();
    return [{ path: real, look: look === 'empty' && !isFolder ? 'masked' : look }];
  });
  return (await Promise.all(found)).flat();
}

/** Returns the targets of the symlinks in a folder. */
async function linkedFrom(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const links = entries.filter((entry) => entry.isSymbolicLink());
  return Promise.all(links.map(async ({ name }) => resolve(folder, await readlink(join(folder, name)))));
}

/** Hidden places, by real path. */
interface Walls {
  hidden: readonly string[];
  /** The project's folder. Not hidden if it is itself the package of a program. */
  project: string | null;
}

const isBehind = (path: string, { hidden, project }: Walls): boolean =>
  path === project || [...hidden, ...(project === null ? [] : [project])].some((wall) => isBelow(path, wall));

/**
 * Returns what must be readable for a program, or a folder of programs, to work: the path itself, or a folder above it.
 */
async function reachOf(path: string, walls: Walls): Promise<string> {
  const modules = path.indexOf('/node_modules/');
  if (modules !== -1) return path.slice(0, modules + '/node_modules'.length);
  const isFile = (await stat(path)).isFile();
  const folder = isFile ? dirname(path) : path;
  for (let above = folder; isFile && isBehind(above, walls); above = dirname(above)) {
    const isPackage = MANIFESTS.some((name) => existsSync(join(above, name)));
    if (isPackage && !walls.hidden.includes(above)) return above;
  }
  if (!['bin', 'shims'].includes(basename(folder))) return path;
  const prefix = dirname(folder);
  const isWide = !isBehind(prefix, walls) || walls.hidden.includes(prefix) || prefix === walls.project;
  return isWide || SHARED.has(basename(prefix)) ? path : prefix;
}

/** Folder of the file with the name servers' addresses, if /etc/resolv.conf is a symlink to it. */
async function resolverFolder(): Promise<string | null> {
  const file = await realpath('/etc/resolv.conf').catch(() => null);
  return file === null ? null : dirname(file);
}
