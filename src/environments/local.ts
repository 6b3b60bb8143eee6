import { mkdir, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import type { FileLook } from '../gates/gate.js';
import { killMarked, RUN_MARK } from '../platform/marked-processes.js';
import { runCommand } from '../platform/run-command.js';
import { inspect, startSupervised, stopSupervised, waitForEnd } from '../platform/supervise.js';
import { copyLoosely, copyTree, isFolder, listTree, placeOnce } from '../platform/tree.js';
import type { Environment, EnvironmentHandle, ProcessHandle } from './environment.js';

const processFolder = (handle: EnvironmentHandle, start: number): string => join(handle.root, 'agent', String(start));

/** This machine: a folder, and processes under a supervisor. Not a sandbox; specs/security.md says what is contained. */
export const local: Environment = {
  async prepare(handle, fixture, files) {
    killMarked(handle.mark); // what an earlier attempt's setup commands left
    await rm(handle.workspace, { recursive: true, force: true });
    // Filled under another name first, so that a workspace that is there is whole.
    const filling = `${handle.workspace}.filling`;
    await rm(filling, { recursive: true, force: true });
    const entries = await listTree(fixture);
    const ofInitialState = (path: string): boolean => path === 'initial-state' || path.startsWith('initial-state/');
    await copyTree(fixture, entries.filter((entry) => !ofInitialState(entry.path)), filling);
    const initial = join(fixture, 'initial-state');
    if (await isFolder(initial)) await copyTree(initial, await listTree(initial), filling);
    for (const [path, content] of Object.entries(files)) {
      await mkdir(dirname(join(filling, path)), { recursive: true });
      await writeFile(join(filling, path), content);
    }
    await rename(filling, handle.workspace);
  },

  exec: (handle, request) =>
    runCommand({
      command: request.command,
      cwd: handle.workspace,
      env: { ...request.env, [RUN_MARK]: handle.mark },
      timeoutMs: request.timeoutSecs * 1000,
      ...(request.keepBackground === undefined ? {} : { keepBackground: request.keepBackground }),
      ...(request.signal === undefined ? {} : { signal: request.signal }),
    }),

  async start(handle, request) {
    const folder = processFolder(handle, request.start);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const stdin = join(folder, 'in');
    await writeFile(stdin, request.stdin, { mode: 0o600 });
    await startSupervised({
      folder,
      argv: request.argv,
      cwd: handle.workspace,
      env: request.env,
      stdin,
      deadlineSecs: request.deadlineSecs,
      idleSecs: request.idleSecs,
      mark: handle.mark,
    });
    return { type: 'local', folder };
  },

  process: (handle, start) => ({ type: 'local', folder: processFolder(handle, start) }),
  inspect: (process) => inspect(process.folder),
  attach: (process, signal) => waitForEnd(process.folder, signal),
  kill: (process) => stopSupervised(process.folder, 'cancel'),
  output: (process: ProcessHandle) => ({ stdout: join(process.folder, 'out'), stderr: join(process.folder, 'err') }),
  look: (handle, path) => look(handle.workspace, path),

  async collect(handle, to, mask) {
    killMarked(handle.mark);
    if (await isFolder(to)) return; // an earlier attempt did it
    if (!(await isFolder(handle.workspace))) return; // never made
    await placeOnce(to, (temporary) => copyLoosely(handle.workspace, temporary, mask));
  },

  async dispose(handle) {
    killMarked(handle.mark);
    for (const part of ['home', 'tmp', 'bin']) await rm(join(handle.root, part), { recursive: true, force: true });
    await rm(handle.workspace, { recursive: true, force: true });
  },
};

async function look(workspace: string, path: string): Promise<FileLook> {
  const root = await realpath(workspace);
  let real: string;
  try {
    real = await realpath(join(root, path));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' || code === 'ENOTDIR' ? { kind: 'missing' } : { kind: 'unreadable', reason: code ?? 'unknown' };
  }
  if (real !== root && !real.startsWith(root + sep)) return { kind: 'outside' };
  const info = await stat(real);
  if (info.isDirectory()) return { kind: 'directory' };
  // Opening a FIFO would wait for a writer for ever.
  if (!info.isFile()) return { kind: 'unreadable', reason: 'neither file nor folder' };
  return { kind: 'file', text: () => utf8(real) };
}

async function utf8(path: string): Promise<string | null> {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await readFile(path));
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}
