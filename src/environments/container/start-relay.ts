import { existsSync, rmSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { packageFile, spawnDetached, waitUntil, writeFileAtomic } from '#host';
import type { EnvironmentHandle } from '../environment.js';
import { startFiles } from '../journal.js';
import { RELAY_SOCKET, type RelayFile } from './relay.js';

const LISTENS_MS = 20_000;

/**
 * Starts the program on the host by which a start of the agent reaches its provider. It outlives this process, and ends
 * with the start.
 */
export async function startRelay(
  handle: EnvironmentHandle,
  start: number,
  { address }: { address: string },
): Promise<void> {
  const folder = handle.container?.relay;
  if (folder === undefined) throw new Error('the container was made without a way to the provider');
  const { exit } = startFiles(handle, start);
  const socket = join(folder, RELAY_SOCKET);
  // Beside the folder: what is in it can be read in the container.
  const file = join(dirname(folder), `relay-${start}.json`);
  const content: RelayFile = { address, socket, exit };
  await mkdir(folder, { recursive: true, mode: 0o755 });
  await writeFileAtomic(file, JSON.stringify(content), 0o600);
  rmSync(socket, { force: true });
  await spawnDetached({
    argv: [process.execPath, packageFile('dist/relay-program.js'), file],
    cwd: dirname(folder),
    env: process.env as Record<string, string>,
  });
  const listens = await waitUntil(() => Promise.resolve(existsSync(socket) ? true : null), LISTENS_MS, 20);
  rmSync(file, { force: true });
  if (listens === null) throw new Error('the program that connects the agent with its provider does not listen');
}
