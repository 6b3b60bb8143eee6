import { readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { runInNewContext } from 'node:vm';
import { ownIdentity, writeNote } from '#host';
import { isStorable, type Json, parseJson } from '#lib';
import { answerToRequest, type EndpointRequest, type EndpointResult, plainAnswer } from './answer-to-request.js';
import type { EvaluateMatcher } from './matcher.js';
import {
  LOOPBACK,
  mocksFile,
  MAX_CALLS,
  readServer,
  requestsFolder,
  serverFile,
  startProblemFile,
  stepFile,
} from './mock-server-files.js';
import type { CallRecord, ServerFile } from './mocks-file.js';
import { chanceOf, recordCall, recordedArgs, recordedDecision } from './record-call.js';

/** A request that cannot be answered as the scenario says, and the status that says so. */
interface HttpError extends Error {
  status: number;
}

interface ReadRequest {
  request: Omit<EndpointRequest, 'context'>;
  /** Query and body as text, where there are any, for the record. */
  shown: string[];
}

const MAX_BYTES = 1024 * 1024;
/** The connection is closed beyond this. */
const MAX_READ = 64 * MAX_BYTES;

const isHttpError = (error: unknown): error is HttpError => error instanceof Error && 'status' in error;

/** Reads a request to its end. @throws HttpError if its body is too large */
async function readRequest(message: IncomingMessage): Promise<ReadRequest> {
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
    if (bytes <= MAX_BYTES) chunks.push(chunk);
    // A client that is cut off while it sends would not see the answer.
    else if (bytes > MAX_READ) break;
  }
  if (bytes > MAX_BYTES) throw Object.assign(new Error(`the body is larger than ${MAX_BYTES} bytes`), { status: 413 });
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

/** A matcher that takes longer is taken to be in an endless loop. */
const MATCHER_MS = 1000;

/**
 * Evaluates a matcher with a time limit and its own global object, so that it cannot stop or change the server. This is
 * no sandbox: scenarios that need one cannot have matchers of endpoints.
 */
const isolatedMatcher: EvaluateMatcher = (expression, { args, input, context }) => {
  const globals = Object.assign(Object.create(null) as object, {
    call: JSON.stringify({ args, input, context }),
  });
  const code = `'use strict'; (({ args, input, context }) => Boolean(${expression}\n))(JSON.parse(call))`;
  return runInNewContext(code, globals, { timeout: MATCHER_MS }) === true;
};

/*
 * The server of a run's mocked endpoints: `node endpoint-server.js FOLDER PORT`. It ends by itself when its note is
 * gone or names another server, or if nothing has used it for longer than a step can take. It starts no process, and a
 * bad request does not end it.
 */

const WATCH_MS = 500;

const [, , folder = '', port = ''] = process.argv;
const { mocks, seed, agent, scenario, idle_secs } = JSON.parse(readFileSync(mocksFile(folder), 'utf8')) as ServerFile;

/** The number of the next call. Beyond the most that a report shows, calls are counted and not recorded. */
let next = recordedCalls() + 1;
let used = '';
let ticks = 0;

const server = createServer({ requestTimeout: 30_000 }, (request, response) => {
  response.on('error', () => undefined); // the client is gone
  void readRequest(request)
    .then(answer, (error: unknown) => ({ delayMs: 0, result: asAnswer(error) }))
    .catch((error: unknown) => ({ delayMs: 0, result: asAnswer(error) }))
    .then(async ({ delayMs, result }) => {
      await sleep(delayMs);
      send(response, result, request.method ?? '');
    })
    .catch(() => response.destroy());
});
server.on('clientError', (_error, socket) => {
  if (socket.writable) socket.end('HTTP/1.1 400 Bad Request\r\n\r\n');
  else socket.destroy();
});
server.on('error', (error) => {
  writeNote(startProblemFile(folder), error.message);
  process.exit(1);
});
server.listen(Number(port), LOOPBACK, () => {
  const own = ownIdentity();
  writeNote(serverFile(folder), JSON.stringify(own));
  setInterval(() => {
    const named = readServer(folder);
    if (named?.pid !== own.pid || named.start !== own.start || isIdle()) process.exit(0);
  }, WATCH_MS);
});

/**
 * True if there was no request and no new step for too long. Counts ticks, so that a suspended machine does not count.
 */
function isIdle(): boolean {
  const now = `${next} ${modified(stepFile(folder))}`;
  ticks = now === used ? ticks + 1 : 0;
  used = now;
  return ticks * WATCH_MS > idle_secs * 1000;
}

const modified = (path: string): number => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;

function answer(read: ReadRequest): { delayMs: number; result: EndpointResult } {
  const { request, shown } = read;
  const context = { step: currentStep(), agent, scenario };
  const decide = (number: number) => {
    const decision = answerToRequest(
      mocks,
      { ...request, context },
      { random: chanceOf(seed, number), evaluate: isolatedMatcher },
    );
    const result =
      decision.answer?.result ??
      plainAnswer(501, `llm-tool-test: no mock matches this request: ${request.method} ${request.path}`);
    const record: CallRecord = {
      ...recordedDecision(decision),
      command: `${request.method} ${request.path}`,
      args: recordedArgs(shown),
      step: context.step,
      exit_code: null,
      status: result.status,
    };
    return { record, delayMs: decision.answer?.delayMs ?? 0, result };
  };
  if (next > MAX_CALLS + 1) return decide(next++);
  const recorded = recordCall(requestsFolder(folder), next, decide);
  next = recorded.number + 1;
  return recorded;
}

function send(response: ServerResponse, { status, headers, body }: EndpointResult, method: string): void {
  const hasBody = method !== 'HEAD' && status !== 204 && status !== 304;
  response.writeHead(status, {
    ...headers,
    ...(hasBody ? { 'content-length': Buffer.byteLength(body) } : {}),
  });
  response.end(hasBody ? body : undefined);
}

const asAnswer = (error: unknown): EndpointResult =>
  isHttpError(error)
    ? { ...plainAnswer(error.status, `llm-tool-test: ${error.message}`), headers: { connection: 'close' } }
    : plainAnswer(500, `llm-tool-test: ${String(error)}`);

/** The step that is being performed: steps follow one another. */
function currentStep(): string {
  try {
    return readFileSync(stepFile(folder), 'utf8');
  } catch {
    return '';
  }
}

function recordedCalls(): number {
  try {
    return readdirSync(requestsFolder(folder)).length;
  } catch {
    return 0; // there was none yet
  }
}
