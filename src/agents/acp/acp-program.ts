import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { isJsonObject, type Json, parseJson } from '#lib/pure';
import { type AcpFile, NO_SESSION_STATUS } from './acp-file.js';

/*
 * A client of the Agent Client Protocol for one prompt: `node acp-program.js FILE COMMAND ARGUMENT...`. It prints the
 * lines of the agent as they are, and lines of its own, which have a field `acp`.
 */

type Fields = Record<string, Json>;
interface Failure {
  message: string;
  code?: Json;
  data?: Json;
}
type Answer = { result: Fields } | { error: Failure };

/** In bytes. A longer line is passed on, but not read. */
const LONGEST_LINE = 64 * 1024 * 1024;
const METHOD_NOT_FOUND = -32_601;
const CANCEL_MS = 2000;

const [path = '', command = '', ...args] = process.argv.slice(2);
const file = JSON.parse(readFileSync(path, 'utf8')) as AcpFile;
const prompt = readFileSync(0, 'utf8');

const print = (line: Fields): void => void process.stdout.write(`${JSON.stringify(line)}\n`);
const fieldsOf = (value: Json | undefined): Fields => (isJsonObject(value) ? value : {});

const agent = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
const waiting = new Map<number, (answer: Answer) => void>();
const state = {
  requests: 0,
  session: null as string | null,
  /** The exit status of the agent, once it has ended. */
  ended: null as number | null,
  /** The exit status of this program, once a signal has ended the turn. */
  stopped: null as number | null,
};

// Nobody reads any more, or the agent has gone: what ends the one also ends the other.
process.stdout.on('error', () => undefined);
agent.stdin.on('error', () => undefined);

const send = (message: Fields): void => void agent.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);

/** Sends a request. Never throws; an agent that is too slow or has gone is an error, too. */
function ask(method: string, params: Fields, ms: number | null): Promise<Answer> {
  const id = (state.requests += 1);
  return new Promise((resolve) => {
    const late = `it did not answer ${method} within ${Math.round((ms ?? 0) / 1000)} s`;
    const timer = ms === null ? undefined : setTimeout(() => answer({ error: { message: late } }), ms);
    const answer = (given: Answer): void => {
      clearTimeout(timer);
      waiting.delete(id);
      resolve(given);
    };
    waiting.set(id, answer);
    if (method === 'session/prompt') print({ acp: 'prompt', id });
    send({ id, method, params });
  });
}

/** Answers a request of the agent. It has the user's permission for everything; nothing else is offered to it. */
function serve(id: Json, method: string, params: Fields): void {
  if (method !== 'session/request_permission') {
    send({ id, error: { code: METHOD_NOT_FOUND, message: `Method not found: ${method}` } });
    return;
  }
  const options = Array.isArray(params['options']) ? params['options'].map(fieldsOf) : [];
  const chosen =
    options.find(({ kind }) => kind === 'allow_once') ?? options.find(({ kind }) => kind === 'allow_always');
  const selected = { outcome: 'selected', optionId: chosen?.['optionId'] ?? null };
  const isAllowed = chosen !== undefined && state.stopped === null;
  send({ id, result: { outcome: isAllowed ? selected : { outcome: 'cancelled' } } });
}

function receive(line: Buffer): void {
  const message = fieldsOf(parseJson(line.toString('utf8')));
  const { id, method, params } = message;
  const update = fieldsOf(fieldsOf(params)['update'])['sessionUpdate'];
  // It is the largest line, and says nothing of what the agent does.
  if (update === 'available_commands_update') return;
  process.stdout.write(line);
  if (typeof method === 'string') {
    if (id !== undefined) serve(id, method, fieldsOf(params));
  } else if (typeof id === 'number') {
    const { error, result } = message;
    const said = fieldsOf(error)['message'];
    const failure = { ...fieldsOf(error), message: typeof said === 'string' ? said : 'an error without a message' };
    waiting.get(id)?.(error === undefined ? { result: fieldsOf(result) } : { error: failure });
  }
}

/** Passes on what the agent prints, and reads its lines. */
function readLines(): void {
  let parts: Buffer[] = [];
  let length = 0;
  let isTooLong = false;
  agent.stdout.on('data', (chunk: Buffer) => {
    let from = 0;
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, from)) {
      const last = chunk.subarray(from, at + 1);
      if (isTooLong) process.stdout.write(last);
      else receive(Buffer.concat([...parts, last]));
      [parts, length, isTooLong, from] = [[], 0, false, at + 1];
    }
    const rest = chunk.subarray(from);
    if (isTooLong) process.stdout.write(rest);
    else [length] = [length + rest.length, parts.push(rest)];
    if (isTooLong || length <= LONGEST_LINE) return;
    for (const part of parts) process.stdout.write(part);
    [parts, isTooLong] = [[], true];
  });
}

/** Continues the session of the file, or creates one. */
async function openSession(): Promise<Answer> {
  const { cwd, mcpServers, resume, limits } = file;
  if (resume === null) return ask('session/new', { cwd, mcpServers }, limits.session);
  const { session: sessionId, by } = resume;
  const continued = async (method: string): Promise<Answer> => {
    const answer = await ask(method, { sessionId, cwd, mcpServers }, limits.session);
    return 'result' in answer ? { result: { ...answer.result, sessionId } } : answer;
  };
  if (by === 'listed' && !(await isListed(sessionId))) return { error: { message: 'it lists no such session' } };
  const answer = await continued(by === 'resume' ? 'session/resume' : 'session/load');
  const isUnknown = 'error' in answer && answer.error.code === METHOD_NOT_FOUND && by === 'resume';
  return isUnknown ? continued('session/load') : answer;
}

