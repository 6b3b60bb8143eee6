import type { IncomingMessage } from 'node:http';
import { isStorable, type Json, parseJson } from '#lib';
import type { EndpointRequest } from './answer-to-request.js';

/** A request that cannot be answered as the scenario says, and the status that says so. */
interface HttpError extends Error {
  status: number;
}

export interface ReadRequest {
  request: Omit<EndpointRequest, 'context'>;
  /** Query and body as text, where there are any, for the record. */
  shown: string[];
}

const MOST_BYTES = 1024 * 1024;
/** The connection is closed beyond this. */
const MOST_READ = 64 * MOST_BYTES;

export const isHttpError = (error: unknown): error is HttpError =>
  error instanceof Error && 'status' in error;

/** Reads a request to its end. @throws HttpError if its body is too large */
export async function readRequest(message: IncomingMessage): Promise<ReadRequest> {
  const text = await readBody(message);
  const [path = '/', ...rest] = (message.url ?? '/').split('?');
  const query = rest.join('?');
  return {
    request: {
      method: message.method ?? 'GET',
      path,
      query: valuesOf(query),
      headers: headersOf(message),
      body: bodyOf(text),
    },
    shown: [...(query === '' ? [] : [`?${query}`]), ...(text === '' ? [] : [text])],
  };
}

async function readBody(message: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of message as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes <= MOST_BYTES) chunks.push(chunk);
    // A client that is cut off while it sends would not see the answer.
    else if (bytes > MOST_READ) break;
  }
  if (bytes > MOST_BYTES)
    throw Object.assign(new Error(`the body is larger than ${MOST_BYTES} bytes`), { status: 413 });
  return Buffer.concat(chunks).toString('utf8');
}

/** JSON, or the text if it is none, or is nested too deeply. */
function bodyOf(text: string): Json {
  const parsed = parseJson(text);
  return parsed === undefined || !isStorable(parsed) ? text : parsed;
}

function valuesOf(query: string): EndpointRequest['query'] {
  const parameters = new URLSearchParams(query);
  return Object.fromEntries(
    [...new Set(parameters.keys())].map((name) => {
      const [first = '', ...more] = parameters.getAll(name);
      return [name, more.length === 0 ? first : [first, ...more]];
    }),
  );
}

const headersOf = ({ headers }: IncomingMessage): EndpointRequest['headers'] =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value ?? ''].flat().join(', ')]));
