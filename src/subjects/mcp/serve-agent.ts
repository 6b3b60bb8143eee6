import { setTimeout as sleep } from 'node:timers/promises';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { createExchange, type MockedAnswer } from './exchange.js';
import { connectHttp } from './http-server.js';
import { createProtocolChecks } from './protocol-problem.js';
import type { ProxyFile, McpConnection } from './proxy-file.js';
import type { ProxyRecord } from './record.js';
import type { Server, ServerEvents } from './server.js';
import { spawn } from 'node:child_process';
import { isJsonObject, type Json, parseJson, splitLines } from '#lib';
import {
  answerToTool,
  chanceOf,
  failedResult,
  isMcpMock,
  mockedTools,
  recordCall,
  recordedArgs,
  recordedDecision,
} from '#mocks';

/** In bytes. Longer lines are passed on like others, but cannot be read for the record. */
const LONGEST_READ = 256 * 1024 * 1024;

export interface AgentConnection {
  input: Readable;
  output: Writable;
  /** Names the connection in the ids of calls. */
  name: string;
  record: (line: ProxyRecord) => void;
}

/**
 * Connects an agent with the server under test until one of them ends. All bytes are passed on as they are; what is
 * recorded is read from a copy. Only calls that a mock answers do not reach the server. Resolves to false if the server
 * was to blame.
 */
export function serveAgent(file: ProxyFile, { input, output, name, record }: AgentConnection): Promise<boolean> {
  const tools = mockedTools(file.mocks, file.server);
  const exchange = createExchange({
    record,
    nameOf: (count) => `${name}-${count}`,
    now: () => performance.now(),
    mockOf: (tool, args) => mockedCall(file, tools !== null, tool, args),
    sleep,
    isHttp: !('command' in file.connection),
    checks: createProtocolChecks(),
  });
  record({ type: 'started' });

  return new Promise((resolve) => {
    let server: Server | null = null;
    let isOver = false;
    /** Our own messages, until the server's output is between two lines. */
    const due: Buffer[] = [];

    const heard = splitLines((line) => exchange.fromServer(line), LONGEST_READ);
    const agentLines = splitLines(({ parts }) => fromAgent(Buffer.concat([...parts, Buffer.from('\n')])));

    /** `problem`: why it ends, unless the agent has ended the connection. */
    async function end(problem: string | null): Promise<void> {
      if (isOver) return;
      isOver = true;
      const rest = heard.rest();
      if (problem !== null && rest !== null)
        record({
          type: 'problem',
          message: `ended within a line: ${JSON.stringify(rest.toString().slice(0, 200))}`,
        });
      exchange.end(problem ?? 'the agent closed the connection');
      if (problem !== null) record({ type: 'problem', message: problem });
      await server?.close().catch(() => undefined);
      output.end();
      resolve(problem === null);
    }
    function write(chunk: Buffer): void {
      if (!output.destroyed) output.write(chunk);
    }
    function tell(message: { [key: string]: Json }): void {
      due.push(Buffer.from(`${JSON.stringify(message)}\n`));
      flush();
    }
    function flush(): void {
      if (heard.isBetween()) for (const each of due.splice(0)) write(each);
    }
    function fromAgent(line: Buffer): void {
      const { toServer, answers } = exchange.fromAgent(line);
      for (const answer of answers) void answer.then(tell);
      if (toServer !== null) server?.send(toServer);
    }

    const events: ServerEvents = {
      bytes(chunk) {
        // Recorded first: with what it gets, the agent may end, and this process with it.
        heard.add(chunk);
        write(chunk);
        flush();
      },
      ready: () =>
        output.writableNeedDrain ? Promise.race([once(output, 'drain'), once(output, 'close')]) : Promise.resolve(),
      failed(message, { message: why, isProblem }) {
        if (isProblem) record({ type: 'problem', message: why });
        const answer = exchange.failed(message, why);
        if (answer !== null) tell(answer);
      },
      ended: (why) => void end(why),
    };
    output.on('error', () => void end(null));
    input.on('error', () => void end(null));
    if (tools !== null) server = mockedServer(file.server, tools, events);
    else if ('command' in file.connection) server = startProgram(file.connection, file.workspace, events);
    else server = connectHttp(file.server, file.connection, events);
    input.on('data', (chunk: Buffer) => agentLines.add(chunk));
    input.once('end', () => void end(null)).once('close', () => void end(null));
  });
}

