import { createServer, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';
import { createServer as createTcpServer, type Server } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { LOOPBACK } from '../../../src/engine/server.js';
import { connect, withClient } from '../../../src/engine/temporal/temporal-client.js';

/** Starts a server on a free port; returns how to reach it. */
async function listen(server: Server): Promise<{ address: string; namespace: string; external: false }> {
  await new Promise<void>((resolve) => server.listen(0, LOOPBACK, resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return { address: `${LOOPBACK}:${address.port}`, namespace: 'default', external: false };
}

/** A gRPC server to which a client can connect, and which answers nothing else. */
function serverWithoutAnswers(): Server {
  const server = createServer();
  server.on('stream', (stream: ServerHttp2Stream, headers) => {
    stream.on('error', () => undefined);
    // The client takes "unimplemented" for an old server.
    if (headers[':path']?.endsWith('/GetSystemInfo') === true)
      stream.respond({ 'content-type': 'application/grpc', 'grpc-status': '12' }, { endStream: true });
  });
  return server;
}

const limits = { timeoutMs: 1000, signal: new AbortController().signal };

test('gives up a server that accepts connections and never answers', async () => {
  const server = createTcpServer((socket) => socket.on('error', () => undefined));
  const to = await listen(server);
  const asked = withClient(to, limits, (client) => client.workflow.count());
  await expect(asked).rejects.toThrow('Failed to connect before the deadline');
});

test('gives up a server that answers only the connection', async () => {
  const to = await listen(serverWithoutAnswers());
  const asked = withClient(to, limits, (client) => client.workflow.count());
  await expect(asked).rejects.toMatchObject({ cause: { details: /Deadline exceeded/i } });
});

test('waits no longer between attempts to reach a server the longer it is away', async () => {
  const answering = serverWithoutAnswers();
  const sessions = new Set<ServerHttp2Session>();
  answering.on('session', (session: ServerHttp2Session) => sessions.add(session));
  const attempts: number[] = [];
  let isAway = false;
  // The port stays taken: another program could get it between two servers.
  const server = createTcpServer((socket) => {
    if (!isAway) return void answering.emit('connection', socket);
    attempts.push(performance.now());
    socket.destroy();
  });
  const to = await listen(server);
  const client = await connect(to);
  onTestFinished(() => client.connection.close());
  isAway = true;
  for (const session of sessions) session.destroy();

  while (attempts.length < 12) {
    const soon = Date.now() + 1000;
    await client.withDeadline(soon, () => client.workflowService.getSystemInfo({})).catch(() => null);
    await sleep(50);
  }
  const waits = attempts.slice(1).map((at, i) => at - (attempts[i] ?? 0));
  // By default each wait is 1.6 times as long as the one before, until it is two minutes. Ours reach their limit early.
  expect(Math.min(...waits.slice(-2))).toBeLessThan(2 * (waits.at(-5) ?? 0));
}, 60_000);
