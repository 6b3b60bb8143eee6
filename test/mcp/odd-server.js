// An MCP server with one fault, which its argument names: `node odd-server.js nullcursor`.
import { createInterface } from 'node:readline';

const fault = process.argv[2] ?? '';
/** @param {unknown} message */
const send = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);
const ok = { content: [{ type: 'text', text: 'ok' }] };
const tool = { name: 't0', description: 'A tool.', inputSchema: { type: 'object' } };
const large = /^huge(\d+)$/.exec(fault);

if (fault === 'noise') process.stdout.write('Server v1.0 starting...\n\u001b[32mready\u001b[0m\n');
if (fault === 'noisesame') process.stdout.write('no newline here: ');
if (fault === 'bom') process.stdout.write('\ufeff');
if (fault === 'nul') process.stdout.write('\0\0\0\n');

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  /** @type {Record<string, unknown>} */
  const results = {
    initialize: {
      protocolVersion: params?.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: 'odd', version: '1' },
    },
    'tools/list': {
      tools: [fault === 'nulldesc' ? { ...tool, description: null } : tool],
      ...(fault === 'nullcursor' ? { nextCursor: null } : {}),
    },
    'tools/call': {
      ...(large === null ? ok : { content: [{ type: 'text', text: 'h'.repeat(Number(large[1]) * 1024 * 1024) }] }),
      ...(fault === 'nulliserr' ? { isError: null } : {}),
    },
  };
  send({
    jsonrpc: '2.0',
    id: fault === 'stringid' && method === 'tools/call' ? String(id) : id,
    result: results[method] ?? {},
  });
});
