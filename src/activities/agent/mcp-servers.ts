import { isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { LaunchFile, McpProgram } from '../../agents/agent.js';
import { fileText } from '../../gates/gate.js';
import type { McpConnection, ProxyFile } from '../../mcp-proxy/proxy-file.js';
import { eventsOfRecords, eventsSoFar, type TimedEvent } from '../../mcp-proxy/record.js';
import { markOf, RUN_MARK } from '../../platform/process/marked-processes.js';
import { STEPS } from '../../results/step-names.js';
import { mcpServersOf } from '../../scenario/subject.js';
import { callsFolder } from '../mocks/mocked-commands.js';
import { connectionOf } from '../step/mcp-connection.js';
import type { RunContext } from '../step/run-context.js';
import { withMocks } from '../step/with-mocks.js';
import type { AgentOutput } from './outputs.js';

/** More is not read: it has to be in memory at once. */
const MOST_BYTES = 64 * 1024 * 1024;

/** The proxies that an agent is given in place of the MCP servers under test. */
interface McpLaunch {
  programs: McpProgram[];
  files: LaunchFile[];
  /** Paths that a sandbox must show. */
  shown: string[];
}

const folderOf = ({ config }: Pick<RunContext, 'config'>): string => join(config, 'mcp');
const recordsName = (server: string, start: number): string => `${server}-${start}.jsonl`;

/** Plans the proxies for a start of the agent. Values of variables are only in files of the run's private folder. */
export async function planMcpServers(context: RunContext, start: number): Promise<McpLaunch> {
  const servers = mcpServersOf(context.subject);
  if (servers.length === 0) return { programs: [], files: [], shown: [] };
  const { run, scenario, handle, baseEnv } = context;
  const step = STEPS.agent(1, context.turn.number);
  const mark = { [RUN_MARK]: markOf(handle.mark, 'agent') };
  const env = { ...(await withMocks(context, step, baseEnv)), ...mark };
  const proxy = fileURLToPath(new URL('./proxy-program.js', import.meta.url));
  const folder = folderOf(context);
  const planned = servers.map((server) => {
    const connection = connectionOf(server, env, context.values);
    const file: ProxyFile = {
      server: server.name,
      connection,
      records: join(folder, recordsName(server.name, start)),
      mocks: scenario.mocks ?? [],
      calls: callsFolder(context),
      seed: run.cell.id,
      agent: run.cell.agent,
      scenario: scenario.name,
      step,
    };
    return { name: server.name, path: join(folder, `${server.name}.json`), file };
  });
  return {
    programs: planned.map(({ name, path }) => ({
      ...{ name, command: process.execPath, args: [proxy, path] },
      // Agents do not pass on all variables, and everything that a run starts is found by this one.
      env: mark,
    })),
    files: planned.map(({ path, file }) => ({ path, content: JSON.stringify(file) })),
    shown: [process.execPath, proxy, ...planned.flatMap(({ file }) => pathsOf(file.connection))],
  };
}

const pathsOf = (connection: McpConnection): string[] =>
  'command' in connection ? [connection.command, ...connection.args].filter(isAbsolute) : [];

/** Of a start that goes on, more is not read: it is read as a whole, every second. */
const MOST_SO_FAR = 1024 * 1024;

/** What the proxies have recorded so far of a start that goes on, in the order of time. */
export async function mcpEventsSoFar(context: RunContext, start: number): Promise<TimedEvent[]> {
  const { environment, handle } = context;
  const found: TimedEvent[] = [];
  for (const { name } of mcpServersOf(context.subject)) {
    const look = await environment.look(handle, recordsName(name, start), folderOf(context));
    if (look.kind === 'file' && look.bytes <= MOST_SO_FAR)
      found.push(...eventsSoFar(name, (await fileText(look)) ?? ''));
  }
  return found.sort((a, b) => a.at - b.at);
}

/** What the proxies recorded of these starts of the agent, in the order of time; by start. */
export async function mcpEventsOf(
  context: RunContext,
  session: readonly AgentOutput[],
): Promise<Map<number, TimedEvent[]>> {
  const { environment, handle } = context;
  const servers = mcpServersOf(context.subject);
  const events = new Map<number, TimedEvent[]>();
  for (const { start, endedAt } of session) {
    const found: TimedEvent[] = [];
    for (const { name } of servers) {
      const look = await environment.look(handle, recordsName(name, start), folderOf(context));
      const isWhole = look.kind === 'missing' || (look.kind === 'file' && look.bytes <= MOST_BYTES);
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
