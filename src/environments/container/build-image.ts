import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { execa } from 'execa';
import { findExecutable } from '#host';
import { endOf } from '#lib';
import type { Container } from '../environment.js';
import { runCli } from './container-cli.js';

/** Label of the images that are built for runs. Its value is the hash of the folder that the image is built from. */
const LABEL = 'llm-tool-test.build';

/** The name of the image that is built from a folder with this hash. */
export const builtImage = (hash: string): string => `llm-tool-test-build:${hash.slice(0, 40)}`;

/** The builder says so of the daemon, and not of the Dockerfile. */
const AWAY = /cannot connect to the docker daemon|error during connect|connection refused|unable to connect to podman/i;
/** The old builder takes the lines of a heredoc for instructions. */
const NEEDS_BUILDKIT = /unknown instruction|the --mount option requires BuildKit|the --chmod option requires BuildKit/i;
const NOISE =
  /^( ---> |Removing intermediate container |DEPRECATED:|\s+Install the buildx|\s+https:\/\/docs\.docker\.com|-+$|\s*>>?>?\s|\s*\d+ \|)/;
const REASON = 400;

export interface ImageBuild {
  command: Container['command'];
  /** Folder on the host: the context, with a Dockerfile. */
  folder: string;
  /** Hash of the folder. */
  hash: string;
  timeoutSecs: number;
  signal: AbortSignal;
  /** Gets each line that the builder prints. */
  onLine: (line: string) => void;
}

/** Returns whether the image of a folder with this hash is on this machine. */
export const isBuilt = async (command: Container['command'], hash: string): Promise<boolean> =>
  (await runCli(command, ['image', 'inspect', builtImage(hash)])).exitCode === 0;

/**
 * Builds the image. Returns why it cannot be built; null if it was.
 *
 * @throws Error if the daemon does not answer, and the signal's reason on abort
 */
export async function buildImage(build: ImageBuild): Promise<string | null> {
  const { command, folder, hash, timeoutSecs, signal, onLine } = build;
  const args = ['build', '--force-rm', '--tag', builtImage(hash), '--label', `${LABEL}=${hash}`, folder];
  const lines: string[] = [];
  const child = execa(command, args, {
    reject: false,
    all: true,
    buffer: false,
    stdin: 'ignore',
    timeout: timeoutSecs * 1000,
    cancelSignal: signal,
  });
  const reader = createInterface({ input: child.all });
  reader.on('line', (line) => {
    if (line.trim() === '' || NOISE.test(line)) return;
    onLine(line);
    lines.push(line);
    if (lines.length > 50) lines.shift();
  });
  const closed = once(reader, 'close');
  const { exitCode, timedOut } = await child;
  await closed;
  signal.throwIfAborted();
  if (timedOut) return `not built within ${timeoutSecs} s; the last line was: ${lines.at(-1) ?? ''}`;
  if (exitCode === 0) return null;
  const reason = endOf(lines.slice(-2).join(' | '), REASON);
  if (exitCode === undefined || AWAY.test(lines.join('\n'))) throw new Error(`${command} build failed: ${reason}`);
  return NEEDS_BUILDKIT.test(reason)
    ? `${reason}; this Dockerfile may need BuildKit, which ${command} lacks here (apt install docker-buildx)`
    : reason;
}

/** The images that were built for runs, by their ids, with their sizes in bytes. Null if the program does not work. */
export async function builtImages(command: Container['command']): Promise<{ id: string; bytes: number }[] | null> {
  if (findExecutable(command) === null) return null;
  const listed = await runCli(command, ['image', 'ls', '--no-trunc', '--quiet', '--filter', `label=${LABEL}`]);
  if (listed.exitCode !== 0) return null;
  const ids = [...new Set(listed.stdout.toString().split('\n').filter(Boolean))];
  if (ids.length === 0) return [];
  const sizes = await runCli(command, ['image', 'inspect', '--format', '{{.Id}} {{.Size}}', ...ids]);
  return sizes.stdout
    .toString()
    .split('\n')
    .filter(Boolean)
    .map((line) => line.split(' '))
    .map(([id = '', bytes = '0']) => ({ id, bytes: Number(bytes) }));
}

/** Removes an image, unless a container uses it. Returns whether it is gone. */
export const removeImage = async (command: Container['command'], id: string): Promise<boolean> =>
  (await runCli(command, ['image', 'rm', id])).exitCode === 0;
