import { existsSync, statSync } from 'node:fs';
import type { AgentEnd, StreamParser } from '#agents';
import { startFiles } from '#environments';
import { linesOf, readTextIfThere } from '#host';
import { createYielder } from '#lib';
import type { EventBody } from '#model';
import type { RunPlaces, RunSecrets } from '../run/context.js';

/** Output of one start of the agent, and how it ended. Times in ms since the epoch. */
export interface AgentOutput {
  start: number;
  /** True if it continued the conversation of the start before. */
  resumed: boolean;
  /** Null if none was recorded: the agent was lost. */
  exitCode: number | null;
  stopped: AgentEnd['stopped'];
  stdout: string;
  stderr: string;
  growth: string;
  startedAt: number;
  /** When it last printed to stdout. */
  printedAt: number;
  endedAt: number;
}

type Place = Pick<RunPlaces, 'environment' | 'handle'>;

/** Exit status assumed for a start that left none: what shells report for a process killed by SIGKILL. */
export const LOST_EXIT_CODE = 137;

/** Returns the starts from 1 to `last` that left output, in order. */
export async function agentOutputs(place: Place, last: number): Promise<AgentOutput[]> {
  const outputs = [];
  for (let start = 1; start <= last; start++) {
    const output = await agentOutput(place, start);
    if (output !== null) outputs.push(output);
  }
  return outputs;
}

/** Returns the output of one start; null if it left none. */
export async function agentOutput({ environment, handle }: Place, start: number): Promise<AgentOutput | null> {
  const { stdout, stderr, growth, resumes, claim, exit } = startFiles(handle, start);
  if (!existsSync(stdout)) return null;
  const timeOf = (file: string): number => Math.round(statSync(file).mtimeMs);
  const state = await environment.inspect(handle, start);
  const ended = state.state === 'ended' ? state : null;
  return {
    start,
    resumed: (await readTextIfThere(resumes)) !== null,
    exitCode: ended?.exitCode ?? null,
    stopped: ended?.stopped ?? null,
    stdout,
    stderr,
    growth,
    startedAt: timeOf(claim),
    printedAt: timeOf(stdout),
    endedAt: timeOf(ended === null ? stdout : exit),
  };
}

/** Returns the last start with a fresh session, and those that resumed this session. */
export function lastSession(outputs: readonly AgentOutput[]): AgentOutput[] {
  const first = outputs.findLastIndex(({ resumed }) => !resumed);
  return outputs.slice(Math.max(0, first));
}

/** True if one parser reads a start and the one before it: the agent continued its own session. */
export const continuesSession = (
  { resume }: Pick<RunSecrets['agent'], 'resume'>,
  { resumed }: Pick<AgentOutput, 'resumed'>,
): boolean => resumed && resume !== null;

/** Yields the events of an ended start, without times. */
export async function* eventsOf(parser: StreamParser, { stdout }: AgentOutput): AsyncGenerator<EventBody> {
  const yieldIfDue = createYielder();
  for (const { text } of linesOf(stdout)) {
    await yieldIfDue();
    yield* parser.line(text);
  }
}

/** True if the model has answered in a start. */
export async function hasAnswered({ agent }: Pick<RunSecrets, 'agent'>, start: AgentOutput): Promise<boolean> {
  for await (const { type, ...event } of eventsOf(agent.parser(), start))
    if (type === 'tool_call' || type === 'reasoning' || ('role' in event && event.role === 'assistant')) return true;
  return false;
}

/**
 * Counts how often the agent began anew although the model had answered: nobody knows what that work would have become.
 */
export async function discardedWork(
  context: Pick<RunSecrets, 'agent'>,
  outputs: readonly AgentOutput[],
): Promise<number> {
  let [discarded, hasWorked] = [0, false];
  for (const output of outputs) {
    if (!output.resumed && hasWorked) [discarded, hasWorked] = [discarded + 1, false];
    hasWorked ||= await hasAnswered(context, output);
  }
  return discarded;
}

/** Session id of these starts, as the agent reported it; null if it reported none. */
export async function sessionOf({ agent }: RunSecrets, session: AgentOutput[]): Promise<string | null> {
  const parser = agent.parser();
  let id: string | null = null;
  for (const output of session) {
    for await (const event of eventsOf(parser, output)) {
      if (event.type === 'session') id = event.session_id ?? id;
    }
  }
  return id;
}
