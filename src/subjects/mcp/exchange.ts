import { isUtf8 } from 'node:buffer';
import { beginningOf, isJsonObject, type Json, parseJson, type SplitLine } from '#lib';
import { envelopeProblem, namesExtensions, versionNamedIn, type ProtocolChecks } from './protocol-problem.js';
import { type ProxyRecord, recordable } from './record.js';
import { headerProblem } from './request-headers.js';
import { hasResultTypes } from './revisions.js';

type Message = { [key: string]: Json };

/** A mocked answer to a call, and how long it takes. */
export interface MockedAnswer {
  delayMs: number;
  result: Message;
}

export interface ExchangeOptions {
  record: (line: ProxyRecord) => void;
  /** Unique for each call in the record. */
  nameOf: (count: number) => string;
  /** Milliseconds of a clock that never goes back. */
  now: () => number;
  /** The mocked answer to a call; null if the server answers. */
  mockOf: (tool: string, args: Json) => MockedAnswer | null;
  sleep: (ms: number) => Promise<unknown>;
  /** True if the server speaks HTTP. */
  isHttp: boolean;
  checks: ProtocolChecks;
}

/** The way of a line of the agent: to the server as it is or changed, and the mocked answers that go back. */
interface Forwarded {
  /** Null if nothing of the line is for the server. */
  toServer: Buffer | null;
  /** Messages for the agent, when they are due. */
  answers: Promise<Message>[];
}

/**
 * Follows the messages between an agent and a server, and records calls, lists of tools and problems. It changes none.
 */
export interface Exchange {
  fromAgent(line: Buffer): Forwarded;
  fromServer(line: SplitLine): void;
  /** Ends a request that the server will not answer. Returns what the agent is told; null if it expects no answer. */
  failed(request: Message, why: string): Message | null;
  /** Ends all requests that have no answer. */
  end(why: string): void;
}

interface Call {
  id: string;
  tool: string;
  begun: number;
}
interface OpenRequest {
  method: string;
  /** The version of the protocol that the request follows. */
  version: string;
  /** Set if the agent knows types of results that the protocol does not have. */
  isExtended: boolean;
  /** Set for calls of tools. */
  call?: Call;
}

const FAILED = -32_000;
/** Clients accept lists of messages only in this version. */
const WITH_LISTS = '2025-03-26';
const MAX_SHOWN = 200;
/** Gates look into arguments, so more of them is recorded than of results. */
const MAX_ARGUMENTS = 8 * 1024 * 1024;
/** More problems of one server say nothing new. */
const MAX_PROBLEMS = 100;

/** Identifies a request. Both a number and its text are ids, and they differ. */
const keyOf = (id: Json | undefined): string => JSON.stringify(id ?? null);

