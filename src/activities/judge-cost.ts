import { parseModelName } from '../lib/model-name.js';
import { createPricer, sumOfCosts } from '../results/cost.js';
import type { JudgeAnswer } from '../results/judgment.js';
import type { RunContext } from './run-context.js';

/** What the answers of a judge cost in US dollars, each by itself: 0 without one, null when a price is not known. */
export async function judgeCost(
  { prices, provider }: RunContext,
  answers: readonly JudgeAnswer[],
): Promise<number | null> {
  if (answers.length === 0 || provider?.free === true) return 0;
  const price = await createPricer(prices);
  const costs = answers.map(({ usage, model, model_used }) => {
    const name = parseModelName(model);
    const models = [...(model_used === null ? [] : [model_used]), model, ...(name.ok ? [name.model] : [])];
    return price(usage, models)?.usd ?? null;
  });
  return sumOfCosts(costs);
}
