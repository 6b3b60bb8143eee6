import { readFileSync } from 'node:fs';
import { createRecordFile } from './record-file.js';
import type { ProxyFile } from './proxy-file.js';
import { serveAgent } from './serve-agent.js';

/*
 * The proxy between an agent and an MCP server under test: `node proxy-program.js FILE`, started by the agent, which takes it for
 * the server.
 */

const file = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as ProxyFile;
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const)
  process.on(signal, () => process.stdin.destroy());
const isGood = await serveAgent(file, {
  input: process.stdin,
  output: process.stdout,
  name: String(process.pid),
  record: createRecordFile(file.records),
});
process.exit(isGood ? 0 : 1);
