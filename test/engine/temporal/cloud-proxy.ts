import {
  connect as connectHttp2,
  createSecureServer,
  type Http2SecureServer,
  type ServerHttp2Stream,
} from 'node:http2';
import type { AddressInfo } from 'node:net';
import { LOOPBACK } from '../../../src/engine/server.js';

/** The login that the proxy demands of clients. It can be changed while the proxy is running. */
interface Demands {
  /** Accepted API keys; null: none is needed. */
  apiKeys: readonly string[] | null;
}

/** Stands before a Temporal server as Temporal Cloud does: with TLS and a login, and without the operator service. */
export interface CloudProxy {
  address: string;
  demands: Demands;
  /** Names of the calls that it passed on. */
  calls: string[];
  /** Number of calls that it refused because of the login. */
  refused: () => number;
  close: () => Promise<void>;
}

interface Settings extends Demands {
  /** Address of the Temporal server. */
  to: string;
  /** The certificate of the proxy, in PEM format. */
  cert: string;
  key: string;
  /** The authority of client certificates; absent: clients need none. */
  clientCa?: string;
}

const DENIED = 7;
const UNAUTHENTICATED = 16;

export async function startCloudProxy({ to, cert, key, clientCa, apiKeys }: Settings): Promise<CloudProxy> {
  const demands: Demands = { apiKeys };
  const calls: string[] = [];
  let refused = 0;
  const upstream = connectHttp2(`http://${to}`);
  upstream.on('error', () => undefined);
  const server: Http2SecureServer = createSecureServer({
    cert,
    key,
    ...(clientCa === undefined ? {} : { ca: clientCa, requestCert: true, rejectUnauthorized: true }),
  });
  server.on('session', (session) => session.on('error', () => undefined));
  server.on('tlsClientError', () => undefined);
  server.on('stream', (stream: ServerHttp2Stream, headers) => {
    stream.on('error', () => undefined);
    const path = headers[':path'] ?? '';
    const refuse = (code: number, message: string): void =>
      stream.respond(
        {
          ':status': 200,
          'content-type': 'application/grpc',
          'grpc-status': String(code),
          'grpc-message': message,
        },
        { endStream: true },
      );
    const [, given] = /^Bearer (.*)$/.exec(headers.authorization ?? '') ?? [];
    if (demands.apiKeys !== null && !demands.apiKeys.includes(given ?? '')) {
      refused += 1;
      refuse(UNAUTHENTICATED, 'Request unauthorized.');
      return;
    }
    if (path.includes('.operatorservice.')) {
      refuse(DENIED, 'Request unauthorized.');
      return;
    }
    calls.push(path.split('/').at(-1) ?? '');
    const passed = { ...headers, ':scheme': 'http', ':authority': to };
    delete passed.authorization;
    const onward = upstream.request(passed);
    onward.on('error', () => stream.close());
    stream.on('close', () => onward.close());
    let trailers: Record<string, string | string[] | undefined> = {};
    onward.on('response', (answer, flags) => {
      const isWhole = (flags & END_STREAM) !== 0;
      if (stream.destroyed) return;
      stream.respond(answer, isWhole ? { endStream: true } : { waitForTrailers: true });
      stream.on('wantTrailers', () => stream.sendTrailers(trailers));
      if (!isWhole) onward.pipe(stream);
    });
    onward.on('trailers', (sent) => (trailers = sent as typeof trailers));
    stream.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, LOOPBACK, resolve));
  const sessions = new Set<{ destroy: () => void }>();
  server.on('session', (session) => {
    sessions.add(session);
    session.on('close', () => sessions.delete(session));
  });
  return {
    address: `${LOOPBACK}:${(server.address() as AddressInfo).port}`,
    demands,
    calls,
    refused: () => refused,
    close: async () => {
      for (const session of sessions) session.destroy();
      upstream.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const END_STREAM = 1;
