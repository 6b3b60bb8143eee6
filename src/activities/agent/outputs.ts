import { existsSync, statSync } from 'node:fs';
import type { AgentEnd, StreamParser } from '../../agents/agent.js';
import { startFiles } from '../../environments/journal.js';
import { createYielder } from '../../lib/yield-to-event-loop.js';
import { linesOf } from '../../platform/fs/lines.js';
import { readTextIfThere } from '../../platform/fs/read-file.js';
import type { EventBody } from '../../results/records/events.js';
import type { RunContext } from '../step/run-context.js';

/** One start of the agent: what it left, and how it ended. Times in ms since the epoch. */
export interface AgentOutput {
  start: number;
  /** It went on with the session of the start before. */
  resumed: boolean;
  /** null where none was recorded: it was lost. */
  exitCode: number | null;
  stopped: AgentEnd['stopped'];
  stdout: string;
  stderr: string;
  growth: string;
  startedAt: number;
  endedAt: number;
}

/** Where an agent is started. */
type Place = Pick<RunContext, 'environment' | 'handle'>;

/** As shells say of a process that was killed: the exit status of a start that has left none. */
export const LOST = 137;

/** The starts from the first to `last` that left anything, in order. */
export async function agentOutputs(place: Place, last: number): Promise<AgentOutput[]> {
  const outputs = [];
  for (let start = 1; start <= last; start++) {
    const output = await agentOutput(place, start);
    if (output !== null) outputs.push(output);
  }
  return outputs;
}

/** What one start has left; null where it left nothing. */
export async function agentOutput(
  { environment, handle }: Place,
  start: number,
): Promise<AgentOutput | null> {
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
    endedAt: timeOf(ended === null ? stdout : exit),
  };
}

/** The last fresh start, and those that went on with its session. */
export function lastSession(outputs: readonly AgentOutput[]): AgentOutput[] {
  const first = outputs.findLastIndex(({ resumed }) => !resumed);
  return outputs.slice(Math.max(0, first));
}

/** The events of an ended start, one after another, without times. */
export async function* eventsOf(parser: StreamParser, { stdout }: AgentOutput): AsyncGenerator<EventBody> {
  const yieldIfDue = createYielder();
  for (const { text } of linesOf(stdout)) {
    await yieldIfDue();
    yield* parser.line(text);
  }
}

/** Id of the session that the starts have been in, as the agent said; null where it said none. */
export async function sessionOf({ agent }: RunContext, session: AgentOutput[]): Promise<string | null> {
  const parser = agent.parser();
  let id: string | null = null;
  for (const output of session) {
    for await (const event of eventsOf(parser, output)) {
      if (event.type === 'session') id = event.session_id ?? id;
    }
  }
  return id;
}
