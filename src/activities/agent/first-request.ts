import { linesOf } from '#host';
import { createYielder } from '#lib';
import { type AgentRecord, type FirstRequest, unknownRequest } from '#model';
import type { RunContext } from '../step/run-context.js';
import type { AgentStep } from './agent-step.js';
import { hasAnswered, type AgentOutput } from './outputs.js';
import { linesOfLog } from './session-log.js';

/**
 * Returns the size of the first request of the agent's session, for the record; nothing if the agent does not say. It is that of the
 * first turn: a later turn may begin another session, which is given what was said. `before`: the turns before.
 */
export async function firstRequestOf(
  context: RunContext,
  session: readonly AgentOutput[],
  before: readonly AgentStep[],
): Promise<Pick<AgentRecord, 'first_request'>> {
  const source = context.agent.firstRequest;
  const [first] = session;
  if (source === undefined || first === undefined) return {};
  const earlier = before.at(-1)?.record;
  if (earlier !== undefined)
    return earlier.first_request === undefined ? {} : { first_request: earlier.first_request };
  const found =
    (await requestOfStart(context, source, first)) ?? unknownRequest('its model has not answered');
  // Its provider did not serve the first start, for example, and the message that resumes a session adds to the context.
  const isResumed = found.tokens === null && session.length > 1 && !(await hasAnswered(context, first));
  return {
    first_request: isResumed
      ? unknownRequest('its session was resumed before its model had answered')
      : found,
  };
}

type Source = NonNullable<RunContext['agent']['firstRequest']>;

/** Null if the model has not answered in it. Only what the first start says counts: the message that resumes a session after a loss adds to the context. */
async function requestOfStart(
  context: RunContext,
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
const unreadable = (error: unknown): string =>
  `the log of its session cannot be read: ${error instanceof Error ? error.message : String(error)}`;

function* linesIn({ stdout }: AgentOutput): Generator<string> {
  for (const { text } of linesOf(stdout)) yield text;
}
