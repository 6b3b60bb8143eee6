import { timingSafeEqual } from 'node:crypto';
import { sha256 } from '#lib';

/** A request, as the guard sees it. A header that is missing is undefined. */
interface GuardedRequest {
  method: string;
  path: string;
  host: string | undefined;
  origin: string | undefined;
  authorization: string | undefined;
}

interface Gatekeeper {
  /** Only who knows it may read or change anything. */
  token: string;
  /** The port that the server listens on. */
  port: number;
  /** Origin of a proxy that passes requests on, such as https://results.example.com; null if there is none. */
  origin: string | null;
}

export interface Refusal {
  status: 401 | 403;
  reason: string;
}

/** Paths below it answer with data. */
const API = '/api/';

/**
 * Says why a request is refused; null if it may be answered. Every request must name this server as its host, so that a
 * name of a foreign site that resolves to 127.0.0.1 reaches nothing. The API also needs the token, and changes need our
 * own origin.
 */
export function refusalOf(request: GuardedRequest, { token, port, origin }: Gatekeeper): Refusal | null {
  const own = [`http://127.0.0.1:${port}`, `http://localhost:${port}`, ...(origin === null ? [] : [origin])];
  const hosts = own.map((one) => new URL(one).host);
  if (!hosts.includes(request.host ?? '')) return { status: 403, reason: 'unknown host' };
  const isOwn = request.origin !== undefined && own.includes(request.origin);
  if (request.origin !== undefined && !isOwn) return { status: 403, reason: 'unknown origin' };
  if (!request.path.startsWith(API)) return null;
  if (!isSame(request.authorization ?? '', `Bearer ${token}`))
    return { status: 401, reason: 'the token is missing or wrong; open the address that `view` printed' };
  if (request.method !== 'GET' && !isOwn) return { status: 403, reason: 'changes need an origin' };
  return null;
}

/** Compares hashes of the same length, so that the time it takes tells nothing of the token. */
const isSame = (given: string, wanted: string): boolean =>
  timingSafeEqual(Buffer.from(sha256(given)), Buffer.from(sha256(wanted)));
