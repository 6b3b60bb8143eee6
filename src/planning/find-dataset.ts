import { createHash } from 'node:crypto';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import ignore from 'ignore';
import { z } from 'zod';
import { cacheHome, displayPath, temporaryName } from '#host';
import { check } from '#input';
import { fileProblem, shellWord, UsageError } from '#lib';
import { nameOfTask, readToml, TASK_FILE } from '#scenario';
import { isFile, isFolder, loadText, readText } from './file-checks.js';
import { leaveOutOfTask } from './left-out-of-task.js';

/*
 * Datasets of Harbor: a registry.json names tasks by their folders, on disk or in a commit of a repository; a
 * dataset.toml pins tasks by their content. Nothing is downloaded.
 */

const REGISTRY = 'registry.json';
const MANIFEST = 'dataset.toml';
const COMMIT = /^[0-9a-f]{7,64}$/i;

const Registry = z.array(
  z.object({
    name: z.string(),
    version: z.string(),
    tasks: z.array(
      z.object({
        name: z.string().exactOptional(),
        git_url: z.string().nullable().optional(),
        git_commit_id: z.string().nullable().optional(),
        path: z.string(),
      }),
    ),
  }),
);
type Dataset = z.infer<typeof Registry>[number];
type TaskOfRegistry = Dataset['tasks'][number];

const Manifest = z.object({
  tasks: z
    .array(z.object({ name: z.string(), digest: z.string().regex(/^sha256:[a-f0-9]{64}$/, 'expected sha256:<hash>') }))
    .default([]),
});

const notFound = (message: string): UsageError => new UsageError('scenario_not_found', message);
const invalid = (file: string, message: string): UsageError => {
  const problem = fileProblem(file, message);
  return new UsageError('scenario_invalid', `${file} is not valid`, [problem]);
};

/** The file of a task in a folder. @throws UsageError if the folder is none of a task */
function taskIn(folder: string, by: string): string {
  const file = join(folder, TASK_FILE);
  if (isFile(file)) return file;
  throw notFound(`${displayPath(folder)}, which ${by} names, is no folder of a task: it has no ${TASK_FILE}`);
}

/** True if nothing of a path leads out of the folder that it is relative to. */
const staysBelow = (path: string): boolean => !path.startsWith('/') && !path.split('/').includes('..');

const git = (clone: string, ...args: string[]) => spawnSync('git', ['-C', clone, ...args], { encoding: 'utf8' });

/** Two spellings of the same address of a repository. */
const plainUrl = (url: string): string =>
  url
    .trim()
    .replace(/^git@([^:]+):/, 'https://$1/')
    .replace(/(\.git)?\/?$/, '')
    .toLowerCase();

