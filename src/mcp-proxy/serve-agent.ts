import { setTimeout as sleep } from 'node:timers/promises';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import type { Json } from '../lib/json.js';
import { mockedTools } from '../mocks/answer-to-tool.js';
import { createExchange } from './exchange.js';
import { connectHttp } from './http-server.js';
import { mockedCall } from './mocked-call.js';
import { mockedServer } from './mocked-server.js';
import { startProgram } from './program-server.js';
import { createProtocolChecks } from './protocol-problem.js';
import type { ProxyFile } from './proxy-file.js';
import type { ProxyRecord } from './record.js';
import type { Server, ServerEvents } from './server.js';
import { splitLines } from '../lib/split-lines.js';

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
 * Connects an agent with the server under test until one of them ends. All bytes are passed on as they are; what is recorded is
 * read from a copy. Only calls that a mock answers do not reach the server. Resolves to false if the server was to blame.
 */
export function serveAgent(
  file: ProxyFile,
  { input, output, name, record }: AgentConnection,
): Promise<boolean> {
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
    const said = splitLines(({ parts }) => fromAgent(Buffer.concat([...parts, Buffer.from('\n')])));

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
        output.writableNeedDrain
          ? Promise.race([once(output, 'drain'), once(output, 'close')])
          : Promise.resolve(),
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
    input.on('data', (chunk: Buffer) => said.add(chunk));
    input.once('end', () => void end(null)).once('close', () => void end(null));
  });
}
