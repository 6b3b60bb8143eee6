import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, onTestFinished, test } from 'vitest';
import type { McpConnection } from '../../../src/subjects/mcp/proxy-file.js';
import { REPOSITORY } from '../../commands/project.js';
import { proxyFile } from '../../subjects/mcp/connected.js';
import { newFolder } from '../../host/temporary.js';
import { provideMcpSdk, providePython } from '../clis.js';

const inMcp = (name: string): string => join(REPOSITORY, 'test/mcp', name);
const env = { PATH: process.env['PATH'] ?? '' };

const python = (file: string) => async () => [...(await providePython('mcp==2.3.0')), inMcp(file)];
const node = (file: string) => async () => [process.execPath, inMcp(file), await provideMcpSdk()];
const CLIENTS = { Python: python('sdk-client.py'), 'TypeScript 2': node('sdk-client.js') };
const SERVERS = {
  Python: python('sdk-server.py'),
  'TypeScript 1': () => Promise.resolve([process.execPath, inMcp('server.js')]),
  'TypeScript 2': node('sdk-server.js'),
};

/**
 * Starts the proxy of a server, as runs do. Returns the command by which an agent reaches it, and its problems so far.
 */
async function proxied(connection: McpConnection) {
  const folder = await newFolder();
  const [file, socket, records] = [join(folder, 'file'), join(folder, 'socket'), join(folder, 'records')];
  await writeFile(file, JSON.stringify([{ ...proxyFile(connection, folder), socket, records }]));
  const dist = (name: string): string => join(REPOSITORY, 'dist', name);
  const proxy = spawn(process.execPath, [dist('proxy-program.js'), file], { stdio: 'ignore' });
  onTestFinished(() => void proxy.kill('SIGKILL'));
  return {
    command: [process.execPath, dist('connect-program.js'), socket],
    records: () => (existsSync(records) ? readFileSync(records, 'utf8') : ''),
  };
}

/** The output of a client of a server. */
const talk = async (client: readonly string[], server: readonly string[]): Promise<unknown> => {
  const [command = '', ...args] = [...client, ...server];
  return JSON.parse((await execa(command, args)).stdout);
};

const PAIRS = Object.entries(CLIENTS).flatMap(([client, ofClient]) =>
  Object.entries(SERVERS).map(([server, ofServer]) => [client, server, ofClient, ofServer] as const),
);

test.each(PAIRS)(
  'a client of the SDK %s and a server of the SDK %s understand each other through the proxy as without it',
  async (_, server, ofClient, ofServer) => {
    const [client, [command = '', ...args]] = [await ofClient(), await ofServer()];
    const direct = await talk(client, [command, ...args]);
    expect(direct).toMatchObject([server === 'TypeScript 1' ? '2025-11-25' : '2026-07-28', {}, {}, { isError: true }]);
    const proxy = await proxied({ command, args, env });
    expect(await talk(client, proxy.command)).toEqual(direct);
    const types = proxy
      .records()
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { type: string }).type);
    expect(types).not.toContain('problem');
    expect(types.filter((type) => type === 'answer')).toHaveLength(2);
  },
);
