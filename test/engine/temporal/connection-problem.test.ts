import { createServer, type AddressInfo } from 'node:net';
import { NativeConnection } from '@temporalio/worker';
import { expect, test } from 'vitest';
import { connectionProblem } from '../../../src/engine/temporal/connection-problem.js';

const failureOf = (address: string, tls: boolean): Promise<unknown> =>
  NativeConnection.connect({ address, ...(tls ? { tls: {} } : {}) }).then(
    () => null,
    (error: unknown) => error,
  );

test('reports a server that does not speak TLS as a problem', async () => {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.end('HTTP/1.1 400 Bad Request\r\n\r\n');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  expect(connectionProblem(await failureOf(`127.0.0.1:${port}`, true))).toMatch(/TLS connection was refused/);
  server.close();
});

test('does not report an unreachable server, which may still come up', async () => {
  const failure = await failureOf('127.0.0.1:1', false);
  expect(failure).toBeInstanceOf(Error);
  expect(connectionProblem(failure)).toBeNull();
});

test('reports a refused login', () => {
  expect(connectionProblem(new Error('x', { cause: new Error('status: Unauthenticated') }))).toMatch(
    /TEMPORAL_API_KEY/,
  );
});
