import { sumOfCosts, type CostSource, type Pricer } from '../cost.js';
import type { EventBody } from '../records/events.js';
import { NO_USAGE, type TokenUsage } from '../records/token-usage.js';

/** Tokens and US dollars of an agent run so far; null: unknown. A cost of 0 without a source is that of a free agent. */
interface Usage {
  tokens: TokenUsage;
  costUsd: number | null;
  costSource: CostSource | null;
}

interface Cost {
  usd: number | null;
  source: CostSource | null;
}

/** Adds up the tokens and costs in an agent's events. */
export interface UsageMeter {
  add(event: EventBody): void;
  read(): Usage;
}

/**
 * Creates a meter. `model` is the requested one; for prices, the model that the agent reports takes precedence. An agent
 * that is `free` costs nothing unless it reports that it has used something.
 */
export function createUsageMeter(
  model: string,
  pricer: Pricer,
  { free = false }: { free?: boolean } = {},
): UsageMeter {
  const tokens: TokenUsage = { ...NO_USAGE };
  let cost: Cost = { usd: 0, source: null };
  let beforeStart = cost;
  let used: string | null = null;
  const costOf = (event: Extract<EventBody, { type: 'usage' }>): Cost => {
    if (event.cost_usd !== null) return { usd: event.cost_usd, source: 'reported' };
    // Priced event by event: prices may depend on the size of a request.
    return pricer(event, used === null ? [model] : [used, model]) ?? { usd: null, source: null };
  };
  return {
    add(event) {
      if (event.type === 'session') {
        used = event.model_used ?? used;
        beforeStart = cost;
      }
      if (event.type !== 'usage') return;
      for (const name of Object.keys(tokens) as (keyof TokenUsage)[]) {
        const count = event[name];
        if (count !== null) tokens[name] = (tokens[name] ?? 0) + count;
      }
      const added = costOf(event);
      const before = event.cost_of_start === true ? beforeStart : cost;
      cost = { usd: sumOfCosts([before.usd, added.usd]), source: before.source ?? added.source };
    },
    read: () => ({
      tokens,
      costUsd: cost.source === null && !free ? null : cost.usd,
      costSource: cost.usd === null ? null : cost.source,
    }),
  };
}
