import { createHash } from 'node:crypto';
import { type HostedRun, variablesOfRuntime } from '#agent-host';
import { type AgentLaunch, type AgentRequest, type McpProgram, withSubject } from '#agents';
import {
  addressInside,
  PACKED_NODE,
  packedProgram,
  RELAY_PLACE,
  RELAY_PORT,
  RELAY_SOCKET,
  sharesHost,
} from '#environments';
import { detectVersion, firstLine, knownProviders, markOf, packageVersion, RUN_MARK } from '#host';
import { defined } from '#lib';
import { mocksFileOf } from '#mocks';
import { STEPS } from '#model';
import { findProgram } from '../commands/find-program.js';
import { callsFolder } from '../mocks/mocked-commands.js';
import { resolveEnv } from '../credentials/resolve-agent.js';
import { anewIn, contextMessage, promptOf, stepOfTurn } from './turns.js';
import { planMcpServers } from './mcp-servers.js';
import { withMocks } from '../run/mock-server.js';
import type { LoadedRun, RunAccess, RunPlaces, RunSecrets } from '../run/context.js';

const VERSION_MS = 10_000;
/** In a container or sandbox, it is the first start of a program that no disk has cached yet. */
const VERSION_INSIDE_SECS = 60;

/**
 * The start of a run's agent, with its environment variables and the path of its program; null if it is not found.
 */
export interface PlannedLaunch {
  launch: AgentLaunch;
  env: Record<string, string>;
  program: string | null;
  /** Paths that a sandbox must show besides. Absent for none. */
  shown?: string[];
  /** The command line of what works beside the agent. Absent if there is nothing. */
  beside?: string[];
  /** The address of the agent's provider, if only a program on the host leads there. */
  relay?: { address: string };
}

/** `start`: number of the agent's start. `session`: the session to resume, or null for a new one. */
export async function planLaunch(
  context: LoadedRun & RunAccess,
  start = 1,
  session: string | null = null,
): Promise<PlannedLaunch> {
  const { agent } = context;
  const mcp = await planMcpServers(context, start);
  const request = requestOf(context, start, {
    prompt: await promptOf(context, start, session),
    system: await contextMessage(context),
    mcpServers: [...mcp.programs, ...serversOfTask(context)],
  });
  const relay = relayTo(context);
  const asked =
    relay === null || request.access === null
      ? request
      : { ...request, access: { ...request.access, baseUrl: addressInside(relay.address) } };
  const own = session === null || agent.resume === null ? agent.launch(asked) : agent.resume(asked, session);
  const launch = {
    ...own,
    ...(relay === null ? {} : { argv: [...RELAYED, ...own.argv], program: programIn(own) }),
    files: [...withSubject(agent, request, own.files), ...mcp.files],
  };
  const env = await withMocks(context, STEPS.agent(1, context.turn.number), {
    ...context.baseEnv,
    ...launch.env,
    ...context.targetEnv,
  });
  const program = await findProgram(context, programIn(launch), env['PATH'] ?? '');
  return {
    launch,
    env,
    program,
    shown: mcp.shown,
    ...defined({ beside: mcp.beside, relay }),
  };
}

/** The beginning of the command line of an agent that reaches its provider only through the host. */
const RELAYED = [
  ...[PACKED_NODE, packedProgram('with-provider-program.js')],
  ...[`${RELAY_PLACE}/${RELAY_SOCKET}`, String(RELAY_PORT)],
];

/** The address of the provider of an agent whose container has no network; null if it has, or if there is none. */
function relayTo({ agent, access, handle, plan, run }: LoadedRun & RunAccess): { address: string } | null {
  if (handle.container?.relay === undefined || access === null) return null;
  const provider = knownProviders(plan.providers).get(agent.provider(run.cell.model) ?? '');
  const address = access.baseUrl ?? provider?.vendor ?? null;
  return address === null || address === '' ? null : { address };
}

/** The MCP servers of a task, which the agent starts in its container. */
const serversOfTask = ({ scenario: { task }, handle }: LoadedRun): McpProgram[] =>
  (task?.mcp_servers ?? []).map((server) => ({ ...server, env: { [RUN_MARK]: markOf(handle.mark, 'agent') } }));

/** The name or path of the program that a launch needs. */
export const programIn = ({ program, argv }: AgentLaunch): string => program ?? argv[0] ?? '';

/**
 * First line of what the agent's version command prints, redacted; null if there is none. The agent `loop` is part of
 * this package.
 */
export async function agentVersion(
  {
    agent,
    redact,
    environment,
    handle,
  }: Pick<RunPlaces, 'environment' | 'handle'> & Pick<RunSecrets, 'agent' | 'redact'>,
  env: Record<string, string>,
): Promise<string | null> {
  const { version: command } = agent;
  if (agent.isLoop === true) return packageVersion;
  if (command === null) return null;
  const version = sharesHost(handle)
    ? await detectVersion(command, { env, cwd: handle.workspace, timeoutMs: VERSION_MS })
    : firstLine(
        await environment.exec(handle, {
          command,
          env,
          timeoutSecs: VERSION_INSIDE_SECS,
        }),
      );
  return version === null ? null : redact(version);
}

/** The data for an agent in the agent host. */
function hostedRun(context: LoadedRun): HostedRun | null {
  const { host, scenario, run, values } = context;
  if (host === undefined) return null;
  const { runtime } = scenario;
  const names = [...(runtime === undefined ? [] : variablesOfRuntime(runtime)), ...(host.settings ?? [])];
  return {
    ...host,
    setup: runtime ?? null,
    variables: Object.fromEntries(names.flatMap((name) => (values[name] === undefined ? [] : [[name, values[name]]]))),
    ...mocksFileOf(run, scenario, callsFolder(context)),
  };
}

function solutionOf(context: LoadedRun): AgentRequest['solution'] {
  const { task } = context.scenario;
  if (task === undefined) return undefined;
  const folder = anewIn(context)?.folder;
  return {
    folder: folder === undefined ? 'solution' : `${folder}/solution`,
    env: resolveEnv(task.solution_env, context.values).env,
  };
}

function requestOf(
  context: LoadedRun & RunAccess,
  start: number,
  given: Pick<AgentRequest, 'prompt' | 'system' | 'mcpServers'>,
): AgentRequest {
  const { scenario, run, handle, home, config, access } = context;
  return {
    ...given,
    model: run.cell.model,
    workspace: handle.workspace,
    home,
    config,
    sessionId: uuidOf(`${run.run}/${start}`),
    maxTurns: stepOfTurn(context).max_turns ?? null,
    access,
    mock: scenario.mock ?? null,
    hasNode: sharesHost(handle),
    ...(handle.container?.layer === undefined ? {} : { mounted: { node: PACKED_NODE, program: packedProgram } }),
    hosted: hostedRun(context),
    solution: solutionOf(context),
    subject: context.subject,
    turn: context.turn.number,
  };
}

/**
 * The same UUID at every attempt: a session is named before the agent is started, and each name can be used only once.
 */
export function uuidOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
