import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';

/** @typedef {Record<string, any>} Any */
/** @typedef {{ send: (message: Any) => void, close: () => void }} Connection */
/** @typedef {(tell: (message: Any) => void) => Connection} Open */

/** The status with which HTTP tells some errors since 2026-07-28. @type {Record<number, number>} */
const STATUS = { [-32602]: 400, [-32022]: 400, [-32021]: 400, [-32601]: 404 };

/**
 * Speaks streamable HTTP on loopback for a server that is reached by connections: each session has one, and since
 * 2026-07-28 each request. Resolves to the HTTP server.
 */
export async function serveHttp(/** @type {Open} */ open) {
  /**
   * The connection of each session, and its open streams, the last one first.
   * @type {Map<string, { connection: Connection, streams: ((message: Any) => void)[] }>}
   */
  const sessions = new Map();

  const server = createServer(async (request, response) => {
    const fail = (
      /** @type {number} */ status,
      /** @type {number} */ code,
      /** @type {string} */ message,
      /** @type {unknown} */ id = null,
    ) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } }));
    };
    const host = (/** @type {string | undefined} */ text) =>
      (text ?? '').replace(/^https?:\/\//, '').replace(/:\d+$/, '');
    const { host: given, origin } = request.headers;
    if ([given, origin].some((one) => one !== undefined && !['localhost', '127.0.0.1'].includes(host(one))))
      return fail(403, -32000, 'this server is local');
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const id = request.headers['mcp-session-id'];
    const session = typeof id === 'string' ? sessions.get(id) : undefined;
    if (typeof id === 'string' && session === undefined) return fail(404, -32001, 'Session not found');

    const stream = () => {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
      return (/** @type {Any} */ message) =>
        void response.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
    };
    if (request.method === 'GET' && session !== undefined) {
      const tell = stream();
      response.flushHeaders();
      session.streams.push(tell);
      response.once('close', () => session.streams.splice(session.streams.indexOf(tell), 1));
      return undefined;
    }
    if (request.method === 'DELETE' && session !== undefined) {
      sessions.delete(String(id));
      session.connection.close();
      return response.writeHead(200).end();
    }
    if (request.method !== 'POST') return fail(405, -32000, 'Method not allowed');

    /** @type {Any} */
    let message;
    try {
      message = JSON.parse(Buffer.concat(chunks).toString());
    } catch {
      return fail(400, -32700, 'Parse error');
    }
    const named = message['params']?._meta?.['io.modelcontextprotocol/protocolVersion'];
    const version = request.headers['mcp-protocol-version'];
    const isNewer =
      named !== undefined ||
      (version !== undefined && String(version) >= '2026') ||
      message['method'] === 'server/discover';
    if (isNewer && message['id'] === undefined) return response.writeHead(202).end();
    if (isNewer && version !== named && named !== undefined)
      return fail(400, -32020, 'the version in the header is not that of the message', message['id']);
    if (message['method'] === undefined || message['id'] === undefined) {
      session?.connection.send(message);
      return response.writeHead(202).end();
    }

    /** @type {((message: Any) => void) | null} */
    let told = null;
    const tell = (/** @type {Any} */ one) => {
      const isAnswer = one['id'] === message['id'] && one['method'] === undefined;
      const status = isNewer && isAnswer && told === null ? STATUS[one['error']?.code] : undefined;
      if (status !== undefined) {
        response.writeHead(status, { 'content-type': 'application/json' });
        response.end(JSON.stringify(one));
        return;
      }
      told ??= stream();
      told(one);
      if (isAnswer) response.end();
    };
    if (isNewer) {
      const connection = open(tell);
      response.once('close', () => connection.close());
      connection.send(message);
      return undefined;
    }
    if (message['method'] === 'initialize') {
      const name = randomUUID();
      /** @type {((message: Any) => void)[]} */
      const streams = [];
      const connection = open((one) => streams[0]?.(one));
      sessions.set(name, { connection, streams });
      response.setHeader('mcp-session-id', name);
    }
    const mine = session ?? sessions.get(String(response.getHeader('mcp-session-id')));
    if (mine === undefined) return fail(400, -32000, 'Bad Request: no session', message['id']);
    // Each request has its own answer; other messages go to the last stream.
    const listener = (/** @type {Any} */ one) => {
      const other = one['method'] === undefined && one['id'] !== message['id'];
      const next = mine.streams[mine.streams.indexOf(listener) + 1];
      if (other) next?.(one);
      else tell(one);
    };
    mine.streams.unshift(listener);
    response.once('close', () => mine.streams.splice(mine.streams.indexOf(listener), 1));
    mine.connection.send(message);
    return undefined;
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}
