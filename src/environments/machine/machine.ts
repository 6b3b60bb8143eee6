import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { removeTree, temporaryName } from '#host';
import { type CommandResult, endOf, shellWord } from '#lib';
import type { EnvironmentHandle } from '../environment.js';

const REASON_LENGTH = 300;

/** Output of a script in a machine. */
export interface ScriptOutput {
  exitCode: number;
  stdout: Buffer;
  stderr: string;
}

/** The ways to end a command in a machine before it ends by itself. */
export interface CommandLimits {
  timeoutMs: number;
  signal?: AbortSignal;
  /** A script that kills the command and everything that it has started. */
  endScript: string;
  /** In a container: the user of the command, which root ends; absent if its default user does both. */
  user?: string;
}

/**
 * A machine of the run's own, such as a container or a cloud sandbox. It shares no files with the host: everything is
 * done by scripts (`scripts.ts`) and by copying folders. Its files belong to its default user.
 */
export interface Machine {
  /** The title, for messages: `the container NAME`. */
  title: string;
  /** Unique among the machines of this host. */
  name: string;
  /** The source, for messages: `image` or `template`. */
  madeFrom: string;
  /** The interval at which the state of an agent is polled, in milliseconds. */
  pollMs: number;
  /** The time for which a script may wait in it for news of an agent, in seconds; absent if it may not. */
  waitSecs?: number;
  /**
   * The way in which the supervisor finds processes that the agent leaves behind (supervise.sh): a word of a script.
   */
  supervisorMode: string;
  /** False if nobody can be root in it: then everything runs as its default user. */
  hasRoot?: false;
  /** The reason why it is gone, for people; null if that is not known. */
  lost?: () => Promise<string | null>;
  /** Script that ends everything that the run has started. Runs as root. */
  killAllScript: string;
  /**
   * Runs a script for sh and returns its output. May run it again if the first attempt failed half-way. Returns null if
   * the machine does not exist.
   * @throws Error if the machine cannot be reached, and the signal's reason on abort if its scripts may wait
   */
  run: (script: string, user?: 'root', signal?: AbortSignal) => Promise<ScriptOutput | null>;
  /**
   * Runs a script once and waits for its end; its output is capped.
   * @throws MachineGone if it is gone, and the signal's reason on abort
   */
  command: (script: string, limits: CommandLimits) => Promise<CommandResult>;
  /**
   * The command line that runs a program in it as root, with input and output those of the command; absent if there is
   * none. It ends when the program has ended and all output was passed on.
   */
  attached?: (argv: readonly string[], mark: string) => string[];
  /**
   * Creates it, with these variables if it is a container. If `confirm` throws afterwards, another attempt has taken
   * over or the run is cancelled, and it is removed again.
   */
  create: (confirm: () => Promise<void>, env: Record<string, string>) => Promise<void>;
  /** Removes it with everything that runs in it. Does nothing if it does not exist. */
  remove: () => Promise<void>;
  /** Copies the contents of a folder on the host into a folder in the machine, owned by its default user or by root. */
  copyIn: (from: string, to: string, user?: 'root') => Promise<void>;
  /** Copies a folder into a folder on the host. Returns its path there; null if it does not exist. */
  copyOut: (from: string, to: string) => Promise<string | null>;
}

/** A run's machine does not exist any more, and with it all that the run has done. */
export class MachineGone extends Error {}

const gone = (): Promise<never> => Promise.reject(new MachineGone('the run has no machine'));

/** The machine of a run that has got none, because its image was missing or could not be built. */
export const NOWHERE: Machine = {
  title: 'the machine',
  name: '',
  madeFrom: 'image',
  pollMs: 1000,
  supervisorMode: 'container',
  killAllScript: '',
  run: () => Promise.resolve(null),
  command: gone,
  create: gone,
  remove: () => Promise.resolve(),
  copyIn: gone,
  copyOut: () => Promise.resolve(null),
};

/** The error of a run whose machine is gone, with the reason if it is known. */
export const goneError = async ({ title, lost }: Machine): Promise<MachineGone> =>
  new MachineGone((await lost?.()) ?? `${title} is gone`);

/** Runs a script. @throws Error if it fails or prints to stderr, or if the machine is gone */
export async function mustRun(machine: Machine, what: string, script: string, user?: 'root'): Promise<Buffer> {
  const answer = await machine.run(script, user);
  if (answer === null) throw await goneError(machine);
  assertAnswered(`${what} in ${machine.title}`, answer);
  if (answer.stderr !== '') throw new Error(`${what} in ${machine.title} failed: ${reasonIn(answer.stderr)}`);
  return answer.stdout;
}

/** Docker says so after the reason. */
const SAYS_NOTHING = /^Error: failed to start containers: |^See 'docker .* --help'/;

/** The last line of a failed command's stderr that gives a reason, shortened. */
export function reasonIn(stderr: string): string {
  const lines = stderr.trim().split('\n');
  return endOf(lines.findLast((line) => !SAYS_NOTHING.test(line)) ?? lines.at(-1) ?? '', REASON_LENGTH);
}

/** @throws Error with the reason that the command printed, if it failed */
export function assertAnswered(what: string, { exitCode, stderr }: Pick<ScriptOutput, 'exitCode' | 'stderr'>): void {
  if (exitCode !== 0) throw new Error(`${what} failed: ${reasonIn(stderr)}`);
}

/** Lines of a script that export variables. A script comes on standard input, where nobody can read them. */
export const exports = (env: Readonly<Record<string, string>>): string =>
  Object.entries(env)
    .map(([name, value]) => `export ${name}=${quoted(value)}`)
    .join('\n');

/** Quotes a word of a script, whatever it contains. NUL, which no shell can hold, is left out. */
export const quoted = (word: string): string => (word === '' ? "''" : shellWord(word.replaceAll('\0', '')));

/**
 * Calls `use` with a folder on the host, which is removed afterwards, or by the run's clean-up if this process dies.
 */
export async function withScratch<T>({ journal }: EnvironmentHandle, use: (folder: string) => Promise<T>): Promise<T> {
  const folder = temporaryName(join(dirname(journal), 'machine'));
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  try {
    return await use(folder);
  } finally {
    await removeTree(folder);
  }
}
