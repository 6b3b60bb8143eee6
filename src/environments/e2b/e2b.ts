import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Environment, EnvironmentHandle, Place, RequestedEnvironment } from '../environment.js';
import { machineEnvironment } from '../machine/machine-environment.js';
import { killUntilNoneLeft } from '../machine/scripts.js';
import { type ScriptOutput, type CommandLimits, type Machine, MachineGone, quoted } from '../machine/machine.js';
import { NO_CAP, outputOf, captureCommand, readCaptured, type Captured } from './capture.js';
import { copyIn, copyOut } from './copy.js';
import { MachineRefused } from '../machine/machine-refused.js';
import { E2B_KEY, explained, findE2b, optionsInShell, tryE2b } from './service.js';
import { readRecord, writeRecord } from '../machine/machine-record.js';
import { removeAccess } from './sandbox-state.js';
import {
  cloudOf,
  connectSandbox,
  createSandbox,
  forget,
  removeSandboxes,
  whileExtending,
  type Connected,
} from './sandboxes.js';
import type { CommandHandle, Sandbox } from 'e2b';
import { markOf, OUTPUT_CAP, RUN_MARK } from '#host';
import type { CommandResult } from '#lib';

const POLL_MS = 1000;
/** As root, the supervisor would kill the services of the sandbox too, which have no mark. */
const SUPERVISOR_MODE = '"$([ "$(id -u)" = 0 ] && echo group || echo container)"';
/** Pauses between attempts to run a script when the connection is bad. */
const PAUSES_MS = [200, 1000, 3000];
/** A command that was killed is given up after this time. */
const END_MS = 20_000;
const END_POLL_MS = 500;

/** Runs a script, and again if the connection fails. Returns null if the sandbox is gone. */
async function run(handle: EnvironmentHandle, script: string, user?: 'root'): Promise<ScriptOutput | null> {
  for (let attempt = 0; ; attempt++) {
    const connected = await connectSandbox(handle);
    if (connected === null) return null;
    try {
      const running = await startInSandbox(connected, {
        script,
        cap: NO_CAP,
        mark: scriptMark(handle),
        ...(user === undefined ? {} : { user }),
      });
      const { exitCode, stdout, stderr } = await running.ended;
      return { exitCode, stdout: stdout.kept, stderr: stderr.kept.toString() };
    } catch (error) {
      forget(cloudOf(handle));
      const reason = explained(connected.e2b, `run a script in ${titleOf(handle)}`, error);
      const pauseMs = PAUSES_MS[attempt];
      if (reason instanceof MachineRefused || pauseMs === undefined) {
        if ((await connectSandbox(handle)) === null) return null;
        throw reason;
      }
      await sleep(pauseMs);
    }
  }
}

async function command(
  handle: EnvironmentHandle,
  script: string,
  { timeoutMs, signal, endScript }: CommandLimits,
): Promise<CommandResult> {
  signal?.throwIfAborted();
  const startedAt = performance.now();
  const connected = await existing(handle);
  const state = { timedOut: false, settled: false };
  return whileExtending(cloudOf(handle), connected, async () => {
    const running = await startInSandbox(connected, {
      script,
      cap: OUTPUT_CAP,
      mark: scriptMark(handle),
    }).catch((error: unknown) => fail(handle, connected, error));
    const stop = (): void => void endCommand(handle, running, endScript, state);
    const timer = setTimeout(() => {
      state.timedOut = true;
      stop();
    }, timeoutMs);
    signal?.addEventListener('abort', stop);
    if (signal?.aborted === true) stop();
    try {
      const { exitCode, stdout, stderr } = await running.ended;
      return {
        exitCode: state.timedOut ? null : exitCode,
        timedOut: state.timedOut,
        ...outputOf(stdout, stderr),
        durationMs: Math.round(performance.now() - startedAt),
      };
    } catch (error) {
      return await fail(handle, connected, error);
    } finally {
      state.settled = true;
      clearTimeout(timer);
      signal?.removeEventListener('abort', stop);
      signal?.throwIfAborted();
    }
  });
}

