import {
  type AgentRecord,
  createTrajectoryCollector,
  efficiencyOf,
  type EventBody,
  type TokenUsage,
} from '#model';
import type { RunContext } from '../step/run-context.js';
import type { AgentOutput } from './outputs.js';
import { callsOf, remember, withUnseenResults } from './recorded-session.js';
import type { AgentStep, OwnTurn, TurnDone } from './agent-step.js';
import { firstStartOf } from './turns.js';

/** Collects what happens in the current turn from the events of all turns. */
export function createTurnCollector(
  context: RunContext,
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
      remember(event, seen);
      if (start === last) remember(event, inLastStart);
    },
    /** `whole`: the record of all turns until now. */
    end(user: string, whole: AgentRecord): TurnDone {
      const { commands, inText, withoutResult } = callsOf(context, agent.parser(), {
        ...{ seen, inLastStart, session: counted },
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
