import { isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { LaunchFile, McpProgram } from '#agents';
import { RUN_FOLDERS } from '#environments';
import { fileText } from '#gates';
import { markOf, RUN_MARK } from '#host';
import { mocksFileOf } from '#mocks';
import { STEPS } from '#model';
import {
  eventsOfRecords,
  eventsSoFar,
  type McpConnection,
  mcpServersOf,
  PLUGIN_VARIABLES,
  type ProxyFile,
  type StoredServer,
  type TimedEvent,
} from '#subjects';
import { toolCallsFolder } from '../mocks/mocked-commands.js';
import { connectionOf } from '../run/values-of-run.js';
import { withMocks } from '../run/mock-server.js';
import type { AgentOutput } from './outputs.js';
import type { LoadedRun, RunIdentity, RunPlaces } from '../run/context.js';

/** More is not read: it has to be in memory at once. */
const MAX_BYTES = 64 * 1024 * 1024;

/** The replacement of the MCP servers under test that an agent is given, and the proxy that works beside it. */
interface McpLaunch {
  programs: McpProgram[];
  files: LaunchFile[];
  /** Paths that a sandbox must show. */
  shown: string[];
  /** The command line of the proxy; null without servers. */
  beside: string[] | null;
}

const folderOf = ({ handle }: Pick<RunPlaces, 'handle'>): string => join(handle.root, RUN_FOLDERS.proxy);
const recordsName = (server: string, start: number): string => `${server}-${start}.jsonl`;

/**
 * Plans the proxy for a start of the agent. Values of variables and mocks are only in a file of the run's private
 * folder that a sandbox hides, and that the proxy removes.
 */
export async function planMcpServers(context: LoadedRun, start: number): Promise<McpLaunch> {
  const servers = mcpServersOf(context.subject);
  if (servers.length === 0) return { programs: [], files: [], shown: [], beside: null };
  const { run, scenario, handle, baseEnv } = context;
  const step = STEPS.agent(1, context.turn.number);
  const mark = { [RUN_MARK]: markOf(handle.mark, 'agent') };
  const env = { ...(await withMocks(context, step, baseEnv)), ...mark };
  const folder = folderOf(context);
  const files: ProxyFile[] = [];
  for (const [index, server] of servers.entries()) {
    const plugin = pluginOf(context, server);
    const connection = connectionOf(server, env, context.values, plugin?.variables);
    files.push({
      server: server.name,
      connection: await apart(context, connection, plugin === null ? [] : [plugin.root]),
      workspace: handle.workspace,
      // The path of a socket must be short.
      socket: join(handle.root, RUN_FOLDERS.sockets, `${index}-${start}`),
      records: join(folder, recordsName(server.name, start)),
      ...mocksFileOf(run, scenario, toolCallsFolder(handle)),
      step,
    });
  }
  const path = join(folder, `servers-${start}.json`);
  const connect = programFile('connect-program.js');
  return {
    programs: files.map(({ server, socket }) => ({
      name: server,
      command: process.execPath,
      args: [connect, socket],
      // Agents do not pass on all variables, and everything that a run starts is found by this one.
      env: mark,
    })),
    files: [{ path, content: JSON.stringify(files) }],
    shown: [process.execPath, connect],
    beside: [process.execPath, programFile('proxy-program.js'), path],
  };
}

/** Path of a bundled program. */
export const programFile = (name: string): string => fileURLToPath(new URL(`./${name}`, import.meta.url));

/** The copy of the plugin that has a server, and the variables by which the server finds it; null if none has it. */
function pluginOf(
  { agent, home, config, handle }: LoadedRun,
  { plugin }: StoredServer,
): { root: string; variables: Record<string, string> } | null {
  if (plugin === undefined || typeof agent.subject === 'string' || agent.subject.plugin === undefined) return null;
  const root = join(agent.subject.plugin({ home, config }), plugin);
  return { root, variables: { [PLUGIN_VARIABLES.root]: root, [PLUGIN_VARIABLES.project]: handle.workspace } };
}

/** A program is started by the proxy, so it needs a sandbox of its own. `own`: folders that it needs besides. */
async function apart(
  { environment, handle }: RunPlaces,
  connection: McpConnection,
  own: string[],
): Promise<McpConnection> {
  if (!('command' in connection)) return connection;
  const { command, args, env } = connection;
  const shown = [...[command, ...args].filter(isAbsolute), ...own];
  const [program = command, ...words] = await environment.apart(handle, {
    argv: [command, ...args],
    env,
    shown,
  });
  return { command: program, args: words, env };
}

/** The most that is read of a start that goes on: it is read as a whole, every second. */
const MAX_PARTIAL_BYTES = 1024 * 1024;

/** The events that the proxies have recorded so far of a start that goes on, in the order of time. */
export async function mcpEventsSoFar(context: RunIdentity & RunPlaces, start: number): Promise<TimedEvent[]> {
  const { environment, handle } = context;
  const found: TimedEvent[] = [];
  for (const { name } of mcpServersOf(context.subject)) {
    const look = await environment.lookInside(handle, recordsName(name, start), folderOf(context));
    if (look.kind === 'file' && look.bytes <= MAX_PARTIAL_BYTES)
      found.push(...eventsSoFar(name, (await fileText(look)) ?? ''));
  }
  return found.sort((a, b) => a.at - b.at);
}

/** The events that the proxies recorded of these starts of the agent, in the order of time; by start. */
export async function mcpEventsOf(
  context: RunIdentity & RunPlaces,
  session: readonly AgentOutput[],
): Promise<Map<number, TimedEvent[]>> {
  const { environment, handle } = context;
  const servers = mcpServersOf(context.subject);
  const events = new Map<number, TimedEvent[]>();
  for (const { start, endedAt } of session) {
    const found: TimedEvent[] = [];
    for (const { name } of servers) {
      const look = await environment.lookInside(handle, recordsName(name, start), folderOf(context));
      const isWhole = look.kind === 'missing' || (look.kind === 'file' && look.bytes <= MAX_BYTES);
      const text = isWhole ? await fileText(look) : '?';
      found.push(...eventsOfRecords(name, text, endedAt));
    }
    events.set(
      start,
      found.sort((a, b) => a.at - b.at),
    );
  }
  return events;
}