/** Kills a command, again and again until it has ended: it may not have begun yet. */
async function endCommand(
  handle: EnvironmentHandle,
  running: RunningSandbox,
  endScript: string,
  state: { settled: boolean },
): Promise<void> {
  const giveUpAt = performance.now() + END_MS;
  while (!state.settled && performance.now() < giveUpAt) {
    await run(handle, endScript).catch(() => null);
    await sleep(END_POLL_MS);
  }
  if (!state.settled) running.disconnect();
}

async function fail(handle: EnvironmentHandle, { e2b }: Connected, error: unknown): Promise<never> {
  forget(cloudOf(handle));
  await existing(handle);
  throw explained(e2b, `run a command in ${titleOf(handle)}`, error);
}

/** @throws Error if the sandbox is gone */
async function existing(handle: EnvironmentHandle): Promise<Connected> {
  const connected = await connectSandbox(handle);
  if (connected !== null) return connected;
  const record = await readRecord(handle);
  throw new MachineGone(
    `the sandbox ${record?.id ?? titleOf(handle)} of E2B is gone: it was ended, or its time was over (environment.timeout_secs)`,
  );
}

async function create(handle: EnvironmentHandle, confirm: () => Promise<void>): Promise<void> {
  await createSandbox(handle, confirm);
  const record = await readRecord(handle);
  const path = await run(handle, 'printf %s "$PATH"');
  if (record !== null && path !== null && path.exitCode === 0)
    await writeRecord(handle, { ...record, path: path.stdout.toString() });
}

const titleOf = (handle: EnvironmentHandle): string => `the sandbox ${cloudOf(handle).name}`;

function machineOf(handle: EnvironmentHandle): Machine {
  const connected = (): Promise<Connected> => existing(handle);
  const machine: Machine = {
    title: titleOf(handle),
    name: cloudOf(handle).name,
    madeFrom: 'template',
    pollMs: POLL_MS,
    supervisorMode: SUPERVISOR_MODE,
    killAllScript: killOwnScript(handle),
    run: (script, user) => run(handle, script, user),
    command: (script, limits) => command(handle, script, limits),
    create: (confirm) => create(handle, confirm),
    remove: () => removeSandboxes(handle),
    copyIn: (from, to) => copyIn(machine, handle, connected, { from, to }),
    copyOut: (from, to) => copyOut(machine, handle, connected, { from, to }),
  };
  return machine;
}

const sandboxes = machineEnvironment(machineOf);

/** A separate sandbox of E2B for each run, made with the package `e2b`. */
export const e2b: Environment = {
  ...sandboxes,
  choose({ template, timeout_secs }: Extract<RequestedEnvironment, { type: 'e2b' }>, folders) {
    const { module, why } = findE2b(folders);
    const place: Place = { type: 'e2b', lacking: why, network: 'isolated', lacksNetwork: null };
    return Promise.resolve(
      module === null ? place : { ...place, sandbox: { template, timeoutSecs: timeout_secs, module } },
    );
  },

  async environmentProblem(_wanted, folders, env) {
    const { module, why } = findE2b(folders);
    if (module === null) return { why, isFinal: true };
    const options = optionsInShell(env);
    return options.apiKey === ''
      ? {
          why: `${E2B_KEY} is not set; export it, or name a file that sets it with --env-file`,
          isFinal: true,
        }
      : tryE2b(module, options);
  },

  forgeryRisk: () =>
    Promise.resolve('what the agent prints is kept in its own sandbox for a moment: it could change it there'),

  doctor: {
    async e2b(folders, env) {
      const { module, why } = findE2b(folders);
      const options = optionsInShell(env);
      const lacking =
        module === null
          ? why
          : options.apiKey === ''
            ? `${E2B_KEY} is not set`
            : ((await tryE2b(module, options))?.why ?? null);
      return lacking === null
        ? { usable: true, message: 'sandboxes of E2B are available (environment.type: e2b)' }
        : { usable: false, message: `no sandboxes of E2B: ${lacking}` };
    },
  },

  async dispose(handle) {
    await sandboxes.dispose(handle);
    const cloud = cloudOf(handle);
    // The agent that judges has a sandbox of its own, but not a key.
    if (dirname(cloud.access) === dirname(handle.journal)) await removeAccess(cloud);
  },
};