/** The clone of a repository: a folder beside the registry, the folder of the registry, or one above it. */
function cloneOf(url: string, beside: string): string | null {
  const isClone = (folder: string): boolean => {
    if (!existsSync(join(folder, '.git'))) return false;
    const { status, stdout } = git(folder, 'remote', '-v');
    return status === 0 && stdout.split('\n').some((line) => plainUrl(line.split(/\s/)[1] ?? '') === plainUrl(url));
  };
  const above = [beside];
  for (let one = beside; one !== dirname(one); one = dirname(one)) above.push(dirname(one));
  const next = readdirSync(beside, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return [...next.map(({ name }) => join(beside, name)), ...above].find(isClone) ?? null;
}

/** Extracts a folder of a commit, once. Returns where it is. */
function folderAt(clone: string, commit: string, path: string): string {
  const root = join(cacheHome(), 'tasks', commit);
  const folder = join(root, path);
  if (isFolder(folder)) return folder;
  const scratch = temporaryName(folder);
  mkdirSync(scratch, { recursive: true });
  try {
    const archive = execFileSync('git', ['-C', clone, 'archive', '--format=tar', `${commit}:${path}`], {
      maxBuffer: 1024 * 1024 * 1024,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    execFileSync('tar', ['-C', scratch, '-xf', '-'], { input: archive });
    renameSync(scratch, folder);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
  return folder;
}

/**
 * The file of a task of a registry.
 *
 * @throws UsageError with the command that gets what is not on this machine
 */
function taskOfRegistry({ path, git_url: url, git_commit_id: commit }: TaskOfRegistry, registry: string): string {
  const shown = displayPath(registry);
  if (!staysBelow(path)) throw invalid(shown, `the path '${path}' leads out of its repository`);
  const beside = dirname(registry);
  if (url == null) return taskIn(join(beside, path), shown);
  const clone = cloneOf(url, beside);
  if (clone === null) {
    const into = join(displayPath(beside), basename(plainUrl(url)));
    throw notFound(
      `${shown} names tasks of ${url}, of which no clone is here; get it with: git clone ${shellWord(url)} ${shellWord(into)}`,
    );
  }
  if (commit == null || commit === 'HEAD') return taskIn(join(clone, path), shown);
  if (!COMMIT.test(commit)) throw invalid(shown, `'${commit}' is no commit`);
  if (git(clone, 'cat-file', '-e', `${commit}^{commit}`).status !== 0)
    throw notFound(
      `${displayPath(clone)} lacks the commit ${commit}; get it with: git -C ${shellWord(displayPath(clone))} fetch origin ${commit}`,
    );
  if (git(clone, 'cat-file', '-e', `${commit}:${path}`).status !== 0)
    throw notFound(`${displayPath(clone)} has no '${path}' in the commit ${commit}`);
  return taskIn(folderAt(clone, commit, path.replace(/^\.\//, '')), shown);
}

/** @throws UsageError if the file is no registry */
function readRegistry(file: string): Dataset[] {
  const shown = displayPath(file);
  const read = loadText(file);
  if (!read.ok) throw invalid(shown, read.reason);
  let value: unknown;
  try {
    value = JSON.parse(read.text);
  } catch (error) {
    throw invalid(shown, (error as Error).message);
  }
  const parsed = Registry.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw invalid(shown, `${(issue?.path ?? []).join('.')}: ${issue?.message ?? 'expected a list of datasets'}`);
}

const nameOf = ({ name, version }: Dataset): string => `${name}@${version}`;

/** The folder or registry, and the name behind it, in `path/NAME@VERSION`; null if there is no registry there. */
function splitName(name: string): { registry: string; dataset: string } | null {
  const parts = name.split('/');
  for (let at = parts.length - 1; at >= 0; at -= 1) {
    const path = resolve(parts.slice(0, at).join('/') || (name.startsWith('/') ? '/' : '.'));
    const dataset = parts.slice(at).join('/');
    if (isFile(path) && basename(path) === REGISTRY) return { registry: path, dataset };
    if (isFile(join(path, REGISTRY))) return { registry: join(path, REGISTRY), dataset };
  }
  return null;
}

/** The hash of what Harbor publishes of a task folder, as its packages are pinned by it. */
export function digestOfTask(folder: string): string {
  const rules = ignore().add(
    readText(join(folder, '.gitignore')) ?? '__pycache__/\n*.pyc\n.DS_Store\n*.swp\n*.swo\n*~\n',
  );
  const { isLeftOut } = leaveOutOfTask(folder);
  const files: string[] = [];
  const visit = (path: string): void => {
    for (const entry of readdirSync(join(folder, path), { withFileTypes: true })) {
      const own = `${path}/${entry.name}`;
      if (!/^environment\//.test(own) && isLeftOut(own, entry.isDirectory())) continue;
      if (entry.isDirectory()) visit(own);
      else if (isFile(join(folder, own))) files.push(own);
    }
  };
  for (const part of ['environment', 'tests', 'solution', 'steps']) if (isFolder(join(folder, part))) visit(part);
  const single = [TASK_FILE, 'instruction.md', 'README.md', 'trajectory.json'];
  const all = [...single.filter((file) => isFile(join(folder, file))), ...files]
    .filter((file) => !rules.ignores(file))
    .sort();
  const hash = createHash('sha256');
  for (const file of all)
    hash.update(
      `${file}\0${createHash('sha256')
        .update(readFileSync(join(folder, file)))
        .digest('hex')}\n`,
    );
  return `sha256:${hash.digest('hex')}`;
}

/** The tasks of a dataset.toml, which lie below its folder or beside it. */
function tasksOfManifest(file: string): string[] {
  const shown = displayPath(file);
  const read = loadText(file);
  if (!read.ok) throw invalid(shown, read.reason);
  const toml = readToml(shown, read.text);
  const loaded = toml.ok ? check(Manifest, toml.source) : toml;
  if (!loaded.ok)
    throw new UsageError('scenario_invalid', `${shown} is not valid`, loaded.problems, new Map([[shown, read.text]]));
  const folder = dirname(file);
  const known = new Map<string, string>();
  for (const beside of [folder, join(folder, 'tasks'), dirname(folder)]) {
    if (!isFolder(beside)) continue;
    for (const name of readdirSync(beside)) {
      const task = join(beside, name, TASK_FILE);
      const text = isFile(task) ? readText(task) : null;
      if (text !== null && !known.has(nameOfTask(task, text))) known.set(nameOfTask(task, text), task);
    }
  }
  return loaded.value.tasks.map(({ name, digest }, index) => {
    const at = (message: string): UsageError =>
      new UsageError(
        'scenario_invalid',
        `${shown} does not fit the tasks beside it`,
        [loaded.problemAt(['tasks', index], message)],
        new Map([[shown, read.text]]),
      );
    const task = known.get(name);
    if (task === undefined)
      throw at(
        `${name} is not on this machine; get it with: harbor download ${name}@${digest} -o ${displayPath(folder)}`,
      );
    const found = digestOfTask(dirname(task));
    if (found !== digest)
      throw at(`${relative(process.cwd(), dirname(task))} is another version of ${name}: ${found}, not ${digest}`);
    return task;
  });
}

/**
 * The files of the tasks of a dataset that is named `path/NAME@VERSION`, by a registry with one dataset, or by a
 * dataset.toml or its folder. Null if a name is none of these.
 *
 * @throws UsageError if something of it is not on this machine, with the command that gets it
 */
export function findDataset(name: string): { folder: string; files: string[] } | null {
  const path = resolve(name);
  const manifest = [path, join(path, MANIFEST)].find((one) => basename(one) === MANIFEST && isFile(one));
  if (manifest !== undefined) return { folder: dirname(manifest), files: tasksOfManifest(manifest) };
  const own = basename(path) === REGISTRY && isFile(path) ? { registry: path, dataset: '' } : null;
  const named = own ?? (name.includes('@') ? splitName(name) : null);
  if (named === null) return null;
  const { registry, dataset } = named;
  const all = readRegistry(registry);
  const fitting = dataset === '' ? all : all.filter((one) => nameOf(one) === dataset);
  const [found, other] = fitting;
  if (found === undefined || other !== undefined)
    throw notFound(
      `${displayPath(registry)} has ${all.length === 0 ? 'no datasets' : all.map(nameOf).join(', ')}; name one: ${join(displayPath(dirname(registry)), all[0] === undefined ? 'NAME@VERSION' : nameOf(all[0]))}`,
    );
  return { folder: dirname(registry), files: found.tasks.map((task) => taskOfRegistry(task, registry)) };
}
