import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ApplicationFailure } from '@temporalio/common';
import { mcpSettings, nameServerTools, type ServersFile, type ServerTool } from '#agents';
import { lastStart, sideJournal, startFiles } from '#environments';
import { readTextIfThere, waitUntil } from '#host';
import { defined, parseJson } from '#lib';
import { mcpServersOf, presenceOf } from '#subjects';
import { readAgentStep } from '../agent/agent-step.js';
import { planMcpServers, programFile } from '../agent/mcp-servers.js';
import { MAX_LOST } from '../agent/supervise-agent.js';
import { turnSecs } from '../agent/turns.js';
import type { Fence } from '../step/fence.js';
import type { LoadedRun } from '../run/context.js';

/** The MCP servers under test as the agent `loop` uses them. */
export interface ServersOfLoop {
  /** Their tools, by the names under which the model is offered them. */
  tools: Map<string, ServerTool>;
  /** A program that performs a call, which it is given on stdin; and the paths that a sandbox must show it. */
  call: { argv: string[]; shown: string[] };
}

const NONE: ServersOfLoop = { tools: new Map(), call: { argv: [], shown: [] } };

/** The time that the servers have to end by themselves. */
const END_MS = 10_000;

/** Nobody works as long. What is left over is ended with its run. */
const DEADLINE_SECS = 7 * 24 * 3600;

/** The number of the start as which the agent's current run will be recorded. */
export const startOfLoop = async (context: LoadedRun): Promise<number> =>
  ((await readAgentStep(context))?.result.record.starts ?? 0) + 1;

/**
 * Connects the agent with the MCP servers under test, or finds the connection that an earlier step has made: a program
 * keeps it, beside which the proxy works. Workers may die; a connection that is lost itself is made again.
 */
export async function connectServers(context: LoadedRun, fence: Fence, signal: AbortSignal): Promise<ServersOfLoop> {
  if (mcpServersOf(context.subject).length === 0) return NONE;
  const { environment } = context;
  const handle = sideJournal(context.handle, 'servers');
  const start = await startOfLoop(context);
  const first = (start - 1) * MAX_LOST + 1;
  const socket = socketOf(context, start);
  for (let session = first; session < first + MAX_LOST; session += 1) {
    if ((await environment.inspect(handle, session)).state === 'none') {
      const { programs, files, shown, beside } = await planMcpServers(context, start);
      const program = programFile('servers-program.js');
      const file: ServersFile = {
        servers: mcpSettings({ mcpServers: programs }) ?? {},
        socket,
        presence: presenceOf(programs[0]?.args.at(-1) ?? ''),
      };
      await fence.check();
      // Processes of a lost connection may still use the servers.
      if (session > first) await environment.kill(context.handle, 'everything');
      await environment.start(handle, {
        start: session,
        argv: [process.execPath, program, JSON.stringify(file)],
        env: context.baseEnv,
        stdin: '',
        files,
        shown: [...shown, program],
        ...defined({ beside }),
        deadlineSecs: DEADLINE_SECS,
        idleSecs: null,
      });
    }
    const tools = await waitUntil(
      async () => {
        signal.throwIfAborted();
        const { state } = await environment.inspect(handle, session);
        if (state !== 'starting' && state !== 'running') return 'lost';
        const [line, rest] = ((await readTextIfThere(startFiles(handle, session).stdout)) ?? '').split('\n');
        return rest === undefined ? null : ((parseJson(line ?? '') as ServerTool[] | undefined) ?? 'lost');
      },
      turnSecs(context) * 1000,
    );
    if (tools === 'lost') continue;
    const connect = programFile('connect-program.js');
    return {
      tools: nameServerTools(tools ?? []),
      call: { argv: [process.execPath, connect, socket], shown: [process.execPath, connect] },
    };
  }
  throw ApplicationFailure.nonRetryable(`the MCP servers under test were lost ${MAX_LOST} times`, 'AgentLost');
}

const socketOf = ({ config }: Pick<LoadedRun, 'config'>, start: number): string => join(config, `servers.${start}`);

/** Ends the connections, and with them the servers, when the agent has ended. */
export async function endServers(context: LoadedRun): Promise<void> {
  const { environment } = context;
  const handle = sideJournal(context.handle, 'servers');
  const last = lastStart(handle);
  if (last === 0) return;
  // By itself, so that servers end as they do with other agents.
  await rm(socketOf(context, await startOfLoop(context)), { force: true });
  await environment.inspect(handle, last, AbortSignal.timeout(END_MS)).catch(() => undefined);
  await environment.kill(handle, { start: last, reason: 'result' });
}
