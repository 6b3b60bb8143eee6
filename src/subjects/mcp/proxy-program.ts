import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { basename, dirname } from 'node:path';
import { presenceOf, type ProxyFile } from './proxy-file.js';
import type { ProxyRecord } from './record.js';
import { serveAgent } from './serve-agent.js';

/** In bytes. Readers have a record in memory at once. */
const MAX_RECORD = 48 * 1024 * 1024;

/** Appends what happens with a server to a file, so that the record outlives any process. */
function createRecordFile(path: string, limit = MAX_RECORD): (line: ProxyRecord) => void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  let bytes = 0;
  let isFull = false;
  // Each line by one write at the end of the file: several proxies may record there.
  const append = (line: ProxyRecord): void => {
    const text = `${JSON.stringify({ at: Date.now(), ...line })}\n`;
    bytes += text.length;
    appendFileSync(path, text, { mode: 0o600 });
  };
  return (line) => {
    if (isFull) return;
    append(bytes < limit / 2 || line.type !== 'answer' ? line : { ...line, result: '(not recorded) …' });
    if (bytes < limit) return;
    isFull = true;
    append({
      type: 'problem',
      message: 'llm-tool-test cannot record more calls of this server',
      limit: true,
    });
  };
}

/*
 * The proxy between an agent and the MCP servers under test: `node proxy-program.js FILE`. It works beside the agent,
 * outside of its sandbox, so that the agent cannot write to the record, nor see mocks and secrets. The agent reaches it
 * by sockets (connect-program.ts). Each connection has a server of its own.
 */

const path = process.argv[2] ?? '';
const files = JSON.parse(readFileSync(path, 'utf8')) as ProxyFile[];
// It has the values of variables.
rmSync(path);

// It ends with the agent, which may still call tools while it ends.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined);

for (const file of files) {
  const isAfterOther = existsSync(file.records);
  const record = createRecordFile(file.records);
  if (isAfterOther) record({ type: 'replaced' });
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
  // By a relative path, because that of a socket must be short.
  process.chdir(dirname(file.socket));
  for (const [listener, socket] of [
    [server, file.socket],
    [createServer((link) => link.resume().on('error', () => link.destroy())), presenceOf(file.socket)],
  ] as const) {
    rmSync(socket, { force: true });
    listener.listen(basename(socket));
  }
}