/** Creates the record of one connection. It has no input or output but `options`. */
export function createExchange({ record, nameOf, now, mockOf, sleep, isHttp, checks }: ExchangeOptions): Exchange {
  const verb = isHttp ? 'sent' : 'wrote to stdout';
  const open = new Map<string, OpenRequest>();
  /** The ids of requests that need no answer any more. */
  const over = new Set<string>();
  /**
   * Calls for which the server wants to know more first: the agent will send them again, with what it wants to know.
   */
  const waiting: { call: Call; state: Json }[] = [];
  const outputSchemas = new Map<string, Message>();
  let version: string | null = null;
  let calls = 0;
  let problems = 0;

  const problem = (message: string): void => {
    problems += 1;
    if (problems <= MAX_PROBLEMS) record({ type: 'problem', message });
  };

  function answered(
    call: Call,
    answer: { result: Json; error: string | null; is_error: boolean; mocked?: true },
  ): void {
    const duration_ms = Math.round(now() - call.begun);
    const result = recordable(answer.result);
    record({ type: 'answer', id: call.id, mocked: false, ...answer, result, duration_ms });
  }

  function fail(key: string, error: string): void {
    const one = open.get(key);
    open.delete(key);
    over.add(key);
    if (one?.call !== undefined) answered(one.call, { result: null, error, is_error: true });
  }

  /** Records the beginning of a call, unless the agent makes it again because the server has asked for more. */
  function beginCall(params: Message): Call {
    const tool = typeof params['name'] === 'string' ? params['name'] : '';
    const state = params['requestState'] ?? null;
    const again = waiting.findIndex((one) => one.call.tool === tool && keyOf(one.state) === keyOf(state));
    if (again !== -1 && ('inputResponses' in params || 'requestState' in params))
      return (waiting.splice(again, 1)[0] as (typeof waiting)[number]).call;
    const call = { id: nameOf(++calls), tool, begun: now() };
    record({ type: 'call', id: call.id, tool, arguments: recordable(params['arguments'] ?? {}, MAX_ARGUMENTS) });
    return call;
  }

  /** Notes a message of the agent. Returns the answer of a mock; null if the message is for the server. */
  function noteOfAgent(message: Json): Promise<Message> | null {
    if (!isJsonObject(message) || typeof message['method'] !== 'string') return null;
    const { method, id } = message;
    const params = isJsonObject(message['params']) ? message['params'] : {};
    if (id === undefined) {
      if (method === 'notifications/cancelled' && params['requestId'] !== undefined)
        fail(keyOf(params['requestId']), 'the agent cancelled the call');
      return null;
    }
    const key = keyOf(id);
    over.delete(key);
    const followed = versionNamedIn(params) ?? version ?? '';
    const request = { method, version: followed, isExtended: namesExtensions(params) };
    if (method !== 'tools/call') {
      open.set(key, request);
      return null;
    }
    const call = beginCall(params);
    const mocked = mockOf(call.tool, params['arguments'] ?? {});
    if (mocked === null) {
      open.set(key, { ...request, call });
      return null;
    }
    const kind = hasResultTypes(followed) ? { resultType: 'complete' } : {};
    return sleep(mocked.delayMs).then((): Message => {
      const { result } = mocked;
      answered(call, { result, error: null, is_error: result['isError'] === true, mocked: true });
      return { jsonrpc: '2.0', id, result: { ...result, ...kind } };
    });
  }

  /** The request that an answer is for. Clients take "1" for 1, and so does this. */
  function keyAnswered(id: Json | undefined): string | null {
    const key = keyOf(id);
    if (open.has(key)) return key;
    const asNumber = typeof id === 'string' && id.trim() !== '' ? keyOf(Number(id)) : null;
    if (asNumber !== null && open.has(asNumber)) return asNumber;
    const asText = typeof id === 'number' ? keyOf(String(id)) : null;
    return asText !== null && open.has(asText) ? asText : null;
  }

  function noteOfServer(message: Json): void {
    const id = isJsonObject(message) ? message['id'] : undefined;
    const key = isJsonObject(message) && !('method' in message) ? keyAnswered(id) : null;
    const one = key === null ? undefined : open.get(key);
    const wrong = envelopeProblem(message);
    if (wrong !== null) {
      const [only] = open.size === 1 && isJsonObject(message) && !('method' in message) ? open.values() : [];
      const about = (one ?? only)?.method ?? 'a message';
      if (key !== null && one?.call !== undefined) fail(key, `${about}: ${wrong}`);
      else problem(`${about}: ${wrong}`);
      return;
    }
    if (!isJsonObject(message)) return;
    if ('method' in message) {
      const unfit = checks.sent(version ?? '', message);
      if (unfit !== null) problem(`${textOf(message['method'])}: ${unfit}`);
      return;
    }
    if (key === null || one === undefined) {
      if (id !== undefined && !over.has(keyOf(id)) && !over.has(keyOf(Number(id))))
        problem(`answered a request that was not made: id ${beginningOf(keyOf(id), MAX_SHOWN)}`);
      return;
    }
    if (isJsonObject(message['error'])) {
      fail(key, textOf(message['error']['message']));
      return;
    }
    open.delete(key);
    over.add(key);
    noteResult(one, message['result'] as Message);
  }

  function noteResult({ method, version: followed, isExtended, call }: OpenRequest, result: Message): void {
    // A server that does not know the question is an older one, and no client takes its answer for one.
    if (method === 'server/discover' && !('supportedVersions' in result)) return;
    if (method === 'initialize')
      version = typeof result['protocolVersion'] === 'string' ? result['protocolVersion'] : '';
    else if (hasResultTypes(followed)) version = followed;
    const isOfExtension = isExtended && !isTypeOfProtocol(result['resultType']);
    const spoken = method === 'initialize' ? version : followed;
    const unfit = isOfExtension ? null : checks.result(spoken ?? '', method, result);
    if (call !== undefined) noteAnswer(call, result, unfit);
    else if (unfit !== null) problem(`${method}: ${unfit}`);
    else if (method === 'tools/list') noteTools(result, isHttp && hasResultTypes(followed));
  }

  function noteAnswer(call: Call, result: Message, unfit: string | null): void {
    if (unfit === null && result['resultType'] === 'input_required') {
      waiting.push({ call, state: result['requestState'] ?? null });
      return;
    }
    const schema = outputSchemas.get(call.tool);
    const wrong = unfit ?? (schema === undefined ? null : checks.output(result, schema));
    const error = wrong === null ? null : `tools/call: ${wrong}`;
    answered(call, { result, error, is_error: wrong !== null || result['isError'] === true });
  }

  /** `hasHeaders`: clients repeat in headers what the tools want there. */
  function noteTools(result: Message, hasHeaders: boolean): void {
    const tools = (Array.isArray(result['tools']) ? result['tools'] : []).filter(isJsonObject).map((tool) => {
      const name = textOf(tool['name']);
      const wrong = hasHeaders ? headerProblem(tool['inputSchema']) : null;
      if (wrong !== null) problem(`tools/list: ${name}: ${wrong}`);
      if (isJsonObject(tool['outputSchema'])) outputSchemas.set(name, tool['outputSchema']);
      return { name, bytes: bytesOf(tool) };
    });
    record({ type: 'tools', tools });
  }

  /**
   * Notes a line that is too long to be read. That is a limit of this program: the agent is given the line as it is.
   */
  function noteLongLine({ parts, bytes }: SplitLine): void {
    const text = Buffer.concat(parts).toString('latin1');
    const [key] = [...open.keys()].filter((each) => text.includes(`"id":${each}`) || text.includes(`"id": ${each}`));
    const one = open.get(key ?? '');
    if (key !== undefined) open.delete(key);
    if (one?.call !== undefined)
      answered(one.call, { result: `(${bytes} bytes, too many to be recorded) …`, error: null, is_error: false });
    const message = `llm-tool-test passed on an answer of ${bytes} bytes, which is more than it can record`;
    record({ type: 'problem', message, limit: true });
  }

  return {
    fromAgent(line) {
      const message = parseJson(line.toString());
      const messages = Array.isArray(message) ? message : message === undefined ? [] : [message];
      const noted = messages.map((each) => ({ each, answer: noteOfAgent(each) }));
      const answers = noted.flatMap(({ answer }) => answer ?? []);
      const others = noted.flatMap(({ each, answer }) => (answer === null ? [each] : []));
      if (answers.length === 0) return { toServer: line, answers };
      return { toServer: others.length === 0 ? null : Buffer.from(`${JSON.stringify(others)}\n`), answers };
    },
    fromServer(line) {
      if (!line.isWhole) {
        noteLongLine(line);
        return;
      }
      const bytes = Buffer.concat(line.parts);
      if (!isUtf8(bytes)) problem(`${verb} a line that is not UTF-8`);
      const text = bytes.toString();
      if (/^\s*$/.test(text) && !text.startsWith('\ufeff')) return;
      const message = parseJson(text);
      if (message === undefined) problem(`${verb} what is no message: ${quoted(text)}`);
      else if (!Array.isArray(message)) noteOfServer(message);
      else if (version === WITH_LISTS) message.forEach(noteOfServer);
      else problem(`${verb} a list of messages, which only version ${WITH_LISTS} of the protocol has`);
    },
    failed(request, why) {
      const { id } = request;
      if (id === undefined || typeof request['method'] !== 'string') return null;
      fail(keyOf(id), why);
      return { jsonrpc: '2.0', id, error: { code: FAILED, message: why } };
    },
    end(why) {
      for (const key of [...open.keys()]) fail(key, why);
      for (const { call } of waiting.splice(0)) answered(call, { result: null, error: why, is_error: true });
    },
  };
}

const isTypeOfProtocol = (type: Json | undefined): boolean =>
  type === undefined || type === 'complete' || type === 'input_required';
const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '');
const quoted = (text: string): string => JSON.stringify(beginningOf(text, MAX_SHOWN));

function bytesOf(tool: Json): number {
  try {
    return Buffer.byteLength(JSON.stringify(tool));
  } catch {
    return 0; // nested too deeply to be measured; no schema that a model reads is
  }
}
