import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isRealFolder, markOf, readTextIfThere, waitUntil } from '#host';
import { type CommandResult, defined } from '#lib';
import type { Work, EnvironmentHandle, ExecRequest, ProcessState, StartRequest } from '../environment.js';
import { fillBinaries, fillWorkspace } from '../fill-workspace.js';
import { startFiles, startFolder, startNumbers, withSides } from '../journal.js';
import { CHECKS_FOLDERS, FIRST_FOLDERS, RUN_FOLDERS } from '../run-folders.js';
import {
  awaitClaimScript,
  endExecScript,
  execScript,
  killPartScript,
  launchScript,
  logFoldersScript,
  lookScript,
  prepareScript,
  readLook,
  rootScript,
  stopScript,
  streamedLaunch,
  whoScript,
} from './scripts.js';
import {
  assertAnswered,
  goneError,
  type Machine,
  MachineGone,
  mustRun,
  quoted,
  reasonIn,
  withScratch,
} from './machine.js';
import { mirrorStart, noteStart, startInside } from './mirror-start.js';
import { perlInside } from './own-perl.js';
import { removeShown, showFolder } from './show-folder.js';
import { endStreams, startStream } from './stream.js';
import { checkFilesFolder, withChecksVariable } from '../check-files.js';

const STOP_MS = 30_000;
/** The largest workspace of an image that is copied out of it. */
const MOST_KIB = 100 * 1024;
/** The supervisor's mode in which what an agent leaves running stays when it ends by itself. */
const KEEPS = 'kept';

/** Checks what the scripts need, and creates the run's folder. */
async function prepareRoot(machine: Machine, handle: EnvironmentHandle): Promise<void> {
  const who = await machine.run(whoScript);
  if (who === null || who.exitCode !== 0)
    throw new Error(`the ${machine.madeFrom} has no working shell: ${reasonIn(who?.stderr ?? '')}`);
  if (who.stderr !== '') {
    const programs = who.stderr.trim().replaceAll('\n', ', ');
    throw new Error(`the ${machine.madeFrom} lacks programs that a run needs: ${programs}`);
  }
  const owner = who.stdout.toString().trim();
  await mustRun(machine, 'creating the run folder', rootScript(handle, owner), 'root');
}

/** Checks the workspace, which is a folder of the image, and creates the folders that tasks expect. */
async function prepareWhole(machine: Machine, { workspace }: EnvironmentHandle): Promise<void> {
  await mustRun(machine, 'creating the folders of logs', logFoldersScript, 'root');
  const folder = quoted(workspace);
  await mustRun(machine, 'looking for WORKDIR', `cd ${folder} || echo 'the folder ${folder} is not in the image' >&2`);
}

/** True if the workspace, which may be any folder of the image, can be copied. */
async function isSmall(machine: Machine, { workspace }: EnvironmentHandle): Promise<boolean> {
  if (workspace === '/') return false;
  const answer = await machine.run(`du -sxk ${quoted(workspace)} | cut -f 1`, 'root');
  return answer !== null && Number(answer.stdout.toString().trim() || Infinity) <= MOST_KIB;
}

async function remove(machine: Machine): Promise<void> {
  removeShown(machine);
  await machine.remove();
}

/** Fills the run's folder as it is copied into a machine: workspace and private folders. */
async function fillRoot(
  folder: string,
  handle: EnvironmentHandle,
  contents: Parameters<Work['prepare']>[1],
): Promise<void> {
  if (handle.container?.whole !== true) await fillWorkspace(join(folder, basename(handle.workspace)), contents);
  for (const name of [...FIRST_FOLDERS, ...CHECKS_FOLDERS])
    mkdirSync(join(folder, name), { recursive: true, mode: 0o700 });
  fillBinaries(join(folder, RUN_FOLDERS.binaries), contents);
}

async function exec(machine: Machine, handle: EnvironmentHandle, request: ExecRequest): Promise<CommandResult> {
  for (const folder of request.inSandbox?.shown ?? []) await showFolder(handle, machine, folder);
  const id = randomBytes(8).toString('hex');
  return machine.command(execScript(handle, request, id), {
    timeoutMs: request.timeoutSecs * 1000,
    endScript: endExecScript(handle, id),
    ...defined({ signal: request.signal }),
  });
}

/** Starts the agent, and has its output come out at once where the machine can do that. */
async function startInMachine(handle: EnvironmentHandle, machine: Machine, request: StartRequest): Promise<void> {
  const { start } = request;
  const folder = startInside(handle, start);
  const mode = request.keepBackground === true ? KEEPS : machine.supervisorMode;
  const prepare = prepareScript(handle, request, folder, mode);
  const run = (script: string): Promise<Buffer> => mustRun(machine, 'starting the agent', script);
  const user = (await run(prepare)).toString();
  const perl = machine.attached === undefined ? null : await perlInside(handle, machine);
  if (machine.attached === undefined || perl === null) {
    await run(`${launchScript(folder)}\n${awaitClaimScript(folder)}`);
    return;
  }
  const argv = machine.attached(streamedLaunch(folder, perl, user), markOf(handle.mark, 'supervisor'));
  await startStream(handle, start, argv, user.split(' ')[0] ?? '');
  await run(awaitClaimScript(folder)).catch(async (error: unknown) => {
    const reason = reasonIn((await readTextIfThere(startFiles(handle, start).stderr)) ?? '');
    throw reason === '' || error instanceof MachineGone ? error : new Error(`${String(error)}: ${reason}`);
  });
}

