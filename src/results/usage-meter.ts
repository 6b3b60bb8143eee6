import { dollars } from '../lib/dollars.js';
import type { CostSource, Pricer } from './cost.js';
import type { EventBody } from './events.js';
import { NO_USAGE, type TokenUsage } from './token-usage.js';

/** Tokens and US dollars of an agent run so far; null is what nobody has said. */
interface Usage {
  tokens: TokenUsage;
  costUsd: number | null;
  costSource: CostSource | null;
}

/** Adds up what an agent's events say of tokens and money. */
export interface UsageMeter {
  add(event: EventBody): void;
  read(): Usage;
}

/** `model` is the one asked for; the one that the agent says it used has precedence for the price. */
export function createUsageMeter(model: string, pricer: Pricer): UsageMeter {
  const tokens: TokenUsage = { ...NO_USAGE };
  let costUsd: number | null = 0;
  let costSource: CostSource | null = null;
  let used: string | null = null;
  return {
    add(event) {
      if (event.type === 'session') used = event.model_used ?? used;
      if (event.type !== 'usage') return;
      for (const name of Object.keys(tokens) as (keyof TokenUsage)[]) {
        const count = event[name];
        if (count !== null) tokens[name] = (tokens[name] ?? 0) + count;
      }
      // Of each event by itself: prices may depend on the size of a request.
      const cost =
        event.cost_usd === null
          ? pricer(event, used === null ? [model] : [used, model])
          : { usd: event.cost_usd, source: 'reported' as const };
      costUsd = cost === null || costUsd === null ? null : dollars(costUsd + cost.usd);
      costSource ??= cost?.source ?? null;
    },
    read: () => ({
      tokens,
      costUsd: costSource === null ? null : costUsd,
      costSource: costUsd === null ? null : costSource,
    }),
  };
}
