import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A span as OTLP's JSON has it, as far as tests need it. */
export interface SentSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  status: { code: number; message?: string };
  attributes: { key: string; value: Record<string, unknown> }[];
}

export interface Collector {
  address: string;
  requests: { path: string; headers: Record<string, unknown>; body: Buffer }[];
  /** The spans of all requests in JSON. */
  spans: () => SentSpan[];
  /** Attributes of the resources of these requests. */
  resources: () => Record<string, unknown>[];
  /** Answers requests with this status from now on. */
  answerWith: (status: number) => void;
  close: () => void;
}

interface Body {
  resourceSpans: {
    resource: { attributes: SentSpan['attributes'] };
    scopeSpans: { spans: SentSpan[] }[];
  }[];
}

/** Starts a collector of traces on loopback. */
export async function startCollector(): Promise<Collector> {
  const requests: Collector['requests'] = [];
  let status = 200;
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      requests.push({ path: request.url ?? '', headers: request.headers, body: Buffer.concat(parts) });
      response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const inJson = () =>
    requests
      .filter(({ headers }) => headers['content-type'] === 'application/json')
      .flatMap(({ body }) => (JSON.parse(body.toString()) as Body).resourceSpans);
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    spans: () => inJson().flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
    resources: () => inJson().map(({ resource }) => attributesIn(resource.attributes)),
    answerWith: (code) => {
      status = code;
    },
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** The values of attributes, by name. */
export const attributesIn = (attributes: SentSpan['attributes']): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