async function stop(machine: Machine, handle: EnvironmentHandle, start: number, reason: string): Promise<void> {
  const ended = async (): Promise<true | null> => {
    const { state } = await mirrorStart(handle, machine, start);
    return state === 'running' || state === 'starting' ? null : true;
  };
  if ((await ended()) === true) return;
  await machine.run(stopScript(startInside(handle, start), reason));
  if ((await waitUntil(ended, STOP_MS, 100)) === null) await machine.run(machine.killAllScript, 'root');
}

/**
 * An environment in which each run has a machine of its own. The workspace is copied in and out. The agent's output
 * comes into the journal while it works: by itself (stream.ts), or else it is copied.
 */
export const machineEnvironment = (machineOf: (handle: EnvironmentHandle) => Machine): Work => ({
  async prepare(handle, contents, confirm) {
    const machine = machineOf(handle);
    await withScratch(handle, async (scratch) => {
      await fillRoot(scratch, handle, contents);
      await confirm();
      await remove(machine);
      await machine.create(confirm, contents.env ?? {});
      await prepareRoot(machine, handle);
      await machine.copyIn(scratch, handle.root);
      if (handle.container?.whole === true) await prepareWhole(machine, handle);
    });
  },

  async exec(handle, request) {
    const machine = machineOf(handle);
    return withCheckFiles(handle, machine, request, (given) => exec(machine, handle, given));
  },

  apart: () => Promise.reject(new Error('nothing of this machine can work beside an agent in another one')),

  async start(handle, request) {
    const machine = machineOf(handle);
    await mkdir(startFolder(handle, request.start), { recursive: true, mode: 0o700 });
    if (request.start > 1) await removeCheckFiles(handle, machine);
    await startInMachine(handle, machine, request).catch((error: unknown) => {
      // An agent whose machine is gone is lost, however far it came.
      if (!(error instanceof MachineGone)) throw error;
    });
    noteStart(handle, request.start);
    await mirrorStart(handle, machine, request.start);
  },

  async inspect(handle, start, untilEnd) {
    const machine = machineOf(handle);
    for (;;) {
      untilEnd?.throwIfAborted();
      const now: ProcessState = await mirrorStart(handle, machine, start, untilEnd);
      const isAlive = now.state === 'running' || now.state === 'starting';
      if (untilEnd === undefined || !isAlive) return now;
      await sleep(machine.pollMs, undefined, { signal: untilEnd }).catch(() => untilEnd.throwIfAborted());
    }
  },

  async kill(handle, what) {
    const machine = machineOf(handle);
    if (what === 'everything') await machine.run(machine.killAllScript, 'root');
    // As the default user: in a container, root cannot read the environment of another user's process.
    else if ('part' in what) await machine.run(killPartScript(handle, what.part));
    else await stop(machine, handle, what.start, what.reason);
  },

  async lookInside(handle, path, folder = handle.workspace) {
    const machine = machineOf(handle);
    const print = async (limit?: number): Promise<Buffer | null> => {
      const answer = await machine.run(lookScript(folder, path, limit));
      if (answer === null) return null;
      assertAnswered(`looking at ${path} in ${machine.title}`, answer);
      return answer.stdout;
    };
    const printed = await print();
    if (printed !== null) return readLook(printed, print);
    // Files that the agent has made are not missing, but unknown.
    if (folder === handle.workspace && path !== '.') throw await goneError(machine);
    return { kind: 'missing' };
  },

  view: (handle, use) =>
    withScratch(handle, async (scratch) => {
      if (handle.container?.whole === true && !(await isSmall(machineOf(handle), handle))) return null;
      const copy = await machineOf(handle).copyOut(handle.workspace, scratch);
      return copy !== null && isRealFolder(copy) ? use(copy) : null;
    }),

  async dispose(handle) {
    await remove(machineOf(handle));
    for (const each of withSides(handle))
      for (const start of startNumbers(each)) await endStreams(startFolder(each, start));
  },
});

/** Removes checks that a worker left when it died, before the agent works again. */
async function removeCheckFiles(handle: EnvironmentHandle, machine: Machine): Promise<void> {
  await machine.run(`rm -rf ${quoted(checkFilesFolder(handle))}`, 'root');
}

/**
 * Runs a command with a copy of the checks in the machine, which is removed afterwards: the agent works in the same
 * machine, and may have another turn. The copy belongs to root, so that commands of other users cannot write to it.
 */
async function withCheckFiles(
  handle: EnvironmentHandle,
  machine: Machine,
  request: ExecRequest,
  exec: (request: ExecRequest) => Promise<CommandResult>,
): Promise<CommandResult> {
  const checks = request.inSandbox?.checks;
  if (checks === undefined) return exec(request);
  const folder = join(checkFilesFolder(handle), randomBytes(6).toString('hex'));
  const path = quoted(folder);
  try {
    await mustRun(machine, 'creating the folder of the checks', `mkdir -p ${path}`);
    await machine.copyIn(checks, folder);
    const own = machine.hasRoot === false ? '' : `chown -R 0:0 ${path} && `;
    await mustRun(machine, 'protecting the checks', `${own}chmod -R a+rX,go-w ${path}`, 'root');
    return await exec(withChecksVariable(request, folder));
  } finally {
    await machine.run(`rm -rf ${path}`, 'root');
  }
}
