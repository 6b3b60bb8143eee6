import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';

/**
 * The way in which the server answers a request: with a text in the provider's form, as given, or never; not before
 * `after`.
 */
type Reply =
  | { say: string; after?: Promise<unknown> }
  /** Answers with a text that depends on the request. */
  | { sayTo: (body: string) => string }
  | { status: number; headers?: Record<string, string>; body?: string; after?: Promise<unknown> }
  /** Answers with the text unless the request has a JSON schema, which this server does not support. */
  | { sayWithoutSchema: string }
  | 'silence';

export interface Asked {
  /** ms since the epoch */
  at: number;
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
  model: string;
  /** The client went away before it had an answer. */
  abandoned: boolean;
}

export interface ModelServer {
  /** http://127.0.0.1:port */
  address: string;
  /** Sets the replies of a model, one for each request; the last one is repeated. */
  script(model: string, ...replies: Reply[]): void;
  askedOf(model: string): Asked[];
  close(): Promise<void>;
}

/** The protocol of one kind of provider. */
interface Dialect {
  path: RegExp;
  modelOf(path: string, body: { model?: string }): string;
  answer(text: string, model: string): unknown;
}

const dialects: Dialect[] = [
  {
    path: /\/chat\/completions$/,
    modelOf: (_path, { model = '' }) => model,
    answer: (content, model) => ({
      id: 'c1',
      object: 'chat.completion',
      created: 1,
      model: `${model}-served`,
      choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 },
    }),
  },
  {
    path: /^\/v1\/messages$/,
    modelOf: (_path, { model = '' }) => model,
    answer: (text, model) => ({
      id: 'm1',
      type: 'message',
      role: 'assistant',
      model: `${model}-served`,
      content: [{ type: 'text', text }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: { input_tokens: 90, cache_read_input_tokens: 10, output_tokens: 20 },
    }),
  },
  {
    path: /^\/v1\/responses$/,
    modelOf: (_path, { model = '' }) => model,
    answer: (text, model) => ({
      id: 'r1',
      object: 'response',
      created_at: 1,
      status: 'completed',
      model: `${model}-served`,
      output: [
        {
          type: 'message',
          id: 'o1',
          role: 'assistant',
          status: 'completed',
          content: [{ type: 'output_text', text, annotations: [] }],
        },
      ],
      usage: { input_tokens: 100, output_tokens: 20, total_tokens: 120 },
    }),
  },
  {
    path: /^\/v1beta\/models\/[^/]+:generateContent$/,
    modelOf: (path) => /models\/([^:]+):/.exec(path)?.[1] ?? '',
    answer: (text, model) => ({
      candidates: [{ content: { role: 'model', parts: [{ text }] }, finishReason: 'STOP', index: 0 }],
      modelVersion: `${model}-served`,
      usageMetadata: { promptTokenCount: 100, candidatesTokenCount: 20, totalTokenCount: 120 },
    }),
  },
];

const textOf = (reply: Exclude<Reply, 'silence' | { status: number }>, body: string): string =>
  'say' in reply ? reply.say : 'sayTo' in reply ? reply.sayTo(body) : reply.sayWithoutSchema;

/** A server on loopback that speaks the providers' protocols and records what it was asked. */
export async function createModelServer(): Promise<ModelServer> {
  const asked: Asked[] = [];
  const scripts = new Map<string, Reply[]>();

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? '';
    const body = await readText(request);
    const dialect = dialects.find((one) => one.path.test(path));
    const model = dialect?.modelOf(path, JSON.parse(body) as { model?: string }) ?? '';
    const one: Asked = { at: Date.now(), path, headers: request.headers, body, model, abandoned: false };
    response.once('close', () => (one.abandoned = !response.writableFinished));
    asked.push(one);
    const script = scripts.get(model) ?? [];
    const reply = script.length > 1 ? script.shift() : script[0];
    if (reply === 'silence') return;
    if (reply !== undefined && 'after' in reply) await reply.after;
    const send = (status: number, text: string, headers: Record<string, string> = {}): void => {
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text);
    };
    if (dialect === undefined || reply === undefined) send(404, '{"error":{"message":"no such model"}}');
    else if ('status' in reply) send(reply.status, reply.body ?? '{}', reply.headers);
    else if ('sayWithoutSchema' in reply && /json_schema/.test(body))
      send(400, '{"error":{"message":"response_format: json_schema is not supported"}}');
    else send(200, JSON.stringify(dialect.answer(textOf(reply, body), model)));
  }

  const server = createServer((request, response) => void serve(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    script: (model, ...replies) => void scripts.set(model, replies),
    askedOf: (model) => asked.filter((one) => one.model === model),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
