// The tests' own MCP server: `node server.js` speaks stdio; `node server.js http PORT_FILE` listens on a free port of
// loopback, and writes it to the file. With `SERVER_LOG`, it notes its start and each call in that file.
import { appendFileSync, existsSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { z } from 'zod';

/** @param {string} line */
const note = (line) => {
  const log = process.env['SERVER_LOG'];
  if (log !== undefined) appendFileSync(log, `${line}\n`);
};

/** @param {string} text */
const said = (text, isError = false) => ({
  content: [{ type: /** @type {const} */ ('text'), text }],
  isError,
});

function makeServer() {
  const server = new McpServer({ name: 'test', version: '1' });
  server.registerTool('echo', { description: 'Repeats.', inputSchema: { text: z.string() } }, ({ text }) => {
    note(`echo ${text}`);
    return said(text);
  });
  server.registerTool('refuse', { description: 'Fails.', inputSchema: {} }, () => {
    note('refuse');
    return said('it is refused', true);
  });
  server.registerTool('variable', { description: 'Reads.', inputSchema: { name: z.string() } }, ({ name }) =>
    said(process.env[name] ?? '(not set)'),
  );
  server.registerTool('crash', { description: 'Ends the server.', inputSchema: {} }, () => process.exit(3));
  // Slow: answers when the file exists.
  server.registerTool('wait_for', { description: 'Waits.', inputSchema: { file: z.string() } }, async ({ file }) => {
    note(`wait_for ${file}`);
    while (!existsSync(file)) await sleep(20);
    return said('it is there');
  });
  return server;
}

note(`start ${process.pid}`);
if (process.argv[2] === 'http') {
  const listening = createServer((request, response) => {
    note(`${request.method} ${request.headers['authorization'] ?? 'without authorization'}`);
    // Without sessions: each request has a server of its own.
    const transport = new StreamableHTTPServerTransport();
    void makeServer()
      .connect(transport)
      .then(() => transport.handleRequest(request, response));
  });
  listening.listen(0, '127.0.0.1', () => {
    const address = listening.address();
    writeFileSync(process.argv[3] ?? '', String(typeof address === 'object' ? address?.port : ''));
  });
} else {
  await makeServer().connect(new StdioServerTransport());
}
