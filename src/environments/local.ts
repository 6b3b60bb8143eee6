import { randomBytes } from 'node:crypto';
import { accessSync, constants, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir, readdir, rename, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { FileLook } from '../gates/gate.js';
import type { CommandResult } from '../lib/command-result.js';
import { copyLoosely, type LeftOut } from '../platform/copy-loosely.js';
import { killMarked, markOf, RUN_MARK } from '../platform/marked-processes.js';
import { findInside, readInside, restoreAccess } from '../platform/open-inside.js';
import { runCommand } from '../platform/run-command.js';
import { containment, inspect, startSupervised, stopSupervised, waitForEnd } from '../platform/supervise.js';
import { copyTree, isFolder, listTree, placeOnce, removeTree } from '../platform/tree.js';
import type { Environment, EnvironmentHandle, ProcessHandle } from './environment.js';
import { RUN_FOLDERS, startFolder, startNumbers } from './run-folders.js';
import { workspaceChanges } from './workspace-changes.js';

const markOfPart = ({ mark }: EnvironmentHandle, part: string | undefined): string =>
  part === undefined ? mark : markOf(mark, part);

/** There for as long as nothing of the run was started outside a PID namespace, and so nothing can outlive its start. */
const confinedNote = (handle: EnvironmentHandle): string => join(handle.root, 'confined');
const forgetConfined = (handle: EnvironmentHandle): void => rmSync(confinedNote(handle), { force: true });

/** The search reads the environment of every process on the machine; most runs have nothing to be searched for. */
async function killLeft(handle: EnvironmentHandle): Promise<void> {
  if (!existsSync(confinedNote(handle))) await killMarked(handle.mark);
}

async function livingStarts({ root }: EnvironmentHandle): Promise<ProcessHandle[]> {
  const living: ProcessHandle[] = [];
  for (const number of startNumbers(root)) {
    const folder = startFolder(root, number);
    const { state } = await inspect(folder);
    if (state === 'running' || state === 'starting') living.push({ folder });
  }
  return living;
}

/**
 * An agent may outlive the step that has run it: the server does not try that again once a cancel was requested, whatever
 * has become of its worker. In a PID namespace no mark is searched for, so each start is looked at.
 */
async function stopLiving(handle: EnvironmentHandle): Promise<void> {
  for (const { folder } of await livingStarts(handle)) await stopSupervised(folder, 'cancel');
}

/** An agent that has removed its workspace fails the checks on it; the harness is not to blame. */
const workspaceGone: CommandResult = {
  exitCode: 127,
  timedOut: false,
  stdout: '',
  stderr: 'the workspace is gone',
  stdoutBytes: 0,
  stderrBytes: 21,
  durationMs: 0,
};

/** This machine: a folder, and processes under a supervisor. Not a sandbox; specs/scripts.md says what is contained. */
export const local: Environment = {
  async prepare(handle, fixture, files, confirm) {
    // Filled under a name of its own, so that a workspace that is there is whole.
    const own = randomBytes(4).toString('hex');
    const filling = `${handle.workspace}.${own}.filling`;
    const entries = await listTree(fixture);
    const initial = join(fixture, 'initial-state');
    // A file of that name is like any other.
    const hasInitial = await isFolder(initial);
    const ofInitialState = (path: string): boolean =>
      hasInitial && (path === 'initial-state' || path.startsWith('initial-state/'));
    const initialEntries = hasInitial ? await listTree(initial) : [];
    await copyTree(
      fixture,
      entries.filter((entry) => !ofInitialState(entry.path)),
      filling,
    );
    const kinds = new Map(entries.map(({ path, kind }) => [path, kind]));
    for (const { path, kind } of initialEntries) {
      // Only folders merge; a copy would follow a symlink that is there, and fail on a folder.
      const replaced = kinds.get(path);
      if (replaced !== undefined && (kind !== 'folder' || replaced !== 'folder'))
        await removeTree(join(filling, path));
    }
    await copyTree(initial, initialEntries, filling);
    for (const [path, content] of Object.entries(files)) {
      await mkdir(dirname(join(filling, path)), { recursive: true });
      await writeFile(join(filling, path), content);
    }
    await confirm();
    if (await isFolder(handle.workspace)) {
      await killLeft(handle); // what an earlier attempt's setup commands left
      const old = `${handle.workspace}.${own}.old`;
      await rename(handle.workspace, old);
      await removeTree(old);
    } else writeFileSync(confinedNote(handle), '');
    await rename(filling, handle.workspace);
  },

  async exec(handle, request) {
    restoreAccess(handle.workspace);
    if (!(await isFolder(handle.workspace))) return workspaceGone;
    forgetConfined(handle);
    return runCommand({
      command: request.command,
      cwd: handle.workspace,
      env: { ...request.env, [RUN_MARK]: markOfPart(handle, request.part) },
      timeoutMs: request.timeoutSecs * 1000,
      ...(request.keepBackground === undefined ? {} : { keepBackground: request.keepBackground }),
      ...(request.signal === undefined ? {} : { signal: request.signal }),
      ...(request.argv === undefined ? {} : { argv: request.argv }),
    });
  },

  async start(handle, request) {
    const folder = startFolder(handle.root, request.start);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const stdin = join(folder, 'in');
    writeFileSync(stdin, request.stdin, { mode: 0o600 });
    if ((await containment()) === 'group') forgetConfined(handle);
    await startSupervised({
      folder,
      argv: request.argv,
      cwd: handle.workspace,
      env: request.env,
      stdin,
      deadlineSecs: request.deadlineSecs,
      idleSecs: request.idleSecs,
      mark: markOf(handle.mark, 'agent'),
    });
    return { folder };
  },

  process: (handle, start) => ({ folder: startFolder(handle.root, start) }),
  containment,
  inspect: (process) => inspect(process.folder),
  living: livingStarts,
  attach: (process, signal) => waitForEnd(process.folder, signal),
  kill: (process, reason) => stopSupervised(process.folder, reason),
  async quell(handle, part) {
    if (part === undefined) await stopLiving(handle);
    await killMarked(markOfPart(handle, part));
  },
  output: (process: ProcessHandle) => ({
    stdout: join(process.folder, 'out'),
    stderr: join(process.folder, 'err'),
  }),
  look: (handle, path) => {
    restoreAccess(handle.workspace);
    return look(handle.workspace, path);
  },
  changes: async ({ workspace }, fixture, files) => {
    restoreAccess(workspace);
    return (await isFolder(workspace)) ? workspaceChanges(workspace, fixture, files) : null;
  },

  async collect(handle, to, mask) {
    await stopLiving(handle);
    await killLeft(handle);
    restoreAccess(handle.workspace);
    if (!(await isFolder(handle.workspace))) return []; // never made, or gone
    if (await isFolder(to)) return copyLoosely(handle.workspace, null, mask); // an earlier attempt did it
    let leftOut: LeftOut[] = [];
    await placeOnce(to, async (temporary) => {
      leftOut = await copyLoosely(handle.workspace, temporary, mask);
    });
    return leftOut;
  },

  async dispose(handle) {
    await stopLiving(handle);
    await killLeft(handle);
    // Also what attempts left that were killed while they filled a workspace.
    const folders = new Set<string>(Object.values(RUN_FOLDERS));
    const parts = (await readdir(handle.root).catch(() => [])).filter(
      (name) => folders.has(name) || name.startsWith(basename(handle.workspace)),
    );
    for (const part of parts) await removeTree(join(handle.root, part));
    forgetConfined(handle);
  },
};

/** At once, as small files are read (platform/read-file.ts): each call takes microseconds, and every gate makes several. */
// eslint-disable-next-line @typescript-eslint/require-await -- errors are to come as a rejection
async function look(workspace: string, path: string): Promise<FileLook> {
  try {
    const found = findInside(workspace, path, (info, place): FileLook => {
      if (info.isDirectory()) return { kind: 'directory' };
      if (!info.isFile()) return { kind: 'unreadable', reason: 'neither file nor folder' };
      accessSync(place, constants.R_OK);
      return { kind: 'file', bytes: info.size, text: () => utf8(workspace, path, info.size) };
    });
    return found ?? { kind: 'outside' };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' || code === 'ENOTDIR'
      ? { kind: 'missing' }
      : { kind: 'unreadable', reason: code ?? 'unknown' };
  }
}

async function utf8(workspace: string, path: string, limit: number): Promise<string | null> {
  try {
    const content = await readInside(workspace, path, limit);
    return content === null
      ? null
      : new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content);
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}
