// An MCP server over stdio with one tool. The script beside it is its client; any other client can use it too.
import { words } from './words.ts';

const define = {
  name: 'define',
  description: 'Tells what a word means in this project',
  inputSchema: { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] },
};

interface Request {
  id?: number | string;
  method: string;
  params?: { name?: string; arguments?: { word?: unknown } };
}

function answer({ method, params }: Request): object {
  switch (method) {
    case 'initialize':
      return {
        result: {
          protocolVersion: '2025-06-18',
          capabilities: { tools: {} },
          serverInfo: { name: 'words', version: '1.0.0' },
        },
      };
    case 'ping':
      return { result: {} };
    case 'tools/list':
      return { result: { tools: [define] } };
    case 'tools/call':
      return params?.name === define.name
        ? { result: definitionOf(String(params.arguments?.word)) }
        : { error: { code: -32602, message: `there is no tool ${params?.name}` } };
    default:
      return { error: { code: -32601, message: `there is no method ${method}` } };
  }
}

function definitionOf(word: string): object {
  const definition = words.get(word.toLowerCase());
  const text = definition ?? `no word of this project: ${word}; there are ${[...words.keys()].join(', ')}`;
  return {
    content: [{ type: 'text', text }],
    isError: definition === undefined,
    structuredContent: definition === undefined ? undefined : { word, definition },
  };
}

let rest = '';
for await (const chunk of Deno.stdin.readable.pipeThrough(new TextDecoderStream())) {
  const lines = (rest + chunk).split('\n');
  rest = lines.pop() ?? '';
  for (const line of lines) {
    const request = JSON.parse(line) as Request;
    // Notifications have no id, and want no answer.
    if (request.id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id: request.id, ...answer(request) }));
  }
}
