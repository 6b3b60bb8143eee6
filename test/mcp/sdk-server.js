// A server of version 2 of the TypeScript SDK, which speaks stdio: `node sdk-server.js NODE_MODULES`.
import { join } from 'node:path';
import { z } from 'zod';

const sdk = join(process.argv[2] ?? '', '@modelcontextprotocol/server/dist');
const { McpServer } = await import(join(sdk, 'index.mjs'));
const { serveStdio } = await import(join(sdk, 'stdio.mjs'));

serveStdio(() => {
  const server = new McpServer({ name: 'typescript', version: '2' });
  const said = (/** @type {string} */ text, isError = false) => ({
    content: [{ type: 'text', text }],
    isError,
  });
  const inputSchema = z.object({ text: z.string() });
  server.registerTool('echo', { description: 'Repeats.', inputSchema }, (/** @type {{ text: string }} */ { text }) =>
    said(text),
  );
  server.registerTool('refuse', { description: 'Fails.' }, () => said('it is refused', true));
  return server;
});
