import { sumOfCounts } from '#lib';
import { sumOfCosts, type CostSource, type Pricer } from '../cost.js';
import type { EventBody } from '../records/events.js';
import { NO_USAGE, REQUIRED_TOKENS, type TokenUsage } from '../records/token-usage.js';
import type { AgentRecord } from '../records/run-record.js';

type UsageEvent = Extract<EventBody, { type: 'usage' }>;

/**
 * Tokens and US dollars of an agent run so far; null: unknown. A cost of 0 without a source is that of a free agent.
 */
interface Usage {
  tokens: TokenUsage;
  /** Set if `tokens` are a lower bound, because a part of them is unknown. */
  tokensAreBound?: true;
  costUsd: number | null;
  /** The known part of the cost, if `costUsd` is null although something is known. */
  costAtLeastUsd?: number;
  costSource: CostSource | null;
}

interface Cost {
  /** The known part of it. */
  usd: number;
  isWhole: boolean;
  source: CostSource | null;
}

/** Adds up the tokens and costs in an agent's events. */
export interface UsageMeter {
  add(event: EventBody): void;
  read(): Usage;
}

/**
 * Creates a meter. `model` is the requested one; for prices, the model that the agent reports takes precedence. An
 * agent that is `free` costs nothing unless it reports that it has used something.
 */
export function createUsageMeter(model: string, pricer: Pricer, { free = false }: { free?: boolean } = {}): UsageMeter {
  const tokens: TokenUsage = { ...NO_USAGE };
  let isTooLarge = false;
  /** Kinds of tokens that an event reported, and those that one left unknown. */
  const [known, unknown] = [new Set<string>(), new Set<string>()];
  let cost: Cost = { usd: 0, isWhole: true, source: null };
  let beforeStart = cost;
  let used: string | null = null;
  const costOf = (event: UsageEvent): { usd: number; source: CostSource } | null =>
    event.cost_usd === null
      ? // Priced event by event: prices may depend on the size of a request.
        pricer(event, used === null ? [model] : [used, model])
      : { usd: event.cost_usd, source: 'reported' };
  const plus = (before: Cost, added: ReturnType<typeof costOf>): Cost => {
    const usd = added === null ? null : sumOfCosts([before.usd, added.usd]);
    const source = before.source ?? added?.source ?? null;
    return usd === null ? { ...before, isWhole: false, source } : { usd, isWhole: before.isWhole, source };
  };
  return {
    add(event) {
      if (event.type === 'session') {
        used = event.model_used ?? used;
        beforeStart = cost;
      }
      if (event.type !== 'usage') return;
      if (!isCostAlone(event)) for (const name of REQUIRED_TOKENS) (event[name] === null ? unknown : known).add(name);
      for (const name of Object.keys(tokens) as (keyof TokenUsage)[]) {
        if (event[name] === null) continue;
        const sum = sumOfCounts([tokens[name] ?? 0, event[name]]);
        if (sum === null) isTooLarge = true;
        else tokens[name] = sum;
      }
      cost = plus(event.cost_of_start === true ? beforeStart : cost, costOf(event));
    },
    read: () => {
      const isKnown = cost.isWhole && (cost.source !== null || free);
      return {
        tokens: { ...tokens },
        ...(isTooLarge || [...unknown].some((name) => known.has(name)) ? { tokensAreBound: true } : {}),
        costUsd: isKnown ? cost.usd : null,
        ...(!isKnown && cost.source !== null ? { costAtLeastUsd: cost.usd } : {}),
        costSource: isKnown ? cost.source : null,
      };
    },
  };
}

/** True for an event that reports what something cost, and leaves its tokens to others. */
export const isCostAlone = ({ input, output, reasoning, cache_read, cache_write, cost_usd }: UsageEvent): boolean =>
  cost_usd !== null && [input, output, reasoning, cache_read, cache_write].every((count) => count === null);

type UsageRecord = Pick<
  AgentRecord,
  'token_usage' | 'token_usage_at_least' | 'cost_usd' | 'cost_usd_at_least' | 'cost_source'
>;

/** Returns the usage fields of a record. Numbers that do not cover everything are lower bounds, never compared. */
export function recordedUsage(
  { tokens, tokensAreBound, costUsd, costAtLeastUsd, costSource }: ReturnType<UsageMeter['read']>,
  complete: boolean,
): UsageRecord {
  // Costs without a source are those of a free agent: what it did not report cost nothing either.
  const exactUsd = complete || costSource === null ? costUsd : null;
  const bound = costUsd ?? costAtLeastUsd;
  return {
    ...(complete && tokensAreBound !== true ? { token_usage: tokens } : boundOf(tokens)),
    cost_usd: exactUsd,
    ...(exactUsd === null && bound !== undefined ? { cost_usd_at_least: bound } : {}),
    cost_source: costSource,
  };
}

const boundOf = (tokens: TokenUsage): Pick<UsageRecord, 'token_usage' | 'token_usage_at_least'> => ({
  token_usage: NO_USAGE,
  ...(Object.values(tokens).some((count) => count !== null) ? { token_usage_at_least: tokens } : {}),
});

/** Returns the tokens to show, and whether they are a lower bound. */
export function shownTokens({
  token_usage: usage,
  token_usage_at_least: atLeast,
}: Pick<AgentRecord, 'token_usage' | 'token_usage_at_least'>): { usage: TokenUsage; atLeast: boolean } {
  return { usage: atLeast ?? usage, atLeast: atLeast !== undefined };
}
