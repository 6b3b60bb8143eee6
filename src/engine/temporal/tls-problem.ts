import { connect, type ConnectionOptions } from 'node:tls';
import type { ConnectionSettings } from './connection-options.js';

const HANDSHAKE_MS = 3000;
/** With TLS 1.3, a server refuses a client's certificate only after the client has finished its part. */
const REFUSAL_MS = 500;

/**
 * Returns why a TLS connection to the server fails; null if it succeeds, or if the server cannot be reached. The gRPC
 * client only says that it could not connect in time.
 */
export function tlsProblem({
  address,
  tls,
}: Pick<ConnectionSettings, 'address' | 'tls'>): Promise<string | null> {
  if (tls === undefined || tls === null || tls === false) return Promise.resolve(null);
  const { hostname, port } = new URL(`https://${address}`);
  const host = hostname.replace(/^\[|\]$/g, '');
  const own = tls === true ? {} : tls;
  const options: ConnectionOptions = {
    ...{ host, port: Number(port || 7233), ALPNProtocols: ['h2'] },
    ...(own.serverNameOverride === undefined ? {} : { servername: own.serverNameOverride }),
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
    socket.on('error', (error: NodeJS.ErrnoException) =>
      end(UNREACHABLE.has(error.code ?? '') ? null : error.message),
    );
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
