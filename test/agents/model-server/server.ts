import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { anthropic } from './anthropic.js';
import { chat } from './chat.js';
import { gemini } from './gemini.js';
import { faultFor, isTask, nextTurn, scriptFor } from './next-turn.js';
import type { Conversation, Protocol } from './protocol.js';
import { responses } from './responses.js';
import { Script, type Fault, type ScriptInput } from './script.js';
import { sendAnswer, sendBroken, sendJson } from './send.js';

const PAGE = '<!DOCTYPE html>\n<html><head><title>Bad Gateway</title></head><body>Please sign in</body></html>\n';
const PROTOCOLS = [anthropic, responses, chat, gemini];

/** A recorded request to the model. */
interface ModelRequest extends Conversation {
  protocol: string;
  path: string;
  /** Size of its body in bytes. */
  bytes: number;
  /** The key that the client sent. */
  key: string | null;
  /** The index of the script that answered it. */
  script: number;
  /** Its number among the task requests of that script, from 1; null for requests outside the task. */
  number: number | null;
  /** The fault that replaced the answer. */
  fault: Fault | null;
}

export interface ModelServer {
  /** Without a path: OpenAI clients need `/v1` after it. */
  url: string;
  /** In the order of their arrival. */
  requests: readonly ModelRequest[];
  /** Other requests, in the form "GET /v1/models". */
  others: readonly string[];
  /** Waits until the requests so far meet a condition. */
  until(wished: (requests: readonly ModelRequest[]) => boolean): Promise<void>;
  close(): Promise<void>;
}

/** A scripted model on loopback, for clients of all protocols at once. */
export async function startModelServer(given: ScriptInput[], port = 0): Promise<ModelServer> {
  const scripts = given.map((script) => Script.parse(script));
  const requests: ModelRequest[] = [];
  const others: string[] = [];
  const used = new Map<Fault, number>();
  const waiting = new Set<() => void>();

  const received = (request: ModelRequest): void => {
    requests.push(request);
    if (request.fault !== null) used.set(request.fault, (used.get(request.fault) ?? 0) + 1);
    for (const look of waiting) look();
  };

  const answer = async (
    protocol: Protocol,
    url: URL,
    body: string,
    from: IncomingMessage,
    to: ServerResponse,
  ): Promise<void> => {
    const conversation = protocol.read(JSON.parse(body), url);
    const index = scriptFor(scripts, conversation);
    const script = scripts[index];
    if (script === undefined) throw new Error('no script is meant for this conversation');
    const task = isTask(script, conversation);
    const number = task ? requests.filter((other) => other.script === index && other.number !== null).length + 1 : null;
    const fault = number === null ? null : faultFor(script, number, conversation.toolResults, used);
    const id = String(requests.length + 1).padStart(6, '0');
    received({
      ...conversation,
      protocol: protocol.name,
      path: url.pathname,
      bytes: Buffer.byteLength(body),
      key: keyOf(from, url),
      script: index,
      number,
      fault,
    });
    if (script.delay_ms > 0) await sleep(script.delay_ms);
    if (fault !== null && 'error' in fault) {
      const { status, body, headers } = protocol.refuse(fault, conversation.model, Math.floor(Date.now() / 1000));
      const wait = fault.retry_after_secs;
      sendJson(to, status, body, {
        ...(wait === undefined ? {} : { 'retry-after': String(wait) }),
        ...headers,
        ...fault.headers,
      });
      return;
    }
    if (fault !== null && 'page' in fault) {
      to.writeHead(fault.page, { 'content-type': 'text/html', ...fault.headers }).end(PAGE);
      return;
    }
    const turn = nextTurn(script, conversation, id, body);
    if (fault === null) sendAnswer(to, protocol, turn, conversation.stream);
    else sendBroken(to, protocol, turn, conversation.stream, fault.break);
  };

  const handle = async (from: IncomingMessage, to: ServerResponse): Promise<void> => {
    const url = new URL(from.url ?? '/', 'http://localhost');
    const body = await text(from);
    const protocol = PROTOCOLS.find(({ path }) => path.test(url.pathname));
    if (from.method === 'POST' && protocol !== undefined) {
      await answer(protocol, url, body, from, to);
      return;
    }
    others.push(`${from.method ?? ''} ${url.pathname}`);
    const known = otherAnswer(
      url.pathname,
      scripts.flatMap(({ models }) => models),
    );
    if (known === null) sendJson(to, 404, { error: { message: 'not found' } });
    else sendJson(to, 200, known);
  };

  const server = createServer((from, to) => {
    handle(from, to).catch((error: unknown) => {
      sendJson(to, 400, { error: { message: `the scripted model: ${String(error)}` } });
    });
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    url,
    requests,
    others,
    until: (wished) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (!wished(requests)) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

function keyOf({ headers }: IncomingMessage, url: URL): string | null {
  const single = (value: string | string[] | undefined): string | undefined =>
    Array.isArray(value) ? value[0] : value;
  return (
    single(headers['x-api-key']) ??
    single(headers['x-goog-api-key']) ??
    headers.authorization?.replace(/^Bearer /, '') ??
    url.searchParams.get('key')
  );
}

/** Answers to other requests, in one form for all clients; null for unknown paths. */
function otherAnswer(path: string, names: string[]): unknown {
  if (/\/messages\/count_tokens$/.test(path)) return { input_tokens: 1000 };
  if (/:countTokens$/.test(path)) return { totalTokens: 1000 };
  if (!/\/models$/.test(path)) return null;
  const created = { created: 0, created_at: '2026-01-01T00:00:00Z', owned_by: 'scripted' };
  return {
    object: 'list',
    data: names.map((id) => ({ id, object: 'model', type: 'model', display_name: id, ...created })),
    has_more: false,
    models: names.map((id) => ({ name: `models/${id}`, supportedGenerationMethods: ['generateContent'] })),
  };
}
