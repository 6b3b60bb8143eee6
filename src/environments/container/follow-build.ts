import { mkdir, readdir, rm, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  identify,
  isAlive,
  listTree,
  type ProcessIdentity,
  readJsonIfThere,
  readTextIfThere,
  spawnDetached,
  waitForLock,
  waitUntil,
  writeFileAtomic,
} from '#host';
import { parseJson, shellWord } from '#lib';
import type { Container } from '../machine/settings.js';
import { buildArgs, isBuilt } from './built-images.js';
import { type BuildFailure, failureIn, stepContainers, tellingLines } from './build-output.js';
import { runCli } from './container-cli.js';

/*
 * A build is a process of its own, which goes on when the worker that has started it dies. Its folder,
 * `FOLDER/HASH/`, has what it prints, its exit status, and a file for each run that follows it.
 */

export interface ImageBuild {
  command: Container['command'];
  /** Folder with the folders of all builds of this engine. */
  builds: string;
  /** Folder on the host: the context, with a Dockerfile. */
  context: string;
  /** Hash of the context. */
  hash: string;
  timeoutSecs: number;
  /** The run that follows the build. The build is ended when no run follows it any more. */
  follower: string;
  /** A build that failed for the same reason to build is not repeated: the round of a sweep. */
  round: string;
  signal: AbortSignal;
  /** True if the run was cancelled, as opposed to its worker, which the next one follows. */
  isCancelled: () => boolean;
  /** Gets the last line that the builder has printed, and the number of its lines. */
  onProgress: (line: string, lines: number) => void;
}

/** The reason for which the image could not be built; null if it was. */
export type BuildEnd = BuildFailure | null;

/** Written before the build is started. */
interface BuildNote {
  round: string;
  startedAt: number;
  timeoutSecs: number;
  /** Set if it was ended because it took too long. */
  tooLong?: string;
}

type BuildState =
  | { state: 'none' }
  | { state: 'running'; process: ProcessIdentity; note: BuildNote; output: string }
  | { state: 'ended'; note: BuildNote; output: string; exitCode: number | null };

const POLL_MS = 250;
const START_MS = 10_000;
const LOCK_MS = 60_000;
/** Room that a build needs beside its context: less is hardly enough for a single step that installs something. */
const ROOM_BYTES = 512 * 1024 * 1024;

const filesIn = (folder: string) => ({
  note: join(folder, 'build.json'),
  pid: join(folder, 'pid'),
  process: join(folder, 'process.json'),
  output: join(folder, 'output'),
  exit: join(folder, 'exit'),
  followers: join(folder, 'followers'),
});

async function stateOfBuild(folder: string): Promise<BuildState> {
  const files = filesIn(folder);
  const note = await readJsonIfThere<BuildNote>(files.note).catch(() => null);
  const pid = Number((await readTextIfThere(files.pid)) ?? '');
  if (note === null || !(pid > 0)) return { state: 'none' };
  const known = parseJson((await readTextIfThere(files.process)) ?? '') as ProcessIdentity | undefined;
  const exit = async (): Promise<string | null> => (await readTextIfThere(files.exit))?.trim() ?? null;
  const process = known ?? ((await exit()) === null ? identify(pid) : null);
  if (known === undefined && process !== null) await writeFileAtomic(files.process, JSON.stringify(process));
  // Looked at before the status is: the process writes it as the last thing it does.
  const alive = process !== null && isAlive(process);
  const code = await exit();
  const output = (await readTextIfThere(files.output)) ?? '';
  if (code !== null) return { state: 'ended', note, output, exitCode: Number(code) };
  return alive ? { state: 'running', process, note, output } : { state: 'ended', note, output, exitCode: null };
}

