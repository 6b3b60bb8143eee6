import { randomBytes } from 'node:crypto';
import { accessSync, constants, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { readdir, rename } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { FileStat } from '#gates';
import {
  containment,
  findInside,
  inspect,
  isRealFolder,
  killMarked,
  markOf,
  readInside,
  removeTree,
  restoreAccess,
  RUN_MARK,
  runCommand,
  startSupervised,
  stopSupervised,
  waitForEnd,
} from '#host';
import { type Command, type CommandResult, defined, shellWord } from '#lib';
import { checkFilesFolder, withCheckFiles } from './check-files.js';
import type { Environment, EnvironmentHandle, ExecRequest, StartRequest } from './environment.js';
import { fillBinaries, fillWorkspace } from './fill-workspace.js';
import { livingStarts, startFolder } from './journal.js';
import { writeOwnFiles } from './own-files.js';
import { CHECKS_FOLDERS, FIRST_FOLDERS, RUN_FOLDERS } from './run-folders.js';

const markOfPart = ({ mark }: EnvironmentHandle, part: string | undefined): string =>
  part === undefined ? mark : markOf(mark, part);

/**
 * A file that exists as long as nothing of the run was started outside of a PID namespace, so nothing can outlive its
 * start.
 */
const confinedNote = (handle: EnvironmentHandle): string => join(handle.root, 'confined');
const forgetConfined = (handle: EnvironmentHandle): void => rmSync(confinedNote(handle), { force: true });

/**
 * Kills the run's processes by their mark. Skipped if all were confined: the search reads the environment of every
 * process on the machine.
 */
async function killLeft(handle: EnvironmentHandle): Promise<void> {
  if (!existsSync(confinedNote(handle))) await killMarked(handle.mark);
}

/**
 * An agent may outlive the step that ran it: once a cancel was requested, the server does not retry the step, whatever
 * happened to its worker. In a PID namespace marks are not searched for, so each start is checked. If a start was lost,
 * processes of its supervisor may still be alive, so marks are searched for as well.
 */
async function killEverything(handle: EnvironmentHandle): Promise<void> {
  const { living, lost } = await livingStarts(local, handle);
  for (const each of living) await stopSupervised(startFolder(each.handle, each.start), 'cancel');
  if (lost) forgetConfined(handle);
  await killLeft(handle);
}

/** If the agent removed its workspace, checks in it fail; that is not an error of the harness. */
const workspaceGone: CommandResult = {
  exitCode: 127,
  timedOut: false,
  stdout: '',
  stderr: 'the workspace is gone',
  stdoutBytes: 0,
  stderrBytes: 21,
  durationMs: 0,
};

/** Creates HOME and temporary folder for checks of the agent's work. */
export function makeChecksFolders({ root }: EnvironmentHandle): void {
  for (const name of CHECKS_FOLDERS) mkdirSync(join(root, name), { recursive: true, mode: 0o700 });
}

/** Creates the folder by which an agent reaches what works beside it, if anything does. */
export function makeSocketsFolder({ root }: EnvironmentHandle, { beside }: StartRequest): void {
  if (beside !== undefined) mkdirSync(join(root, RUN_FOLDERS.sockets), { recursive: true, mode: 0o700 });
}

/** Runs `command`; by default, the request's. */
export async function execLocally(
  handle: EnvironmentHandle,
  request: ExecRequest,
  command: Command = request.command,
): Promise<CommandResult> {
  restoreAccess(handle.workspace);
  if (!isRealFolder(handle.workspace)) return workspaceGone;
  if (request.inSandbox !== undefined) makeChecksFolders(handle);
  forgetConfined(handle);
  return runCommand({
    command,
    cwd: handle.workspace,
    env: { ...request.env, [RUN_MARK]: markOfPart(handle, request.part) },
    timeoutMs: request.timeoutSecs * 1000,
    ...defined({ keepBackground: request.keepBackground, signal: request.signal }),
  });
}

/**
 * This machine: a folder, and processes under a supervisor. Not a sandbox; specs/reference/scripts.md says what is
 * contained.
 */
export const local: Environment = {
  choose: () => Promise.resolve({ type: 'local', lacking: null, network: 'shared', lacksNetwork: null }),

  forgeryRisk: () =>
    Promise.resolve('environment local is no sandbox: the agent could write to what is recorded of it'),

  async prepare(handle, contents, confirm) {
    await confirm();
    for (const name of Object.values(RUN_FOLDERS)) await removeTree(join(handle.root, name));
    for (const name of FIRST_FOLDERS) mkdirSync(join(handle.root, name), { recursive: true, mode: 0o700 });
    // Filled under a temporary name, so that an existing workspace is always complete.
    const own = randomBytes(4).toString('hex');
    const filling = `${handle.workspace}.${own}.filling`;
    await fillWorkspace(filling, contents);
    await confirm();
    if (isRealFolder(handle.workspace)) {
      await killLeft(handle); // left by setup commands of an earlier attempt
      const old = `${handle.workspace}.${own}.old`;
      await rename(handle.workspace, old);
      await removeTree(old);
    } else writeFileSync(confinedNote(handle), '');
    await rename(filling, handle.workspace);
    fillBinaries(join(handle.root, RUN_FOLDERS.binaries), contents);
  },

  exec: (handle, request) => withCheckFiles(handle, request, (given) => execLocally(handle, given)),

  apart: (_, { argv }) => Promise.resolve(argv),

  async start(handle, request) {
    await removeTree(checkFilesFolder(handle)); // a worker that died while it checked a turn has left them
    await writeOwnFiles(handle.root, request.files);
    const folder = startFolder(handle, request.start);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const stdin = join(folder, 'in');
    writeFileSync(stdin, request.stdin, { mode: 0o600 });
    makeSocketsFolder(handle, request);
    if (request.beside !== undefined)
      writeFileSync(join(folder, 'beside'), `exec ${request.beside.map(shellWord).join(' ')}\n`, {
        mode: 0o600,
      });
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
      ...defined({ sealed: request.sealed }),
    });
  },

  inspect(handle, start, untilEnd) {
    const folder = startFolder(handle, start);
    return untilEnd === undefined ? inspect(folder) : waitForEnd(folder, untilEnd);
  },

  async kill(handle, what) {
    if (what === 'everything') await killEverything(handle);
    else if ('part' in what) await killMarked(markOf(handle.mark, what.part));
    else await stopSupervised(startFolder(handle, what.start), what.reason);
  },

  lookInside: (handle, path, folder = handle.workspace) => {
    restoreAccess(folder);
    return look(folder, path);
  },

  async view({ workspace }, use) {
    restoreAccess(workspace);
    return isRealFolder(workspace) ? use(workspace) : null;
  },

  async dispose(handle) {
    await killEverything(handle);
    // Also removes what attempts left that were killed while they filled a workspace.
    const folders = new Set<string>(Object.values(RUN_FOLDERS));
    const parts = (await readdir(handle.root).catch(() => [])).filter(
      (name) => folders.has(name) || name.startsWith(basename(handle.workspace)),
    );
    for (const part of parts) await removeTree(join(handle.root, part));
    forgetConfined(handle);
  },
};

/**
 * Looks at a path in a folder of this machine. Synchronous, like reading small files (host/fs/read-file.ts): each call
 * takes microseconds, and every gate makes several.
 */
// eslint-disable-next-line @typescript-eslint/require-await -- errors must be rejections
export async function look(workspace: string, path: string): Promise<FileStat> {
  try {
    const found = findInside(workspace, path, (info, place): FileStat => {
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
    return content === null ? null : new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content);
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}