/**
 * The mocked answer to a call, which is recorded among the calls of mocks; null if the server answers. Without a server
 * (`isWhole`), a call that no mock matches fails.
 */
function mockedCall(
  { mocks, server, seed, agent, scenario, step, calls }: ProxyFile,
  isWhole: boolean,
  tool: string,
  input: Json,
): MockedAnswer | null {
  if (!mocks.some((mock) => isMcpMock(mock) && mock.mcp === server)) return null;
  const call = { server, tool, input, context: { step, agent, scenario } };
  const decide = (number: number) => answerToTool(mocks, call, { random: chanceOf(seed, number) });
  // A mock matches or not, whatever chance says.
  if (!isWhole && decide(1).answer === null) return null;
  const { answer } = recordCall(calls, 1, (number) => {
    const decision = decide(number);
    const args = recordedArgs([JSON.stringify(input)]);
    const command = `${server}.${tool}`;
    const record = { ...recordedDecision(decision), command, args, step, exit_code: null };
    return { answer: decision.answer, record };
  });
  return answer === null
    ? { delayMs: 0, result: failedResult(`no mock of ${server}.${tool} matches this call`) }
    : { delayMs: answer.delayMs, result: answer.result };
}

const METHOD_NOT_FOUND = -32_601;
const VERSION = '2025-11-25';

/** Stands in for a server that is not started: it says which tools there are. Calls do not get this far. */
function mockedServer(name: string, tools: { [key: string]: Json }[], on: ServerEvents): Server {
  const resultOf = (method: string, params: Json | undefined): { [key: string]: Json } | null => {
    switch (method) {
      case 'initialize': {
        const protocolVersion = (isJsonObject(params) ? params['protocolVersion'] : null) ?? VERSION;
        return { protocolVersion, capabilities: { tools: {} }, serverInfo: { name, version: 'mocked' } };
      }
      case 'tools/list':
        return { tools };
      case 'ping':
        return {};
      default:
        return null;
    }
  };
  return {
    send(line) {
      const message = parseJson(line.toString());
      for (const each of Array.isArray(message) ? message : [message]) {
        if (!isJsonObject(each) || typeof each['method'] !== 'string' || each['id'] === undefined) continue;
        const { id, method } = each;
        const result = resultOf(method, each['params']);
        const error = { code: METHOD_NOT_FOUND, message: `${method} is not mocked` };
        const answer = { jsonrpc: '2.0', id, ...(result === null ? { error } : { result }) };
        on.bytes(Buffer.from(`${JSON.stringify(answer)}\n`));
      }
    },
    close: () => Promise.resolve(),
  };
}

/** The time that a server has to end by itself, and then to obey SIGTERM. */
const PATIENCE_MS = 2000;
/** The longest part of its last line on stderr that is quoted. */
const LAST_WORDS = 300;

/** Starts a server that speaks stdio. Of what it writes to stderr, only the last line is told. */
function startProgram(
  { command, args, env }: Extract<McpConnection, { command: string }>,
  workspace: string,
  on: ServerEvents,
): Server {
  const child = spawn(command, args, { cwd: workspace, env, stdio: ['pipe', 'pipe', 'pipe'] });
  let lastWords = '';
  const ended = new Promise<void>((resolve) => {
    child.once('error', (error) => {
      on.ended(`the server could not be started: ${error.message}`);
      resolve();
    });
    child.once('close', (code, signal) => {
      const how = signal === null ? `exit code ${code ?? 'unknown'}` : signal;
      const lastLine = lastWords.trim().split('\n').at(-1) ?? '';
      on.ended(`the server ended before the agent (${how})${lastLine === '' ? '' : `: ${lastLine}`}`);
      resolve();
    });
  });
  void passOn(child.stdout, on).catch(() => undefined);
  child.stderr.on('data', (chunk: Buffer) => {
    lastWords = `${lastWords}${chunk.toString()}`.slice(-LAST_WORDS);
  });
  // An error of these says only that the server has ended, which is noticed anyway.
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream.on('error', () => undefined);
  return {
    send: (line) => void child.stdin.write(line),
    async close() {
      child.stdin.end();
      for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
        await Promise.race([ended, sleep(PATIENCE_MS, undefined, { ref: false })]);
        if (child.exitCode !== null || child.signalCode !== null) return;
        child.kill(signal);
      }
    },
  };
}

async function passOn(stdout: Readable, on: ServerEvents): Promise<void> {
  for await (const chunk of stdout) {
    on.bytes(chunk as Buffer);
    await on.ready();
  }
}
