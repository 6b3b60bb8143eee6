import { request as requestHttp, type ClientRequest, type IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { beginningOf, defined, isJsonObject, type Json, parseJson } from '#lib';
import type { McpConnection } from './proxy-file.js';
import { versionNamedIn } from './protocol-problem.js';
import { readSse } from './read-sse.js';
import { headersOfTool, requestHeaders, type HeaderOfArgument } from './request-headers.js';
import type { Server, ServerEvents } from './server.js';

type Message = { [key: string]: Json };

/** The time that a server has to end the session, and to say whether it speaks an older transport. */
const GOODBYE_MS = 1000;
const PROBE_MS = 2000;
/**
 * When a stream is opened again that the server has closed, if it did not say when, and how often at most without news.
 */
const AGAIN_MS = 1000;
const MAX_REOPENED = 2;
const MAX_REDIRECTS = 5;
const MAX_SHOWN = 300;

/**
 * Talks streamable HTTP to a server, in the version of the protocol that the agent speaks. There is no limit of time or
 * size: an agent has its own.
 */
export function connectHttp(
  name: string,
  { url, headers }: Extract<McpConnection, { url: string }>,
  on: ServerEvents,
): Server {
  const requests = new Set<ClientRequest>();
  /** Requests of the agent that have no answer yet, by their ids. */
  const open = new Map<string, { request: ClientRequest; method: string }>();
  const argumentHeaders = new Map<string, HeaderOfArgument[]>();
  let session: string | undefined;
  let version: string | undefined;
  /** Settles when the next message may be sent. */
  let queue: Promise<unknown> = Promise.resolve();
  let isClosed = false;

  /** Makes a request, and follows redirects to the same server. */
  function fetchFrom(
    address: string,
    init: {
      method: string;
      headers: Record<string, string>;
      body?: Buffer;
      onRequest?: (request: ClientRequest) => void;
    },
    redirects = 0,
  ): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const target = new URL(address);
      const given = {
        ...defined({ 'mcp-session-id': session, 'mcp-protocol-version': version }),
        ...init.headers,
        ...(init.body === undefined ? {} : { 'content-length': String(init.body.length) }),
        ...lowerCased(headers),
      };
      const send = target.protocol === 'https:' ? requestHttps : requestHttp;
      // Without reuse of connections, because a server may close one just when it is used again.
      const request = send(target, { method: init.method, headers: given, agent: false });
      requests.add(request);
      init.onRequest?.(request);
      request.once('close', () => requests.delete(request));
      request.on('error', reject);
      request.once('response', (response) => {
        response.on('error', () => undefined);
        const { location } = response.headers;
        const isMoved = [307, 308].includes(response.statusCode ?? 0) && location !== undefined;
        const moved = isMoved ? new URL(location, target) : null;
        if (moved === null || moved.origin !== target.origin || redirects === MAX_REDIRECTS) {
          resolve(response);
          return;
        }
        response.resume();
        resolve(fetchFrom(moved.href, init, redirects + 1));
      });
      request.end(init.body);
    });
  }

  /**
   * Gives a message to the agent, as a line. Line breaks are only between the parts of a message, never within texts.
   */
  function deliver(message: Buffer): void {
    for (let at = 0; at < message.length; at++) if (message[at] === 10 || message[at] === 13) message[at] = 32;
    note(message);
    on.bytes(Buffer.concat([message, Buffer.from('\n')]));
  }

  /** Takes from a copy of a message what the transport needs to know. */
  function note(message: Buffer): void {
    // Whatever it answers is answered.
    if (message.length > LONGEST_READ) open.clear();
    const parsed = message.length > LONGEST_READ ? undefined : parseJson(message.toString());
    if (!isJsonObject(parsed) || parsed['id'] === undefined || 'method' in parsed) return;
    const key = keyOf(parsed['id']);
    const method = open.get(key)?.method;
    open.delete(key);
    const { result } = parsed;
    if (!isJsonObject(result)) return;
    if (method === 'initialize' && typeof result['protocolVersion'] === 'string') version = result['protocolVersion'];
    if (method === 'tools/list' && Array.isArray(result['tools']))
      for (const tool of result['tools'])
        if (isJsonObject(tool) && typeof tool['name'] === 'string')
          argumentHeaders.set(tool['name'], headersOfTool(tool['inputSchema']));
  }

  async function bodyOf(response: IncomingMessage): Promise<Buffer> {
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk as Buffer);
    return Buffer.concat(chunks);
  }

  /** Reads a stream of events to its end. `isAnswered`: nothing more is expected of it. */
  async function readStream(
    response: IncomingMessage,
    isAnswered: () => boolean,
    { isListening = false, tries = 0 } = {},
  ): Promise<void> {
    const heard = { last: null as string | null, news: 0 };
    const reader = readSse(({ data, event, id }) => {
      heard.last = id;
      if (event !== 'message' || data.length === 0) return;
      heard.news += 1;
      deliver(data);
    });
    try {
      for await (const chunk of response) {
        reader.add(chunk as Buffer);
        await on.ready();
      }
    } catch {
      // A stream that breaks is continued like one that the server has closed.
    }
    const next = heard.news > 0 ? 0 : tries + 1;
    if (isClosed || isAnswered() || (heard.last === null && !isListening) || next > MAX_REOPENED) return;
    await sleep(reader.retryMs() ?? AGAIN_MS, undefined, { ref: false });
    await listen(heard.last, isAnswered, next);
  }

  /** Opens the stream of what the server sends by itself, or continues a stream after the event `last`. */
  async function listen(last: string | null, isAnswered: () => boolean, tries = 0): Promise<void> {
    if (isClosed || isAnswered()) return;
    const response = await fetchFrom(url, {
      method: 'GET',
      headers: { accept: 'text/event-stream', ...defined({ 'last-event-id': last }) },
    }).catch(() => null);
    if (response?.statusCode === 200 && isSse(response))
      await readStream(response, isAnswered, { isListening: true, tries });
    else response?.destroy();
  }

  /** Posts a line. Settles when the next one may be sent: notifications must arrive before what follows them. */
  async function post(line: Buffer): Promise<void> {
    const parsed = parseJson(line.toString());
    const message: Message = isJsonObject(parsed) ? parsed : {};
    const params = isJsonObject(message['params']) ? message['params'] : {};
    const method = typeof message['method'] === 'string' ? message['method'] : 'a message';
    // Since 2026-07-28, the end of a request cancels it.
    if (method === 'notifications/cancelled' && versionNamedIn(params) !== null) {
      const cancelled = open.get(keyOf(params['requestId']));
      open.delete(keyOf(params['requestId']));
      cancelled?.request.destroy();
      return;
    }
    const expectsAnswer = message['id'] !== undefined && typeof message['method'] === 'string';
    const key = keyOf(message['id']);
    const sent = fetchFrom(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...requestHeaders(message, argumentHeaders.get(typeof params['name'] === 'string' ? params['name'] : '')),
      },
      body: line,
      onRequest: (request) => {
        if (expectsAnswer) open.set(key, { request, method });
      },
    });
    const answered = takeAnswer(sent, message, expectsAnswer ? key : null, method);
    if (!expectsAnswer) await sent.catch(() => undefined);
    void answered;
  }

  /** Gives the answer to a message to the agent. `key`: of the request; null if the message expects no answer. */
  async function takeAnswer(
    sent: Promise<IncomingMessage>,
    message: Message,
    key: string | null,
    method: string,
  ): Promise<void> {
    const isAnswered = (): boolean => key === null || !open.has(key);
    const fail = (text: string, wasReached = true): void => {
      if (isClosed || (key !== null && !open.delete(key))) return;
      // This asks for the version of the protocol: a server that does not know it is an older one.
      on.failed(message, { message: text, isProblem: !(wasReached && method === 'server/discover') });
    };
    let response: IncomingMessage;
    try {
      response = await sent;
    } catch (error) {
      const { message: text, code = 'unknown' } = error as NodeJS.ErrnoException;
      fail(`${name} cannot be reached: ${text === '' ? code : text}`, false);
      return;
    }
    const given = response.headers['mcp-session-id'];
    if (typeof given === 'string') session = given;
    const status = response.statusCode ?? 0;
    const isGood = status >= 200 && status < 300;
    if (method === 'notifications/initialized' && isGood) void listen(null, () => false);
    if (isGood && isSse(response)) await readStream(response, isAnswered);
    else {
      const body = await bodyOf(response).catch(() => null);
      const answer = body === null || body.length > LONGEST_READ ? undefined : parseJson(body.toString());
      if (body === null) fail(`the connection broke before ${method} was answered`);
      else if (isGood && Array.isArray(answer)) for (const each of answer) deliver(Buffer.from(JSON.stringify(each)));
      else if (isGood && body.length > 0) deliver(body);
      else if (key !== null && isJsonObject(answer) && isJsonObject(answer['error']))
        deliver(answer['id'] === message['id'] ? body : errorOf(message, answer));
      else if (!isGood) fail(await refusal(response, method, body.toString()));
    }
    if (!isAnswered()) fail(`the server ended its answer to ${method} without a result`);
  }

  /** Says that a message was refused, and what may be the cause. */
  async function refusal(response: IncomingMessage, method: string, body: string): Promise<string> {
    const status = `${response.statusCode ?? ''} ${response.statusMessage ?? ''}`.trim();
    const text = body.trim() === '' ? '' : `: ${beginningOf(body.trim().replace(/\s+/g, ' '), MAX_SHOWN)}`;
    const answer = `the server answered ${method} with HTTP ${status}${text}`;
    if (method === 'initialize' && (await speaksSseOnly()))
      return `${answer}; it speaks HTTP with SSE, the transport of MCP before 2025-03-26: give the address of its streamable HTTP endpoint, often /mcp in place of /sse`;
    return response.statusCode === 401 || response.statusCode === 403
      ? `${answer}; give what it asks for in headers`
      : answer;
  }

  /** Servers of the older transport begin a stream with the address to which messages are to be sent. */
  async function speaksSseOnly(): Promise<boolean> {
    const probe = fetchFrom(url, { method: 'GET', headers: { accept: 'text/event-stream' } }).catch(() => null);
    const response = await Promise.race([probe, sleep(PROBE_MS, null, { ref: false })]);
    if (response === null || response.statusCode !== 200 || !isSse(response)) return false;
    const found = new Promise<boolean>((resolve) => {
      const reader = readSse(({ event }) => resolve(event === 'endpoint'));
      response.on('data', (chunk: Buffer) => reader.add(chunk)).once('close', () => resolve(false));
    });
    const answer = await Promise.race([found, sleep(PROBE_MS, false, { ref: false })]);
    response.destroy();
    return answer;
  }

  return {
    send(line) {
      queue = queue.then(() => post(line));
    },
    async close() {
      isClosed = true;
      const goodbye = session === undefined ? null : fetchFrom(url, { method: 'DELETE', headers: {} });
      await Promise.race([goodbye?.catch(() => null), sleep(GOODBYE_MS, undefined, { ref: false })]);
      for (const request of requests) request.destroy();
    },
  };
}

/** In bytes. Of longer messages, nothing is of use for the transport. */
const LONGEST_READ = 256 * 1024 * 1024;

/** The error of a server that does not say which request it is about. */
const errorOf = (request: Message, answer: Message): Buffer =>
  Buffer.from(JSON.stringify({ ...answer, id: request['id'] ?? null }));

/** Clients take "1" for 1. */
const keyOf = (id: Json | undefined): string => (typeof id === 'string' ? id : JSON.stringify(id ?? null));
const isSse = ({ headers }: IncomingMessage): boolean => /^text\/event-stream\b/i.test(headers['content-type'] ?? '');
const lowerCased = (headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