async function isListed(sessionId: string): Promise<boolean> {
  const asked = new Set<Json>();
  for (let cursor: Json = null; !asked.has(cursor);) {
    asked.add(cursor);
    const params = { cwd: file.cwd, ...(cursor === null ? {} : { cursor }) };
    const answer = await ask('session/list', params, file.limits.session);
    if ('error' in answer) return false;
    const { sessions, nextCursor } = answer.result;
    if (Array.isArray(sessions) && sessions.some((one) => fieldsOf(one)['sessionId'] === sessionId)) return true;
    cursor = nextCursor ?? null;
  }
  return false;
}

/** The requests that set up the session: its mode, options and model. */
function settings(sessionId: string, opened: Fields): [method: string, params: Fields][] {
  const { mode, options, model } = file;
  const offered = Array.isArray(opened['configOptions']) ? opened['configOptions'].map(fieldsOf) : [];
  const option = offered.find(({ id, category }) => id === 'model' || category === 'model')?.['id'];
  const set = (configId: Json, value: Json): [string, Fields] => [
    'session/set_config_option',
    { sessionId, configId, value },
  ];
  return [
    ...(mode === null ? [] : ([['session/set_mode', { sessionId, modeId: mode }]] as [string, Fields][])),
    ...Object.entries(options).map(([id, value]) => set(id, value)),
    ...(model === null ? [] : [option === undefined ? modelOf(sessionId, model) : set(option, model)]),
  ];
}

const modelOf = (sessionId: string, modelId: string): [string, Fields] => ['session/set_model', { sessionId, modelId }];

/** Has the agent perform the prompt. Returns the exit status. */
async function converse(): Promise<number> {
  const failed = (step: string, error: Failure): number => {
    print({ acp: 'answer', step, error: { ...error } });
    return NO_SESSION_STATUS;
  };
  const clientCapabilities = { fs: { readTextFile: false, writeTextFile: false }, terminal: false };
  const clientInfo = { name: 'llm-tool-test', version: '1' };
  const hello = { protocolVersion: 1, clientCapabilities, clientInfo };
  const ready = await ask('initialize', hello, file.limits.initialize);
  if ('error' in ready) return failed('initialize', ready.error);
  const version = ready.result['protocolVersion'];
  if (version !== 1)
    return failed('initialize', { message: `it speaks version ${JSON.stringify(version)} of the protocol, not 1` });

  const opened = await openSession();
  if ('error' in opened) {
    const { message } = opened.error;
    return file.resume === null
      ? failed('session/new', opened.error)
      : failed('session not found', { ...opened.error, message });
  }
  const id = opened.result['sessionId'];
  if (typeof id !== 'string') return failed('session/new', { message: 'its answer has no sessionId' });
  state.session = id;
  print({ acp: 'session', id, model: file.model });
  for (const [method, params] of settings(id, opened.result)) {
    const answer = await ask(method, params, file.limits.session);
    if ('error' in answer) return failed(`${method} ${JSON.stringify(params)}`, answer.error);
  }
  const text = { sessionId: id, prompt: [{ type: 'text', text: prompt }] };
  const answer = await ask('session/prompt', text, null);
  print({ acp: 'answer', step: 'session/prompt' });
  return 'error' in answer ? 1 : 0;
}

/** The exit status of a process, as a shell gives it. */
const statusOf = (code: number | null, signal: NodeJS.Signals | null): number =>
  code ?? 128 + constants.signals[signal ?? 'SIGKILL'];

const left = new Promise<void>((resolve) => {
  agent.on('error', (error: NodeJS.ErrnoException) => {
    process.stderr.write(`${command}: ${error.message}\n`);
    state.ended ??= error.code === 'ENOENT' ? 127 : 126;
    resolve();
  });
  agent.on('exit', (code, signal) => {
    state.ended ??= statusOf(code, signal);
    // Processes that it has started may hold its output open.
    setTimeout(resolve, 200);
  });
  agent.on('close', () => resolve());
});
void left.then(() => {
  for (const answer of waiting.values()) answer({ error: { message: 'it ended before it answered' } });
});

for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const)
  process.on(signal, () => {
    if (state.stopped !== null) return;
    state.stopped = statusOf(null, signal);
    if (state.session !== null) send({ method: 'session/cancel', params: { sessionId: state.session } });
    setTimeout(() => {
      for (const answer of waiting.values()) answer({ error: { message: 'it was stopped' } });
    }, CANCEL_MS);
  });

print({ acp: 'started', command });
readLines();
const status = await converse();
// An agent that has ended before it answered: so does this program, unless there was no session yet.
const own = status === 0 ? null : state.ended;
agent.stdin.end();
const killer = setTimeout(() => agent.kill('SIGKILL'), file.limits.end);
await left;
clearTimeout(killer);
print({ acp: 'ended', exit: state.ended });
process.exit(state.stopped ?? (own !== null && (status === 1 || own > 125) ? own : status));
