// A client of MCP servers that speak over stdio (Model Context Protocol, revision 2025-06-18): one call, then the server ends.
import { fail, isRecord } from './script.ts';

const PROTOCOL = '2025-06-18';
/** What a server gets to end by itself when its input is closed. */
const END_MS = 500;

/** How to start a server: it is given no more permissions than its command says. */
export interface Server {
  command: string;
  args: string[];
  timeoutSecs: number;
}

/** What a tool said. An error of the tool itself, such as a word that it does not know, is no error of the call. */
export interface ToolResult {
  isError: boolean;
  text: string;
  structured: unknown;
}

/** Starts a server, calls one of its tools, and ends it. */
export async function callTool(server: Server, name: string, args: object): Promise<ToolResult> {
  const child = start(server);
  const expired = new Promise<null>((resolve) => setTimeout(resolve, server.timeoutSecs * 1000, null));
  const peer = connect(child);
  try {
    const answer = await Promise.race([converse(peer, name, args), expired]);
    return answer ?? fail('MCP_TIMEOUT', `${server.command} gave no answer in ${server.timeoutSecs} s`);
  } finally {
    await peer.end();
  }
}

function start({ command, args }: Server): Deno.ChildProcess {
  try {
    return new Deno.Command(command, { args, stdin: 'piped', stdout: 'piped', stderr: 'piped' }).spawn();
  } catch (error) {
    if (error instanceof Deno.errors.NotCapable) throw error;
    return fail('MCP_UNAVAILABLE', `${command} does not start: ${(error as Error).message}`);
  }
}

async function converse(peer: Peer, name: string, args: object): Promise<ToolResult> {
  const clientInfo = { name: 'agent-script', version: '1.0.0' };
  await peer.request('initialize', { protocolVersion: PROTOCOL, capabilities: {}, clientInfo });
  await peer.send({ method: 'notifications/initialized' });
  const { content, structuredContent, isError } = await peer.request('tools/call', { name, arguments: args });
  const texts = Array.isArray(content) ? content.flatMap((part) => (isRecord(part) ? [part.text] : [])) : [];
  return {
    isError: isError === true,
    text: texts.filter((text) => typeof text === 'string').join('\n'),
    structured: structuredContent,
  };
}

interface Peer {
  send(message: object): Promise<void>;
  request(method: string, params: object): Promise<Record<string, unknown>>;
  end(): Promise<void>;
}

/** JSON-RPC, one message a line. Lines that are none are passed over: servers print. */
function connect(child: Deno.ChildProcess): Peer {
  const input = child.stdin.getWriter();
  const lines = linesOf(child.stdout);
  const log = new Response(child.stderr).text();
  let requests = 0;

  // A server that is gone is noticed when its output ends.
  const send = (message: object): Promise<void> =>
    input.write(new TextEncoder().encode(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\n')).catch(() => {});

  const request = async (method: string, params: object): Promise<Record<string, unknown>> => {
    const id = ++requests;
    await send({ id, method, params });
    for (;;) {
      const line = await lines.next();
      if (line.done) return fail('MCP_UNAVAILABLE', `the server ended without an answer: ${lastOf(await log)}`);
      const message = messageIn(line.value);
      if (typeof message.method === 'string') await refuse(message);
      else if (message.id === id) return resultOf(message);
    }
  };

  /** What a server asks of its client: whether it is there, and for what this one has not. */
  const refuse = async ({ id, method }: Record<string, unknown>): Promise<void> => {
    if (id === undefined) return;
    const error = { code: -32601, message: `this client has no ${String(method)}` };
    await send(method === 'ping' ? { id, result: {} } : { id, error });
  };

  const end = async (): Promise<void> => {
    await input.close().catch(() => {});
    const ended = await Promise.race([child.status, new Promise<null>((resolve) => setTimeout(resolve, END_MS, null))]);
    if (ended === null) killIfAlive(child);
  };

  return { send, request, end };
}

function killIfAlive(child: Deno.ChildProcess): void {
  try {
    child.kill('SIGKILL');
  } catch {
    // It has just ended.
  }
}

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string, void> {
  let rest = '';
  for await (const chunk of stream.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
}

function messageIn(line: string): Record<string, unknown> {
  try {
    const message: unknown = JSON.parse(line);
    return isRecord(message) ? message : {};
  } catch {
    return {};
  }
}

function resultOf({ result, error }: Record<string, unknown>): Record<string, unknown> {
  if (isRecord(error)) fail('MCP_ERROR', `the server says: ${String(error.message)}`);
  return isRecord(result) ? result : fail('MCP_ERROR', 'the server gave neither result nor error');
}

const lastOf = (log: string): string => log.trim().split('\n').at(-1) ?? '';
