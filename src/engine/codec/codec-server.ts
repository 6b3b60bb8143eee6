import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Payload } from '@temporalio/common';
import { z } from 'zod';
import { InfrastructureError, parseJson, sha256 } from '#lib';
import type { CodecKey } from './codec-keys.js';
import { encryptingCodec } from './encrypting-codec.js';

interface CodecServerSettings {
  keys: readonly CodecKey[];
  /** Begins the path of every request; see `secretPath`. */
  path: string;
  /** Web UIs on other machines that may use the server. */
  origins: readonly string[];
}

/**
 * A path that only those who have the key can know, and that stays the same as long as the key does. Every user of this
 * machine reaches the server, and a request of the Web UI cannot carry a password.
 */
export const secretPath = ({ key }: CodecKey): string =>
  `/${createHmac('sha256', key).update('codec server').digest('hex').slice(0, 32)}`;

/** The limit of Temporal's own messages. */
const MAX_BYTES = 4 * 1024 * 1024;
const LOOPBACK = /^https?:\/\/(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/;

interface Answer {
  status: number;
  text: string;
}

/** Decrypts and encrypts payloads for Temporal's Web UI and CLI: POST `/decode` and `/encode`. */
export function codecServer({ keys, path, origins }: CodecServerSettings): Server {
  const codec = encryptingCodec(keys);
  // Compared as hashes, so that the duration reveals nothing about the path.
  const actions = new Map([
    [sha256(`${path}/decode`), (payloads: Payload[]) => codec.decode(payloads)],
    [sha256(`${path}/encode`), (payloads: Payload[]) => codec.encode(payloads)],
  ]);
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<Answer> => {
    const { origin } = request.headers;
    // Without an origin, it is no browser: Temporal's CLI.
    if (origin !== undefined) {
      if (!LOOPBACK.test(origin) && !origins.includes(origin)) return { status: 403, text: 'unknown origin' };
      allow(response, origin);
    }
    const act = actions.get(sha256(request.url ?? ''));
    if (act === undefined) return { status: 404, text: 'not found' };
    if (request.method === 'OPTIONS') return { status: 204, text: '' };
    if (request.method !== 'POST') return { status: 405, text: 'expected POST' };
    const body = Body.safeParse(parseJson(await textOf(request)));
    if (!body.success) return { status: 400, text: 'expected {"payloads": [...]}' };
    const payloads = await act(body.data.payloads.map(fromJson));
    response.setHeader('content-type', 'application/json');
    return { status: 200, text: JSON.stringify({ payloads: payloads.map(toJson) }) };
  };
  return createServer((request, response) => {
    void answer(request, response)
      .catch((error: unknown): Answer => {
        const isExpected = error instanceof InfrastructureError || error instanceof RangeError;
        return { status: 400, text: isExpected ? error.message : 'the payloads cannot be read' };
      })
      .then(({ status, text }) => {
        response.statusCode = status;
        response.end(text);
      });
  });
}

function allow(response: ServerResponse, origin: string): void {
  response.setHeader('access-control-allow-origin', origin);
  response.setHeader('vary', 'origin');
  response.setHeader('access-control-allow-methods', 'POST, OPTIONS');
  response.setHeader('access-control-allow-headers', 'content-type, x-namespace, authorization');
  response.setHeader('access-control-allow-credentials', 'true');
  // Browsers require it before a page of another machine may reach a server on this one.
  response.setHeader('access-control-allow-private-network', 'true');
}

async function textOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > MAX_BYTES) throw new RangeError(`more than ${MAX_BYTES} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString();
}

/** Payloads in the JSON form of protobuf, with bytes in base64. */
const Body = z.object({
  payloads: z.array(z.object({ metadata: z.record(z.string(), z.string()).default({}), data: z.string().default('') })),
});
type JsonPayload = z.infer<typeof Body>['payloads'][number];

const fromJson = ({ metadata, data }: JsonPayload): Payload => ({
  metadata: mapValues(metadata, (text) => Buffer.from(text, 'base64')),
  data: Buffer.from(data, 'base64'),
});

const toJson = ({ metadata, data }: Payload): JsonPayload => ({
  metadata: mapValues(metadata ?? {}, base64),
  data: base64(data),
});

const base64 = (bytes: Uint8Array | null | undefined): string => Buffer.from(bytes ?? []).toString('base64');

const mapValues = <From, To>(record: Record<string, From>, map: (value: From) => To): Record<string, To> =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value)]));