/** Starts a build in an empty folder. */
async function startBuild({ command, context, hash, round, timeoutSecs }: ImageBuild, folder: string): Promise<void> {
  const files = filesIn(folder);
  await mkdir(files.followers, { recursive: true, mode: 0o700 });
  const note: BuildNote = { round, timeoutSecs, startedAt: Date.now() };
  await writeFileAtomic(files.note, JSON.stringify(note));
  const [pid, output, exit] = [files.pid, files.output, files.exit].map(shellWord);
  const build = [command, ...buildArgs(hash, context)].map(shellWord).join(' ');
  const script = `echo $$ >${pid}; ${build} >${output} 2>&1 </dev/null; echo $? >${exit}.new; mv ${exit}.new ${exit}`;
  await spawnDetached({ argv: ['sh', '-c', script], cwd: '/', env: process.env as Record<string, string> });
  const isStarted = async (): Promise<true | null> => ((await stateOfBuild(folder)).state === 'none' ? null : true);
  if ((await waitUntil(isStarted, START_MS)) === null) throw new Error(`${command} build could not be started`);
}

/** Removes the folder of a build that is over, and the containers that the daemon left of it. */
async function forget(command: Container['command'], folder: string, build: BuildState): Promise<void> {
  const left = build.state === 'ended' && build.exitCode !== 0 ? stepContainers(build.output) : [];
  if (left.length > 0) await runCli(command, ['rm', '--force', '--volumes', ...left]);
  await rm(folder, { recursive: true, force: true });
}

/** Ends a build with everything that it has started on this machine; the daemon then ends the rest. */
function endProcess(process: ProcessIdentity): void {
  if (!isAlive(process)) return;
  try {
    globalThis.process.kill(-process.pid, 'SIGKILL');
  } catch {
    // It has just ended.
  }
}

/** @throws Error if another process holds the lock for long */
async function locked<R>(builds: string, hash: string, act: () => Promise<R>): Promise<R> {
  const lock = await waitForLock(builds, hash, { timeoutMs: LOCK_MS, onWait: () => undefined });
  if (lock === null) throw new Error(`the folder of builds ${builds} is locked`);
  try {
    return await act();
  } finally {
    await lock.release();
  }
}

const failureOf = (
  command: string,
  { note, output, exitCode }: Extract<BuildState, { state: 'ended' }>,
): BuildFailure =>
  note.tooLong === undefined ? failureIn(command, output, exitCode) : { of: 'dockerfile', reason: note.tooLong };

/** An error of a full disk, with the folder in which there is no room. */
const full = (path: string, message: string): Error =>
  Object.assign(new Error(`ENOSPC: ${message}`), { code: 'ENOSPC', syscall: 'write', path });

/** @throws Error of a full disk if the folder of the daemon, as far as it is on this machine, has too little room */
async function assertRoom({ command, context }: ImageBuild): Promise<void> {
  const format = command === 'docker' ? '{{.DockerRootDir}}' : '{{.Store.GraphRoot}}';
  const root = (await runCli(command, ['info', '--format', format], { timeoutMs: 20_000 })).stdout.toString().trim();
  const room = root === '' ? null : await statfs(root).catch(() => null);
  if (room === null) return;
  let needed = ROOM_BYTES;
  for (const entry of await listTree(context)) if (entry.kind === 'file') needed += entry.bytes;
  if (room.bavail * room.bsize < needed)
    throw full(root, `a build needs ${Math.ceil(needed / 1024 / 1024)} MiB in ${root}`);
}

/** Joins the build of this hash, and starts it unless it runs. Returns how an earlier one of this round has failed. */
const joinBuild = (build: ImageBuild, folder: string): Promise<BuildEnd> =>
  locked(build.builds, build.hash, async () => {
    const { follower, round, command } = build;
    const file = join(filesIn(folder).followers, follower);
    const before = await stateOfBuild(folder);
    if (before.state === 'ended' && before.exitCode !== 0) {
      const failure = failureOf(command, before);
      const isOwn = before.note.round === round || (await stat(file).catch(() => null)) !== null;
      if (isOwn && failure.of === 'dockerfile') return failure;
    }
    // It has ended since the image was looked for.
    if (before.state === 'ended' && before.exitCode === 0 && (await isBuilt(command, build.hash))) return null;
    if (before.state !== 'running') {
      await forget(command, folder, before);
      await assertRoom(build);
      await startBuild(build, folder);
    }
    await writeFileAtomic(file, '');
    return null;
  });

