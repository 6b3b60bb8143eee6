import type { JSONRPCMessage, JSONRPCRequest, RequestId } from '@modelcontextprotocol/sdk/types.js';
import { isJsonObject, type Json } from '../lib/json.js';
import type { ProxyRecord } from './record.js';

/** What the proxy does with a message of the agent: passes it on, or answers it. */
type Step = { to: 'server'; message: JSONRPCMessage } | { to: 'agent'; answer: Promise<JSONRPCMessage> };

/** A mocked answer to a call, and how long it takes. */
export interface MockedAnswer {
  delayMs: number;
  result: { [key: string]: Json };
}

export interface ExchangeOptions {
  record: (line: ProxyRecord) => void;
  /** Unique for each call in the record. */
  nameOf: (count: number) => string;
  /** Milliseconds of a clock that never goes back. */
  now: () => number;
  /** The mocked answer to a call; null if the server answers. */
  mockOf: (tool: string, args: Json) => MockedAnswer | null;
  sleep: (ms: number) => Promise<unknown>;
}

/** Follows the messages between an agent and a server, and records calls, lists of tools and problems. */
export interface Exchange {
  fromAgent(message: JSONRPCMessage): Step;
  fromServer(message: JSONRPCMessage): void;
  /** Ends a request that the server will not answer. Returns what the agent is told. */
  failed(message: JSONRPCMessage, why: string): JSONRPCMessage | null;
  /** Ends all requests that have no answer. */
  end(why: string): void;
}

interface Open {
  method: string;
  /** Set for calls of tools. */
  call?: { id: string; begun: number };
}

const FAILED = -32_000;

const isRequest = (message: JSONRPCMessage): message is JSONRPCRequest =>
  'method' in message && 'id' in message;

/** Creates the record of one connection. It has no input or output but `options`. */
export function createExchange({ record, nameOf, now, mockOf, sleep }: ExchangeOptions): Exchange {
  const open = new Map<RequestId, Open>();
  let calls = 0;

  const answered = (
    { call }: Open,
    answer: { result: Json; error: string | null; is_error: boolean; mocked?: true },
  ): void => {
    if (call === undefined) return;
    const duration_ms = Math.round(now() - call.begun);
    record({ type: 'answer', id: call.id, mocked: false, ...answer, duration_ms });
  };

  const begin = (request: JSONRPCRequest): Step => {
    const params = request.params as { name?: string; arguments?: Json } | undefined;
    const args = params?.arguments ?? {};
    const tool = params?.name ?? '';
    const call = { id: nameOf(++calls), begun: now() };
    const one = { method: request.method, call };
    record({ type: 'call', id: call.id, tool, arguments: args });
    const mocked = mockOf(tool, args);
    if (mocked === null) {
      open.set(request.id, one);
      return { to: 'server', message: request };
    }
    const { result, delayMs } = mocked;
    const answer = sleep(delayMs).then((): JSONRPCMessage => {
      answered(one, { result, error: null, is_error: result['isError'] === true, mocked: true });
      return { jsonrpc: '2.0', id: request.id, result };
    });
    return { to: 'agent', answer };
  };

  const fail = (id: RequestId, error: string): void => {
    const one = open.get(id);
    open.delete(id);
    if (one !== undefined) answered(one, { result: null, error, is_error: true });
  };

  return {
    fromAgent(message) {
      if (isRequest(message)) {
        if (message.method === 'tools/call') return begin(message);
        open.set(message.id, { method: message.method });
      } else if ('method' in message && message.method === 'notifications/cancelled') {
        const id = (message.params as { requestId?: RequestId } | undefined)?.requestId;
        if (id !== undefined) fail(id, 'the agent cancelled the call');
      }
      return { to: 'server', message };
    },
    fromServer(message) {
      if ('method' in message || message.id === undefined) return;
      const one = open.get(message.id);
      if (one === undefined) return;
      if ('error' in message) {
        fail(message.id, message.error.message);
        return;
      }
      open.delete(message.id);
      const result = message.result as Json;
      if (one.method === 'tools/list') record({ type: 'tools', tools: toolsIn(result) });
      else
        answered(one, { result, error: null, is_error: isJsonObject(result) && result['isError'] === true });
    },
    failed(message, why) {
      if (!isRequest(message)) return null;
      fail(message.id, why);
      return { jsonrpc: '2.0', id: message.id, error: { code: FAILED, message: why } };
    },
    end(why) {
      for (const id of [...open.keys()]) fail(id, why);
    },
  };
}

/** The tools in an answer, with the bytes that each has in what the model is told. */
function toolsIn(result: Json): { name: string; bytes: number }[] {
  const tools = isJsonObject(result) && Array.isArray(result['tools']) ? result['tools'] : [];
  return tools.flatMap((tool) =>
    isJsonObject(tool) && typeof tool['name'] === 'string'
      ? [{ name: tool['name'], bytes: new TextEncoder().encode(JSON.stringify(tool)).length }]
      : [],
  );
}
