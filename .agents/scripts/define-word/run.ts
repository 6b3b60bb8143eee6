import { fail, isRecord, main } from '../../lib/script.ts';
import { callTool } from '../../lib/mcp.ts';

const MOST_SECS = 600;

main({ '<word>': 'string', '--timeout-secs': 'number' }, async ({ word, 'timeout-secs': timeoutSecs = 10 }) => {
  if (timeoutSecs <= 0 || timeoutSecs > MOST_SECS) {
    fail('INVALID_ARGUMENT', `--timeout-secs is not above 0 and at most ${MOST_SECS}: ${timeoutSecs}`);
  }
  const path = decodeURIComponent(new URL('server.ts', import.meta.url).pathname);
  const server = { command: 'deno', args: ['run', '--no-prompt', path], timeoutSecs };
  const { isError, text, structured } = await callTool(server, 'define', { word });
  if (isError) fail('WORD_NOT_FOUND', text);
  if (!isRecord(structured) || typeof structured.definition !== 'string') {
    return fail('MCP_ERROR', 'the server gave no definition');
  }
  return { word, definition: structured.definition };
});