/** Mark of our own scripts in the sandbox. */
const scriptMark = ({ mark }: EnvironmentHandle): string => markOf(mark, 'script');

/**
 * Kills, as root, what belongs to the run: processes of the default user, unless that is root, and those with the run's
 * mark. Not everything: services of the sandbox, through which E2B reaches it, run in it too.
 */
const killOwnScript = (handle: EnvironmentHandle): string => `
owner=$(stat -c %u ${quoted(handle.root)})
${killUntilNoneLeft(`
    read -r line <"$process/stat" || continue
    case \${line##*) } in Z*) continue ;; esac
    mark=$(tr '\\0' '\\n' <"$process/environ" | grep '^${RUN_MARK}=')
    case $mark in
    ${quoted(`${RUN_MARK}=${scriptMark(handle)}`)}) continue ;;
    ${quoted(`${RUN_MARK}=${handle.mark}`)} | ${quoted(`${RUN_MARK}=${handle.mark}/`)}*) ;;
    *) [ "$owner" != 0 ] && [ "$(stat -c %u "$process")" = "$owner" ] || continue ;;
    esac`)}`;

/** Bytes of standard input per request. */
const PIECE = 256 * 1024;
const START_MS = 30_000;

/** A script that runs in a sandbox. */
interface RunningSandbox {
  /** Its exit status and output. Rejects if the connection is lost or the sandbox ends. */
  ended: Promise<{ exitCode: number; stdout: Captured; stderr: Captured }>;
  /** Stops to wait for it. */
  disconnect: () => void;
}

/** Starts a script. The output after the first `cap` bytes of each stream is only counted. */
async function startInSandbox(
  { e2b, sandbox }: Connected,
  { script, cap, mark, user }: { script: string; cap: number; mark: string; user?: 'root' },
): Promise<RunningSandbox> {
  const bytes = Buffer.from(script);
  const started = await sandbox.commands.run(captureCommand(bytes.length, cap), {
    background: true,
    stdin: true,
    timeoutMs: 0,
    requestTimeoutMs: START_MS,
    // `bash` reads settings from HOME, where the agent may have written some.
    envs: { HOME: '/nonexistent', [RUN_MARK]: mark },
    ...(user === undefined ? {} : { user }),
  });
  const waiting = started.wait().catch((error: unknown) => {
    if (!(error instanceof e2b.CommandExitError)) throw error;
    const { exitCode, stdout, stderr } = error;
    return { exitCode, stdout, stderr };
  });
  // It may fail while the script is still being sent.
  waiting.catch(() => undefined);
  try {
    await send(sandbox, started, bytes);
  } catch (error) {
    await started.disconnect();
    throw error;
  }
  return {
    ended: waiting.then(({ exitCode, stdout, stderr }) => {
      const [out, err] = [readCaptured(stdout), readCaptured(stderr)];
      if (out === null || err === null)
        throw new Error(`a script was cut off (exit ${exitCode}): ${stderr.trim().slice(-200)}`);
      return { exitCode, stdout: out, stderr: err };
    }),
    disconnect: () => void started.disconnect(),
  };
}

async function send(sandbox: Sandbox, { pid }: CommandHandle, bytes: Buffer): Promise<void> {
  for (let at = 0; at < bytes.length; at += PIECE)
    await sandbox.commands.sendStdin(pid, bytes.subarray(at, at + PIECE), { requestTimeoutMs: START_MS });
}
