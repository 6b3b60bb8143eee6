// A client of version 2 of the TypeScript SDK: `node sdk-client.js NODE_MODULES COMMAND [ARG...]` prints the version,
// the tools of a server, and answers.
import { join } from 'node:path';

const [modules = '', command, ...args] = process.argv.slice(2);
const sdk = join(modules, '@modelcontextprotocol/client/dist');
const { Client } = await import(join(sdk, 'index.mjs'));
const { StdioClientTransport } = await import(join(sdk, 'stdio.mjs'));

const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } });
await client.connect(new StdioClientTransport({ command, args, stderr: 'ignore' }));
const results = [
  await client.listTools(),
  await client.callTool({ name: 'echo', arguments: { text: 'hi' } }),
  await client.callTool({ name: 'refuse', arguments: {} }),
];
console.log(JSON.stringify([client.getNegotiatedProtocolVersion(), ...results]));
await client.close();
