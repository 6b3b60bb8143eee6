import { existsSync, rmSync, watch } from 'node:fs';
import { connect, createServer } from 'node:net';
import { basename, dirname } from 'node:path';
import { isJsonObject, parseJson } from '#lib';
import { connectMcp } from '../mcp-client.js';
import type { ServerCall, ServersFile } from './server-tools.js';

/*
 * `node servers-program.js FILE`, with the file as JSON in the argument: connects the agent `loop` with the MCP servers
 * under test for as long as it works. Prints their tools as one line; then, each connection to its socket asks for one
 * call, which goes on if the worker that asks is killed.
 */

const { servers, socket, presence } = JSON.parse(process.argv[2] ?? '') as ServersFile;
const clients = await connectMcp(servers);
const server = createServer({ allowHalfOpen: true }, (link) => {
  let asked = '';
  link.on('error', () => link.destroy());
  link.setEncoding('utf8').on('data', (text: string) => (asked += text));
  link.once('end', () => {
    const call = parseJson(asked);
    if (!isJsonObject(call)) return link.destroy();
    const { server: name, tool, input } = call as unknown as ServerCall;
    return void clients.call(name, tool, input).then((answer) => link.end(JSON.stringify(answer)));
  });
});
rmSync(socket, { force: true });
const folder = dirname(socket);
// By relative paths, because those of sockets must be short.
process.chdir(dirname(presence));
connect(basename(presence))
  .on('error', () => process.exit(1))
  .on('close', () => process.exit(1));
process.chdir(folder);
const end = (): void => void clients.close().finally(() => process.exit(0));
server.listen(basename(socket), () => {
  watch(folder, () => {
    if (!existsSync(socket)) end();
  });
  process.stdout.write(`${JSON.stringify(clients.tools)}\n`);
});
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, end);
