import { constants, statSync, watch, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { type Containment, CONTAINMENTS, endOf, STOP_REASONS, type StopReason } from '#lib';
import { everySecond, waitUntil } from './waiting.js';
import { markOf, RUN_MARK } from './marked-processes.js';
import { findExecutable } from './find-deno.js';
import { bootId, isAlive, signalProcess, type ProcessIdentity } from './process-identity.js';
import { readTextIfThere } from '../fs/read-file.js';
import { spawnDetached } from './spawn-detached.js';
import { writeOnce } from '../fs/write-file.js';
import { remembered } from '../remembered.js';

export interface SupervisedCommand {
  /** Private folder of this start; supervisor/claim.sh describes the files in it. */
  folder: string;
  argv: string[];
  cwd: string;
  env: Record<string, string>;
  /** Path of the file that the agent reads as standard input. */
  stdin: string;
  deadlineSecs: number;
  /** Stop the agent when its output has not grown for this long; null: no limit. */
  idleSecs: number | null;
  /**
   * Set if what the agent starts must not be able to write into its output, nor to read it. Without perl, it is able
   * to.
   */
  sealed?: true;
  /** Set as LLM_TOOL_TEST_RUN in the environment of everything that the agent starts. */
  mark: string;
}

export type SupervisedState =
  | { state: 'none' }
  | { state: 'starting' }
  | { state: 'running' }
  | { state: 'ended'; exitCode: number; stopped: StopReason | null }
  /** The supervisor is gone and left no exit status: it was killed, or the machine lost power. */
  | { state: 'dead' };

/** The files in a supervisor's folder (supervisor/claim.sh describes their contents). */
export const supervisedFiles = (folder: string) => ({
  claim: join(folder, 'sup'),
  control: join(folder, 'ctl'),
  stop: join(folder, 'stop'),
  exit: join(folder, 'exit'),
  session: join(folder, 'session'),
  errors: join(folder, 'sup.err'),
});

/** Time between the request to stop and SIGKILL. */
export const GRACE_SECS = 0.5;
/** Returns the seconds between two looks at the output for the idle limit; 0 without a limit. */
export const idleTickOf = (idleSecs: number | null): number => (idleSecs === null ? 0 : idleSecs / 5);
const CLAIM_MS = 5000;
/** Long enough for a process with gigabytes of memory to die on a busy machine. */
const DYING_MS = 10_000;
const MAX_ERRORS = 300;
export const supervisorScript = (name: string): string =>
  fileURLToPath(new URL(`./supervisor/${name}`, import.meta.url));

const probed = remembered(() => probe());

async function probe(): Promise<Containment> {
  const works = async (mode: Containment): Promise<boolean> => {
    const [unshare = '', ...args] = namespaceArgs(mode);
    return (await execa(unshare, [...args, 'true'], { reject: false })).exitCode === 0;
  };
  if (process.platform !== 'linux') return 'group';
  if (await works('pidns')) return 'pidns';
  return (await works('userns')) ? 'userns' : 'group';
}

/**
 * The words that start a command in the PID namespace of a mode; none if it has none. `unshare` is named by its path,
 * because a static busybox as `sh` prefers its own, which cannot kill the namespace when its parent dies.
 */
function namespaceArgs(mode: Containment): string[] {
  if (mode !== 'pidns' && mode !== 'userns') return [];
  const user = mode === 'userns' ? ['--user', '--map-current-user'] : [];
  const unshare = findExecutable('unshare') ?? 'unshare';
  return [unshare, ...user, '--pid', '--fork', '--kill-child=KILL', '--mount-proc'];
}

/**
 * The words that start what relays the output of the agent; none without perl, where the supervisor does it with cat.
 */
function relayArgs({ folder, sealed }: SupervisedCommand): string[] {
  const perl = findExecutable('perl');
  return perl === null ? [] : [perl, supervisorScript('relay.pl'), sealed === true ? 'socket' : 'pipe', folder];
}

/** Returns the best containment on this machine, found out once. LLM_TOOL_TEST_CONTAINMENT forces one, for tests. */
export function containment(): Promise<Containment> {
  const forced = CONTAINMENTS.find((name) => name !== 'container' && name === process.env['LLM_TOOL_TEST_CONTAINMENT']);
  return forced === undefined ? probed() : Promise.resolve(forced);
}

/**
 * Starts the command under a detached supervisor. If another supervisor has claimed the folder, that one continues.
 * Starts nothing if the disk has no room for recording the agent's end. Throws if no supervisor claims the folder
 * within 5 s.
 */
export async function startSupervised(command: SupervisedCommand): Promise<void> {
  // The supervisor overwrites these files in place: their disk space is reserved before the agent starts.
  const { exit, stop, session, errors } = supervisedFiles(command.folder);
  for (const file of [exit, stop, session, errors]) writeOnce(file, ' ');
  // The log may have messages of an earlier try, which say nothing about this one.
  if ((await inspect(command.folder)).state === 'none') blank(errors);
  const mode = await containment();
  await spawnDetached({
    argv: [
      ...relayArgs(command),
      'sh',
      supervisorScript('claim.sh'),
      command.folder,
      mode,
      bootId(),
      ...namespaceArgs(mode),
      'sh',
      supervisorScript('supervise.sh'),
      command.folder,
      mode,
      ...[command.deadlineSecs, idleTickOf(command.idleSecs), GRACE_SECS].map(String),
      command.mark,
      command.cwd,
      command.stdin,
      ...command.argv,
    ],
    cwd: command.folder,
    env: {
      ...command.env,
      // The supervisor finds its utilities on our PATH, because the agent's PATH may shadow them.
      PATH: process.env['PATH'] ?? '',
      LLM_TOOL_TEST_AGENT_PATH: command.env['PATH'] ?? '',
      // Remains of a killed supervisor are found with the other processes of the run.
      [RUN_MARK]: markOf(command.mark, 'supervisor'),
    },
  });
  const claim = await waitUntil(
    async () => {
      const { state } = await inspect(command.folder);
      if (state !== 'none') return state === 'starting' ? null : 'made';
      // A message before the claim gives the reason why there will be none.
      return (await supervisorErrors(command.folder)) === '' ? null : 'impossible';
    },
    CLAIM_MS,
    5,
  );
  if (claim !== 'made')
    throw new Error(`the supervisor did not start in ${command.folder}${await supervisorErrors(command.folder)}`);
}

/** Overwrites a file in place, which needs no room. */
const blank = (file: string): void => writeFileSync(file, ' '.repeat(statSync(file).size), { flag: 'r+' });

/**
 * Returns what the supervisor of a start, or the process that was to become it, reported as its own errors. The text is
 * to be appended to a message: `: unshare: ...`; '' without errors.
 */
export async function supervisorErrors(folder: string): Promise<string> {
  const errors = ((await readTextIfThere(supervisedFiles(folder).errors)) ?? '').trim();
  return errors === '' ? '' : `: ${endOf(errors.replaceAll('\n', '; '), MAX_ERRORS)}`;
}

/** Returns the end of the agent that is recorded in a folder; null if there is none. */
export async function readExit(folder: string): Promise<SupervisedState | null> {
  const exit = await readTextIfThere(supervisedFiles(folder).exit);
  if (exit?.endsWith('\n') !== true) return null;
  const stop = (await readTextIfThere(supervisedFiles(folder).stop))?.trim();
  const stopped = STOP_REASONS.find((reason) => reason === stop) ?? null;
  return { state: 'ended', exitCode: Number(exit), stopped };
}

/** Returns the supervisor that has claimed a folder; null if the claim is missing or incomplete. */
async function readClaim(folder: string): Promise<ProcessIdentity | null> {
  const claim = (await readTextIfThere(supervisedFiles(folder).claim)) ?? '';
  const [, pid, boot, start] = /^(\d+) (\S+) \S+ (.+)\n$/.exec(claim) ?? [];
  return pid === undefined || boot === undefined || start === undefined ? null : { pid: Number(pid), boot, start };
}

/** Returns the state of the agent in a folder. Reads liveness before the exit status, which is written before death. */
export async function inspect(folder: string): Promise<SupervisedState> {
  const supervisor = await readClaim(folder);
  if (supervisor === null) {
    const since = statSync(supervisedFiles(folder).claim, { throwIfNoEntry: false });
    if (since === undefined) return { state: 'none' };
    return { state: Date.now() - since.mtimeMs < CLAIM_MS ? 'starting' : 'dead' };
  }
  const alive = isAlive(supervisor);
  const ended = await readExit(folder);
  if (ended !== null) return ended;
  return { state: alive ? 'running' : 'dead' };
}

/**
 * Waits until the agent has ended and none of its processes is alive, or until its supervisor is found dead, which is
 * checked once a second. Also works for an agent that an earlier worker started. Rejects when the signal aborts.
 */
export async function waitForEnd(folder: string, signal: AbortSignal, looking = everySecond): Promise<SupervisedState> {
  // Watched before the first look, so that no change in between is missed.
  const changes = watchEnd(folder, signal, looking);
  try {
    for (;;) {
      signal.throwIfAborted();
      const happened = changes.next();
      const now = await inspect(folder);
      if (now.state === 'ended') await supervisorGone(folder);
      if (now.state === 'ended' || now.state === 'dead' || now.state === 'none') return now;
      await happened;
    }
  } finally {
    changes.stop();
  }
}

/** The exit status is written while the last processes are still dying. The supervisor is the last to die. */
async function supervisorGone(folder: string): Promise<void> {
  const supervisor = await readClaim(folder);
  await waitUntil(() => (supervisor === null || !isAlive(supervisor) ? true : null), DYING_MS, 2);
}

/** Watching the folder notices an end within a millisecond; checking once a second notices a killed supervisor. */
function watchEnd(
  folder: string,
  signal: AbortSignal,
  looking: typeof everySecond,
): { next: () => Promise<void>; stop: () => void } {
  let happen = (): void => undefined;
  let watcher: ReturnType<typeof watch> | undefined;
  const check = (): void => happen();
  try {
    watcher = watch(folder, (_, file) => {
      if (file === 'exit') check();
    });
    watcher.on('error', check);
  } catch {
    // There are no inotify watches left: the check once a second must do.
  }
  const forget = looking(check);
  signal.addEventListener('abort', check);
  return {
    next: () => new Promise((resolve) => (happen = resolve)),
    stop: () => {
      forget();
      watcher?.close();
      signal.removeEventListener('abort', check);
    },
  };
}

/** Asks the supervisor to stop the agent, or kills it if it cannot be asked. Waits until no process of it is alive. */
export async function stopSupervised(
  folder: string,
  reason: Exclude<StopReason, 'deadline' | 'idle'>,
): Promise<SupervisedState> {
  const asked = await waitUntil(async () => {
    const now = await inspect(folder);
    if (now.state !== 'running' && now.state !== 'starting') return now;
    return (await writeToFifo(supervisedFiles(folder).control, `${reason}\n`)) ? now : null;
  }, CLAIM_MS);
  if (asked === null) await killSupervisor(folder);
  return waitForEnd(folder, AbortSignal.timeout(30_000));
}

/** Returns false while nobody reads the FIFO (ENXIO), or while it does not exist. */
async function writeToFifo(path: string, text: string): Promise<boolean> {
  try {
    const fifo = await open(path, constants.O_WRONLY | constants.O_NONBLOCK);
    try {
      await fifo.write(text);
      return true;
    } finally {
      await fifo.close();
    }
  } catch {
    return false;
  }
}

/** Kills the process that has claimed a folder, if it lives. */
export async function killSupervisor(folder: string): Promise<void> {
  const supervisor = await readClaim(folder);
  if (supervisor !== null) signalProcess(supervisor, 'SIGKILL');
}
