import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { copyFile, mkdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CommandResult } from '../../lib/commands/command-result.js';
import { RUN_MARK } from '../../platform/process/marked-processes.js';
import { runCommand } from '../../platform/process/run-command.js';
import { supervisorScript } from '../../platform/process/supervise.js';
import { isFolder } from '../../platform/fs/tree.js';
import { waitUntil } from '../../platform/process/wait-until.js';
import type { Container, Environment, EnvironmentHandle, ExecRequest, ProcessState } from '../environment.js';
import { fillBinaries, fillWorkspace } from '../fill-workspace.js';
import { startFolder } from '../journal.js';
import { CHECKS_FOLDERS, FIRST_FOLDERS, RUN_FOLDERS } from '../run-folders.js';
import { askCli, assertAnswered, reasonIn, runScript, scriptArgs, stateOf } from './container-cli.js';
import {
  endExecScript,
  execScript,
  FIRST_PROCESS,
  killAllScript,
  killPartScript,
  rootScript,
  startScript,
  stopScript,
  supervisorFolder,
  whoScript,
} from './container-scripts.js';
import { copyIn, copyOut, withScratch } from './copy.js';
import { lookScript, readLook } from './look-script.js';
import { mirrorStart, startInside } from './mirror-start.js';
import { removeShown, showFolder } from './show-folder.js';

/** Label of all our containers; its value is the run's mark. */
const LABEL = 'llm-tool-test';
const POLL_MS = 250;
const STOP_MS = 30_000;

function containerOf({ container }: EnvironmentHandle): Container {
  if (container === undefined) throw new Error('the environment has no container');
  return container;
}

/** Runs a script and returns its output. @throws Error if it fails or prints to stderr, or if the container is gone */
async function mustRun(container: Container, what: string, script: string, user?: string): Promise<Buffer> {
  const answer = await runScript(container, script, user === undefined ? {} : { user });
  if (answer === null) throw new Error(`the container ${container.name} is gone`);
  assertAnswered(container.command, what, answer);
  if (answer.stderr !== '') throw new Error(`${what}: ${reasonIn(answer.stderr)}`);
  return answer.stdout;
}

async function remove(container: Container): Promise<void> {
  const { command, name } = container;
  removeShown(container);
  const answer = await askCli(command, ['rm', '--force', '--volumes', name]);
  if (answer.exitCode !== 0 && (await stateOf(container)) !== 'missing')
    assertAnswered(command, `rm ${name}`, answer);
}

async function create(handle: EnvironmentHandle, container: Container): Promise<void> {
  const { command, name, image } = container;
  const made = await askCli(command, [
    ...['run', '--detach', '--pull', 'never', '--name', name, '--label', `${LABEL}=${handle.mark}`],
    // Everything that is started in it carries the mark of the run.
    ...['--env', `${RUN_MARK}=${handle.mark}`, '--workdir', '/', '--entrypoint', 'sh'],
    ...[image, '-c', FIRST_PROCESS],
  ]);
  assertAnswered(command, 'run', made);
  const who = await runScript(container, whoScript);
  if (who === null || who.exitCode !== 0)
    throw new Error(`the image has no working shell: ${reasonIn(who?.stderr ?? '')}`);
  if (who.stderr !== '')
    throw new Error(`the image lacks programs that a run needs: ${who.stderr.trim().replaceAll('\n', ', ')}`);
  await mustRun(container, 'creating the run folder', rootScript(handle, who.stdout.toString().trim()), '0');
}

/** Fills the run's folder as it is copied into a container: workspace, private folders, and the supervisor. */
async function fillRoot(
  folder: string,
  handle: EnvironmentHandle,
  contents: Parameters<Environment['prepare']>[1],
): Promise<void> {
  await fillWorkspace(join(folder, basename(handle.workspace)), contents);
  for (const name of [...FIRST_FOLDERS, ...CHECKS_FOLDERS])
    mkdirSync(join(folder, name), { recursive: true, mode: 0o700 });
  const scripts = join(folder, basename(supervisorFolder(handle)));
  mkdirSync(scripts, { mode: 0o700 });
  for (const name of ['claim.sh', 'supervise.sh'])
    await copyFile(supervisorScript(name), join(scripts, name));
  fillBinaries(join(folder, RUN_FOLDERS.binaries), contents);
}