/** Stops following a build. Ends it if no other run follows it. */
const leaveBuild = (builds: string, hash: string, follower: string): Promise<void> =>
  locked(builds, hash, async () => {
    const folder = join(builds, hash);
    const { followers } = filesIn(folder);
    await rm(join(followers, follower), { force: true });
    const others = await readdir(followers).catch(() => []);
    const build = await stateOfBuild(folder);
    if (others.length > 0 || build.state !== 'running') return;
    endProcess(build.process);
    await rm(folder, { recursive: true, force: true });
  });

/** Leaves all builds that a run still follows, as after the death of its worker. */
export async function leaveBuilds(builds: string, follower: string): Promise<void> {
  for (const hash of await readdir(builds).catch(() => [])) {
    const file = join(filesIn(join(builds, hash)).followers, follower);
    if ((await stat(file).catch(() => null)) !== null) await leaveBuild(builds, hash, follower);
  }
}

/** Ends a build that has taken too long, and notes that. */
async function endLate(folder: string, build: Extract<BuildState, { state: 'running' }>): Promise<void> {
  const { note, output, process } = build;
  const last = tellingLines(output).at(-1) ?? '';
  const tooLong = `not built within ${note.timeoutSecs} s; the last line was: ${last}`;
  await writeFileAtomic(filesIn(folder).note, JSON.stringify({ ...note, tooLong } satisfies BuildNote));
  endProcess(process);
  await waitUntil(() => (isAlive(process) ? null : true), START_MS);
}

/** Removes the folder of a build whose image is there. */
async function tidy({ builds, hash }: ImageBuild, folder: string): Promise<void> {
  if ((await stat(folder).catch(() => null)) === null) return;
  await locked(builds, hash, async () => {
    if ((await stateOfBuild(folder)).state !== 'running') await rm(folder, { recursive: true, force: true });
  });
}

/**
 * Builds an image, or follows a build of the same content that another run has started. Returns null if the image is
 * there, or why it cannot be built.
 *
 * @throws Error if the daemon does not answer, or went away, so that the build is to be tried again; one of a full disk
 * if there is no room; and the signal's reason on abort
 */
export async function followBuild(build: ImageBuild): Promise<BuildEnd> {
  const { command, builds, hash, follower, signal } = build;
  const folder = join(builds, hash);
  try {
    for (;;) {
      signal.throwIfAborted();
      if (await isBuilt(command, hash)) {
        await tidy(build, folder);
        return null;
      }
      const failed = await joinBuild(build, folder);
      if (failed !== null) return failed;
      const end = await awaitEnd(build, folder);
      if (end.state === 'none' || (end.state === 'ended' && end.exitCode === 0)) continue;
      if (end.state === 'running') {
        await endLate(folder, end);
        continue;
      }
      const failure = failureOf(command, end);
      if (failure.of === 'dockerfile') return failure;
      if (failure.of === 'disk') throw full(folder, failure.reason);
      throw new Error(`${command} build failed: ${failure.reason}`);
    }
  } catch (error) {
    if (signal.aborted && build.isCancelled()) await leaveBuild(builds, hash, follower);
    throw error;
  }
}

/** Waits until a build is over, gone, or has taken too long. */
async function awaitEnd({ signal, onProgress }: ImageBuild, folder: string): Promise<BuildState> {
  let seen = 0;
  for (;;) {
    const build = await stateOfBuild(folder);
    if (build.state !== 'running') return build;
    if (Date.now() > build.note.startedAt + build.note.timeoutSecs * 1000) return build;
    if (build.output.length !== seen) {
      seen = build.output.length;
      const lines = tellingLines(build.output);
      onProgress(lines.at(-1) ?? '', lines.length);
    }
    await sleep(POLL_MS, undefined, { signal });
  }
}
