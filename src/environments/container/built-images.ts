import { findExecutable } from '#host';
import type { Container } from '../machine/settings.js';
import { runCli } from './container-cli.js';

/** Label of the images that are built for runs. Its value is the hash of the folder that the image is built from. */
const LABEL = 'llm-tool-test.build';

/** The name of the image that is built from a folder with this hash. */
export const builtImage = (hash: string): string => `llm-tool-test-build:${hash.slice(0, 40)}`;

/** The arguments that build the image of a folder with this hash. */
export const buildArgs = (hash: string, folder: string): string[] => [
  ...['build', '--force-rm', '--tag', builtImage(hash), '--label', `${LABEL}=${hash}`, folder],
];

/** Returns whether the image of a folder with this hash is on this machine. */
export const isBuilt = async (command: Container['command'], hash: string): Promise<boolean> =>
  (await runCli(command, ['image', 'inspect', builtImage(hash)])).exitCode === 0;

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
