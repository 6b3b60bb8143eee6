import type { Contradiction, StreamParser } from '#agents';
import { linesOf } from '#host';
import { beginningOf } from '#lib';
import {
  type AgentRecord,
  callsWithoutResult,
  type Command,
  createTrajectoryCollector,
  efficiencyOf,
  type EventBody,
  extractCommands,
  isOfProxy,
  type RecordedTrajectory,
  type TokenUsage,
  type Transcript,
} from '#model';
import type { AgentOutput } from './outputs.js';
import { MAX_OUTPUT } from './transcripts.js';
import type { AgentStep, OwnTurn, TurnDone } from './agent-step.js';
import { firstStartOf } from './turns.js';
import type { RunIdentity, RunSecrets } from '../run/context.js';

/** The target as the analysis of a transcript needs it. */
const targetOf = (target: RunIdentity['target']): Transcript['target'] =>
  target === null ? null : { binary: target.binary, commandPattern: target.command_pattern ?? null };

/**
 * The lines that these starts printed, as far as they are searched. What a program of an agent with text output says on
 * stderr shows how its calls ended, so it follows the rest of the start. When it was said is unknown.
 */
function* textOf(session: readonly AgentOutput[]): Generator<string> {
  for (const { stdout, stderr } of session) {
    for (const file of [stdout, stderr]) {
      for (const line of linesOf(file)) {
        if (line.end > MAX_OUTPUT) return;
        yield line.text;
      }
    }
  }
}

/**
 * Events of starts that were remembered, with the lines of these starts, of which the last one counts for what is open.
 */
interface Remembered {
  seen: readonly EventBody[];
  inLastStart: readonly EventBody[];
  session: readonly AgentOutput[];
}

/**
 * The agent's calls of the target, as far as a transcript shows them. `inText`: their lines, if the output is plain
 * text.
 */
export function callsOf(
  { target }: Pick<RunIdentity, 'target'>,
  parser: Pick<StreamParser, 'readsText' | 'hidesFailures'>,
  { seen, inLastStart, session }: Remembered,
): { commands: Command[]; inText: (() => string[]) | null; withoutResult: string[] } {
  const isText = parser.readsText === true;
  const text = isText ? { [Symbol.iterator]: () => textOf(session) } : null;
  const commands = extractCommands({ events: seen, text, target: targetOf(target) });
  return {
    commands,
    inText: isText ? () => commands.map(({ line }) => line) : null,
    // A call that was cut off when the agent was lost is no call that failed.
    withoutResult: callsWithoutResult(inLastStart, targetOf(target), parser.hidesFailures === true),
  };
}

/** A trajectory with the target's calls of which nobody knows whether they failed. */
export function withUnseenResults(
  trajectory: RecordedTrajectory,
  withoutResult: readonly string[],
): RecordedTrajectory {
  const [first, ...others] = withoutResult;
  if (first === undefined) return trajectory;
  const more = others.length === 0 ? '' : `, and of ${others.length} more`;
  const results = `the end of ${quoted(first)}${more} is not known`;
  return { ...trajectory, unseen: { ...trajectory.unseen, results } };
}

/** A trajectory whose calls are in doubt if the end of the output contradicts them. */
export function withContradictions(
  trajectory: RecordedTrajectory,
  found: readonly Contradiction[],
): RecordedTrajectory {
  const doubt = found.find(({ unknown }) => unknown.includes('calls'))?.message;
  return doubt === undefined ? trajectory : { ...trajectory, unseen: { ...trajectory.unseen, doubt } };
}

const quoted = (line: string): string => JSON.stringify(beginningOf(line, NAME_LENGTH));

/** In characters. */
export const NAME_LENGTH = 200;

const MAX_COMMAND_LENGTH = 8 * 1024;

/** Keeps an event without the output of tools. */
export function keepWithoutOutput(body: EventBody, seen: EventBody[]): void {
  if (isOfProxy(body)) return;
  switch (body.type) {
    case 'tool_result':
      seen.push({ ...body, output: '' });
      break;
    case 'tool_call':
      seen.push({
        ...body,
        input: body.command === null ? body.input : null,
        command: body.command?.slice(0, MAX_COMMAND_LENGTH) ?? null,
      });
      break;
    case 'session':
      seen.push(body);
      break;
    case 'error':
    case 'extension':
    case 'result':
    case 'usage':
    case 'unknown':
    case 'message':
    case 'reasoning':
    case 'setup_command':
    case 'post_script':
      break;
  }
}

/** Collects what happens in the current turn from the events of all turns. */
export function createTurnCollector(
  context: RunIdentity & RunSecrets,
  { before, outputs }: { before: readonly AgentStep[]; outputs: readonly AgentOutput[] },
) {
  const { turn, agent } = context;
  const first = firstStartOf(before);
  const starts = outputs.filter(({ start }) => start >= first);
  // An agent that does a turn again from the beginning has done only what it did last.
  const repeats = agent.resume === null || agent.repeatsTurns === true;
  const counted = repeats ? starts.slice(-1) : starts;
  const numbers = new Set(counted.map(({ start }) => start));
  const last = counted.at(-1)?.start;
  const seen: EventBody[] = [];
  const inLastStart: EventBody[] = [];
  const trajectory = createTrajectoryCollector();
  return {
    add(event: EventBody, start: number): void {
      if (!numbers.has(start)) return;
      trajectory.add(event);
      keepWithoutOutput(event, seen);
      if (start === last) keepWithoutOutput(event, inLastStart);
    },
    /** `whole`: the record of all turns until now. */
    end(user: string, whole: AgentRecord): TurnDone {
      const { commands, inText, withoutResult } = callsOf(context, agent.parser(), {
        seen,
        inLastStart,
        session: counted,
      });
      const recorded = withUnseenResults(trajectory.end(inText), withoutResult);
      const done = { number: turn.number, at: turn.at, first, user, agent: recorded.answer };
      const previous = before.at(-1)?.record;
      if (previous === undefined) return done;
      const own: OwnTurn = {
        trajectory: recorded,
        efficiency: efficiencyOf(commands),
        duration_ms: whole.duration_ms - previous.duration_ms,
        tokens: tokensSince(previous.token_usage, whole.token_usage),
        cost_usd: difference(previous.cost_usd, whole.cost_usd),
      };
      return { ...done, own };
    },
  };
}

const difference = (before: number | null, now: number | null): number | null =>
  before === null || now === null ? null : Math.max(0, now - before);

const tokensSince = (before: TokenUsage, now: TokenUsage): TokenUsage => ({
  input: difference(before.input, now.input),
  output: difference(before.output, now.output),
  reasoning: difference(before.reasoning, now.reasoning),
  cache_read: difference(before.cache_read, now.cache_read),
  cache_write: difference(before.cache_write, now.cache_write),
});
