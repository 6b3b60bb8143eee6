import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { basename, dirname } from 'node:path';
import { createRecordFile } from './record-file.js';
import type { ProxyFile } from './proxy-file.js';
import { serveAgent } from './serve-agent.js';

/*
 * The proxy between an agent and the MCP servers under test: `node proxy-program.js FILE`. It works beside the agent, outside of its
 * sandbox, so that the agent cannot write to the record, nor see mocks and secrets. The agent reaches it by sockets
 * (connect-program.ts). Each connection has a server of its own.
 */

const path = process.argv[2] ?? '';
const files = JSON.parse(readFileSync(path, 'utf8')) as ProxyFile[];
// It has the values of variables.
rmSync(path);

// It ends with the agent, which may still call tools while it ends.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined);

for (const file of files) {
  const record = createRecordFile(file.records);
  process.on('uncaughtException', ({ message }) => {
    record({
      type: 'problem',
      message: `llm-tool-test failed between agent and server: ${message}`,
      limit: true,
    });
    process.exitCode = 1;
  });
  let count = 0;
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    void serveAgent(file, { input: socket, output: socket, name: String(++count), record });
  });
  mkdirSync(dirname(file.socket), { recursive: true, mode: 0o700 });
  rmSync(file.socket, { force: true });
  // By a relative path, because that of a socket must be short.
  process.chdir(dirname(file.socket));
  server.listen(basename(file.socket));
}
