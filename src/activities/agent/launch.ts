import { createHash } from 'node:crypto';
import { dirname } from 'node:path';
import type { AgentLaunch, AgentRequest } from '../../agents/agent.js';
import { askVersion } from '../../platform/ask-version.js';
import { findExecutable } from '../../platform/find-executable.js';
import { writeFileAtomic } from '../../platform/write-file.js';
import { makeOwnFolder } from '../equip/make-own-folder.js';
import { contextMessage } from './context-message.js';
import type { RunContext } from '../step/run-context.js';

const VERSION_MS = 10_000;

/** How a run's agent is started, in which environment, and where its program is; null where it is not to be found. */
export interface PlannedLaunch {
  launch: AgentLaunch;
  env: Record<string, string>;
  program: string | null;
}

/** `start`: which start of the agent it is; `session`: the one that it goes on with, null for a new one. */
export async function planLaunch(
  context: RunContext,
  start = 1,
  session: string | null = null,
): Promise<PlannedLaunch> {
  const { agent } = context;
  const request = requestOf(context, start, await contextMessage(context));
  const launch =
    session === null || agent.resume === null ? agent.launch(request) : agent.resume(request, session);
  const env = { ...context.baseEnv, ...launch.env, ...context.targetEnv };
  return { launch, env, program: await findExecutable(launch.argv[0] ?? '', env['PATH'] ?? '') };
}

/** First line of what the agent says of its version; null when it says nothing. */
export async function agentVersion(
  { agent, redact, handle }: Pick<RunContext, 'agent' | 'redact' | 'handle'>,
  env: Record<string, string>,
): Promise<string | null> {
  const said = await askVersion(agent.version ?? [], { env, cwd: handle.workspace, timeoutMs: VERSION_MS });
  return said === null ? null : redact(said);
}

function requestOf(
  { scenario, run, handle, home, config, access }: RunContext,
  start: number,
  system: string | null,
): AgentRequest {
  return {
    prompt: scenario.task.prompt,
    model: run.cell.model,
    workspace: handle.workspace,
    home,
    config,
    sessionId: uuidOf(`${run.run}/${start}`),
    maxTurns: scenario.run.max_turns ?? null,
    system,
    access,
    mock: scenario.mock ?? null,
  };
}

/** Writes what an agent is to find when it is started. */
export async function writeLaunchFiles({ files }: AgentLaunch, root: string): Promise<void> {
  for (const { path, content } of files) {
    await makeOwnFolder(root, dirname(path));
    await writeFileAtomic(path, content, 0o600);
  }
}

/** The same UUID at every attempt: a session is named before the agent is started, and names are used once. */
export function uuidOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
