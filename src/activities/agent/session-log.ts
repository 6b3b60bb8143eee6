import { type Agent, errorEvent } from '#agents';
import { fileText } from '#gates';
import { linesOf } from '#host';
import { createYielder, messageOf } from '#lib';
import {
  type AgentRecord,
  type EventBody,
  type FirstRequest,
  type TokenUsage,
  totalTokens,
  unknownRequest,
} from '#model';
import { type AgentOutput, hasAnswered, sessionOf } from './outputs.js';
import type { AgentStep } from './agent-step.js';
import type { AgentInPlace } from '../run/run-paths.js';
import type { RunPlaces, RunSecrets } from '../run/context.js';

type SessionLog = NonNullable<NonNullable<Agent['firstRequest']>['log']>;

/** A log of more bytes is not read: it has to be in memory at once. */
const MAX_BYTES = 64 * 1024 * 1024;
const FIND_SECS = 10;
/** Ids become part of a pattern. */
const PLAIN_ID = /^[\w-]+$/;

/** The lines of the session's log in the private folders, which are still there; a text says why there are none. */
async function linesOfLog(
  context: RunPlaces & RunSecrets,
  start: AgentOutput,
  log: SessionLog,
): Promise<string[] | string> {
  const { environment, handle, baseEnv } = context;
  const session = await sessionOf(context, [start]);
  if (session === null || !PLAIN_ID.test(session)) return 'the agent began no session';
  const { folder, name } = log(context, session);
  const { exitCode, stdout } = await environment.exec(handle, {
    command: ['find', folder, '-type', 'f', '-name', name],
    env: baseEnv,
    timeoutSecs: FIND_SECS,
  });
  const [path, ...others] = stdout.split('\n').filter((line) => line.startsWith(`${folder}/`));
  if (exitCode !== 0 || path === undefined || others.length > 0) return 'the log of its session was not found';
  const look = await environment.lookInside(handle, path.slice(folder.length + 1), folder);
  const text = look.kind === 'file' && look.bytes <= MAX_BYTES ? await fileText(look) : null;
  return text === null ? 'the log of its session cannot be read' : text.split('\n');
}

/**
 * Returns the size of the first request of the agent's session, for the record; nothing if the agent does not say. It
 * is that of the first turn: a later turn may begin another session, which is given what was said. `before`: the turns
 * before.
 */
export async function firstRequestOf(
  context: RunPlaces & RunSecrets,
  session: readonly AgentOutput[],
  before: readonly AgentStep[],
): Promise<Pick<AgentRecord, 'first_request'>> {
  const source = context.agent.firstRequest;
  const [first] = session;
  if (source === undefined || first === undefined) return {};
  const earlier = before.at(-1)?.record;
  if (earlier !== undefined) return earlier.first_request === undefined ? {} : { first_request: earlier.first_request };
  const found = (await requestOfStart(context, source, first)) ?? unknownRequest('its model has not answered');
  // Its provider did not serve the first start, for example, and the message that resumes a session adds to the
  // context.
  const isResumed = found.tokens === null && session.length > 1 && !(await hasAnswered(context, first));
  return {
    first_request: isResumed ? unknownRequest('its session was resumed before its model had answered') : found,
  };
}

type Source = NonNullable<RunSecrets['agent']['firstRequest']>;

/**
 * Null if the model has not answered in it. Only what the first start says counts: the message that resumes a session
 * after a loss adds to the context.
 */
async function requestOfStart(
  context: RunPlaces & RunSecrets,
  { reader, log }: Source,
  start: AgentOutput,
): Promise<FirstRequest | null> {
  const lines = log === undefined ? linesIn(start) : await linesOfLog(context, start, log).catch(unreadable);
  if (typeof lines === 'string') return unknownRequest(context.redact(lines));
  const yieldIfDue = createYielder();
  const requests = reader();
  for (const text of lines) {
    await yieldIfDue();
    const found = requests.line(text);
    if (found !== null) return found;
  }
  return null;
}

/** The run goes on without the number. */
const unreadable = (error: unknown): string => `the log of its session cannot be read: ${messageOf(error)}`;

function* linesIn({ stdout }: AgentOutput): Generator<string> {
  for (const { text } of linesOf(stdout)) yield text;
}

/** A larger log is not read. */
const MAX_KIB = 256 * 1024;
const READ_BYTES = 512 * 1024;
const READ_SECS = 30;

/**
 * Returns the error of an agent that reports success although its model broke off its last answer, as its log says.
 * Null if it says nothing of the kind, or cannot be read: then what the agent reports counts.
 */
export async function incompleteAnswer(
  { agent, handle, home, config, baseEnv }: Pick<AgentInPlace, 'agent' | 'handle' | 'home' | 'config' | 'baseEnv'>,
  environment: RunPlaces['environment'],
  session: string | null,
): Promise<EventBody | null> {
  const { lastAnswer } = agent;
  if (lastAnswer === undefined || session === null || !PLAIN_ID.test(session)) return null;
  // `find` follows no links, which the agent may have made
  const script = `find "$0" -type f -size -${MAX_KIB}k -exec sed -n "$1" {} + | tail -c ${READ_BYTES}`;
  const command = ['sh', '-c', script, lastAnswer.log({ home, config }, session), lastAnswer.records];
  const read = await environment
    .exec(handle, { command, env: { ...baseEnv, LC_ALL: 'C' }, timeoutSecs: READ_SECS })
    .catch(() => null);
  const why = read?.exitCode === 0 ? lastAnswer.sessionProblem(read.stdout, session) : null;
  return why === null ? null : errorEvent(why, null, false);
}

type UsageEvent = Extract<EventBody, { type: 'usage' }>;

/**
 * Returns the usage of each request in the log of the agent's session, in order. Nothing if the agent keeps no such
 * log, or it cannot be read: then only what the output reports is known.
 */
export async function loggedUsage(
  context: RunPlaces & RunSecrets,
  session: readonly AgentOutput[],
): Promise<TokenUsage[]> {
  const { firstRequest: source, usageInLog } = context.agent;
  const [first] = session;
  if (source?.log === undefined || usageInLog === undefined || first === undefined) return [];
  const lines = await linesOfLog(context, first, source.log).catch(() => '');
  if (typeof lines === 'string') return [];
  const yieldIfDue = createYielder();
  const found: TokenUsage[] = [];
  for (const line of lines) {
    await yieldIfDue();
    const usage = usageInLog(line);
    if (usage !== null) found.push(usage);
  }
  return found;
}

/** The logged requests that the output does not report. It reports those of whole turns, which are the first ones. */
export function unreportedUsage(logged: readonly TokenUsage[], reported: readonly TokenUsage[]): UsageEvent[] {
  let left = reported.reduce((sum, usage) => sum + (totalTokens(usage) ?? 0), 0);
  return logged.flatMap((usage) => {
    left -= totalTokens(usage) ?? 0;
    return left >= 0 ? [] : [{ type: 'usage' as const, ...usage, cost_usd: null }];
  });
}