async function exec(handle: EnvironmentHandle, request: ExecRequest): Promise<CommandResult> {
  const container = containerOf(handle);
  for (const folder of request.inSandbox?.shown ?? []) await showFolder(handle, container, folder);
  const id = randomBytes(8).toString('hex');
  const state = { ended: false };
  try {
    const result = await runCommand({
      command: [container.command, ...scriptArgs(container)],
      input: execScript(handle, request, id),
      cwd: '/',
      env: process.env as Record<string, string>,
      timeoutMs: request.timeoutSecs * 1000,
      ...(request.signal === undefined ? {} : { signal: request.signal }),
    });
    state.ended = !result.timedOut;
    // A failure of the container says nothing about the command. Checked only now, because most commands succeed.
    if (result.exitCode === 0 || result.timedOut || (await stateOf(container)) === 'running') return result;
    await runScript(container, ':'); // starts the container for the next attempt
    throw new Error(`the container ${container.name} was stopped: ${reasonIn(result.stderr)}`);
  } finally {
    // When the `docker` process ends, what it started in the container continues.
    if (!state.ended) await runScript(container, endExecScript(handle, id));
  }
}

async function stop(handle: EnvironmentHandle, start: number, reason: string): Promise<void> {
  const container = containerOf(handle);
  const ended = async (): Promise<true | null> => {
    const { state } = await mirrorStart(handle, container, start);
    return state === 'running' || state === 'starting' ? null : true;
  };
  if ((await ended()) === true) return;
  await runScript(container, stopScript(startInside(handle, start), reason));
  if ((await waitUntil(ended, STOP_MS, 100)) === null)
    await runScript(container, killAllScript, { user: '0' });
}

/**
 * A separate container for each run, with Docker or Podman. It shares no files with the host: the workspace is copied
 * in and out. The agent's output is copied to the journal while it works.
 */
export const docker: Environment = {
  async prepare(handle, contents, confirm) {
    const container = containerOf(handle);
    await withScratch(handle, async (scratch) => {
      await fillRoot(scratch, handle, contents);
      await confirm();
      await remove(container);
      await create(handle, container);
      await copyIn(container, scratch, handle.root);
    });
  },

  exec,

  async start(handle, request) {
    const container = containerOf(handle);
    await mkdir(startFolder(handle, request.start), { recursive: true, mode: 0o700 });
    const inside = startInside(handle, request.start);
    await mustRun(container, 'starting the agent', startScript(handle, request, inside));
    await mirrorStart(handle, container, request.start);
  },

  async inspect(handle, start, untilEnd) {
    const container = containerOf(handle);
    for (;;) {
      untilEnd?.throwIfAborted();
      const now: ProcessState = await mirrorStart(handle, container, start);
      const isAlive = now.state === 'running' || now.state === 'starting';
      if (untilEnd === undefined || !isAlive) return now;
      await sleep(POLL_MS, undefined, { signal: untilEnd }).catch(() => untilEnd.throwIfAborted());
    }
  },

  async kill(handle, what) {
    const container = containerOf(handle);
    if (what === 'everything') await runScript(container, killAllScript, { user: '0' });
    // As the user of the image: in a container, root cannot read the environment of another user's process.
    else if ('part' in what) await runScript(container, killPartScript(handle, what.part));
    else await stop(handle, what.start, what.reason);
  },

  async look(handle, path, folder = handle.workspace) {
    const container = containerOf(handle);
    const print = async (limit?: number): Promise<Buffer | null> => {
      const answer = await runScript(container, lookScript(folder, path, limit));
      if (answer === null) return null;
      assertAnswered(container.command, `exec ${container.name}`, answer);
      return answer.stdout;
    };
    const printed = await print();
    return printed === null ? { kind: 'missing' } : readLook(printed, print);
  },

  view: (handle, use) =>
    withScratch(handle, async (scratch) => {
      const copy = await copyOut(containerOf(handle), handle.workspace, scratch);
      return copy !== null && (await isFolder(copy)) ? use(copy) : null;
    }),

  dispose: (handle) => remove(containerOf(handle)),
};
