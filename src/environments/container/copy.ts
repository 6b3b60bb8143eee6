import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import type { Container } from '../environment.js';
import { reasonIn } from '../machine/machine.js';

/** Copies the contents of a folder on the host into a folder in a container, owned by the container's user. */
export async function copyIn({ command, name }: Container, from: string, to: string): Promise<void> {
  const packed = execa('tar', ['-C', from, '-cf', '-', '.'], { encoding: 'buffer', stdin: 'ignore' });
  // Through the shell, which may be a busybox that has `tar` in it and not on PATH.
  const unpack = ['exec', '-i', name, 'sh', '-c', 'exec tar -C "$0" -xof -', to];
  const { failed, stderr } = await packed.pipe(command, unpack, { reject: false });
  if (failed) throw new Error(`${command} exec ${name} tar failed: ${reasonIn(stderr)}`);
}

/**
 * Copies a folder in a container into a folder on the host. Returns its path there; null if the folder does not exist.
 */
export async function copyOut(
  { command, name }: Container,
  from: string,
  to: string,
): Promise<string | null> {
  await mkdir(to, { recursive: true, mode: 0o700 });
  const packed = execa(command, ['cp', `${name}:${from}`, '-'], {
    encoding: 'buffer',
    stdin: 'ignore',
    buffer: false,
    reject: false,
  });
  const problem: Buffer[] = [];
  packed.stderr.on('data', (chunk: Buffer) => problem.push(chunk));
  const unpacked = await packed.pipe('tar', ['-C', to, '-xof', '-'], { reject: false });
  // Nothing at all is a valid archive.
  if (!unpacked.failed && !(await packed).failed) return join(to, from.slice(from.lastIndexOf('/') + 1));
  const reason = Buffer.concat(problem).toString() || unpacked.stderr;
  if (/could not find the file|no such file|no such container|no container with name/i.test(reason))
    return null;
  throw new Error(`${command} cp ${name}:${from} failed: ${reasonIn(reason)}`);
}
