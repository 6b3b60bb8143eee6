import { connect, type ConnectionOptions } from 'node:tls';
import { defined } from '#lib';
import type { ConnectionSettings } from './connection-options.js';

/**
 * Returns why a connection to a Temporal server can never succeed: its certificate or the login is rejected, judging by
 * the messages of the native client. null if the server may just be unreachable.
 */
export function connectionProblem(error: unknown): string | null {
  const texts: string[] = [];
  for (let cause = error; cause instanceof Error; cause = cause.cause) texts.push(cause.message);
  const text = texts.join(': ');
  if (/certificate|UnknownIssuer|NotValidForName|InvalidContentType|corrupt message|\btls\b|handshake/i.test(text))
    return tlsRefused(text);
  if (/unauthenticated|permission ?denied|unauthorized|invalid.*(api|auth).*(key|token)/i.test(text))
    return `the login was refused; check TEMPORAL_API_KEY and the rights in the namespace (${lastOf(text)})`;
  return null;
}

/** The message for a refused TLS connection. */
export const tlsRefused = (reason: string): string =>
  `the TLS connection was refused; check TEMPORAL_TLS and its certificates (${lastOf(reason)})`;

const lastOf = (text: string): string => text.replaceAll(/\s+/g, ' ').slice(0, 300);

const HANDSHAKE_MS = 3000;
/** With TLS 1.3, a server refuses a client's certificate only after the client has finished its part. */
const REFUSAL_MS = 500;

/**
 * Returns why a TLS connection to the server fails; null if it succeeds, or if the server cannot be reached. The gRPC
 * client only says that it could not connect in time.
 */
export function tlsProblem({ address, tls }: Pick<ConnectionSettings, 'address' | 'tls'>): Promise<string | null> {
  if (tls === undefined || tls === null || tls === false) return Promise.resolve(null);
  const { hostname, port } = new URL(`https://${address}`);
  const host = hostname.replace(/^\[|\]$/g, '');
  const own = tls === true ? {} : tls;
  const options: ConnectionOptions = {
    host,
    port: Number(port || 7233),
    ALPNProtocols: ['h2'],
    ...defined({ servername: own.serverNameOverride }),
    ...(own.serverRootCACertificate === undefined ? {} : { ca: Buffer.from(own.serverRootCACertificate) }),
    ...(own.clientCertPair === undefined
      ? {}
      : { cert: Buffer.from(own.clientCertPair.crt), key: Buffer.from(own.clientCertPair.key) }),
  };
  return new Promise((resolve) => {
    const socket = connect(options);
    const end = (problem: string | null): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(problem);
    };
    let timer = setTimeout(() => end(null), HANDSHAKE_MS);
    socket.on('error', (error: NodeJS.ErrnoException) => end(UNREACHABLE.has(error.code ?? '') ? null : error.message));
    socket.on('secureConnect', () => {
      clearTimeout(timer);
      timer = setTimeout(() => end(null), REFUSAL_MS);
    });
  });
}

const UNREACHABLE: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
]);

/**
 * A namespace lacks search attributes that we may not create, or has them with other types. The message says what to
 * do.
 */
export class UnusableNamespace extends Error {}
