import { z } from 'zod';
import { defined, dollars, isUsd, ownValue } from '#lib';
import { Usd } from './records/quantities.js';
import { REQUIRED_TOKENS, type TokenUsage } from './records/token-usage.js';

/** US dollars per million tokens. An absent price is unknown. Reasoning is billed as output. */
export const Price = z.strictObject({
  input_per_mtok: Usd.describe('US dollars for a million input tokens'),
  output_per_mtok: Usd.describe('US dollars for a million output tokens'),
  cache_read_per_mtok: Usd.exactOptional().describe('US dollars for a million tokens read from a cache'),
  cache_write_per_mtok: Usd.exactOptional().describe('US dollars for a million tokens written to a cache'),
});
export type Price = z.infer<typeof Price>;

/** Where a cost comes from: the agent reported it, or it was computed by the config's `[prices]` or the public list. */
export type CostSource = 'reported' | 'config' | 'list';

/**
 * Returns the US dollars that tokens cost, by the first of `models` that has a price; null if tokens or price are
 * unknown.
 */
export type Pricer = (
  usage: TokenUsage,
  models: readonly string[],
) => { usd: number; source: 'config' | 'list' } | null;

/** Creates the pricer of a sweep. `prices` are those of its config, by model. Loads the public price list. */
export async function createPricer(prices: Readonly<Record<string, Price>>): Promise<Pricer> {
  // Loading takes 60 ms, so commands and workflows that need no prices do not load it.
  const { calcPrice } = await import('@pydantic/genai-prices');
  const listed = (usage: TokenUsage, model: string): number | null => {
    const cached = (usage.cache_read ?? 0) + (usage.cache_write ?? 0);
    const tokens = {
      // The list counts cached tokens as part of the input.
      input_tokens: (usage.input ?? 0) + cached,
      output_tokens: (usage.output ?? 0) + (usage.reasoning ?? 0),
      ...defined({ cache_read_tokens: usage.cache_read, cache_write_tokens: usage.cache_write }),
    };
    const [provider = '', ...rest] = model.split('/');
    const name = rest.join('/');
    const found = calcPrice(tokens, model) ?? (name === '' ? null : calcPrice(tokens, name, { providerId: provider }));
    return found?.total_price ?? null;
  };
  return (usage, models) => {
    if (REQUIRED_TOKENS.some((kind) => usage[kind] === null)) return null;
    for (const model of models) {
      const price = ownValue(prices, model);
      const usd = price === undefined ? listed(usage, model) : priceOf(usage, price);
      if (usd !== null && isUsd(usd)) return { usd: dollars(usd), source: price === undefined ? 'list' : 'config' };
      if (price !== undefined) return null; // the user's own price does not cover what was used
    }
    return null;
  };
}

/** The most tokens of a request to a model, by the public list; null if unknown. */
export async function contextTokensOf(model: string): Promise<number | null> {
  const { calcPrice } = await import('@pydantic/genai-prices');
  const [providerId = '', ...rest] = model.split('/');
  const found = calcPrice({ input_tokens: 0, output_tokens: 0 }, rest.join('/'), { providerId });
  return found?.model.context_window ?? null;
}

function priceOf(usage: TokenUsage, price: Price): number | null {
  const parts: [number, number | undefined][] = [
    [usage.input ?? 0, price.input_per_mtok],
    [(usage.output ?? 0) + (usage.reasoning ?? 0), price.output_per_mtok],
    [usage.cache_read ?? 0, price.cache_read_per_mtok],
    [usage.cache_write ?? 0, price.cache_write_per_mtok],
  ];
  let usd = 0;
  for (const [tokens, perMtok] of parts) {
    if (tokens === 0) continue;
    if (perMtok === undefined) return null;
    usd += (tokens * perMtok) / 1e6;
  }
  return usd;
}

/** Adds up the costs of parts; null if any of them is unknown, or the sum is too large to be stored. */
export const sumOfCosts = (parts: readonly (number | null)[]): number | null =>
  parts.reduce<number | null>((sum, part) => {
    if (sum === null || part === null) return null;
    const usd = part === 0 ? sum : dollars(sum + part);
    return isUsd(usd) ? usd : null;
  }, 0);
