import { parseModelName } from '../../lib/model-name.js';
import { createPricer, sumOfCosts } from '../../results/cost.js';
import type { JudgeAnswer } from '../../results/records/judgment.js';
import { NO_USAGE, sumUsage, type TokenUsage } from '../../results/records/token-usage.js';
import { createUsageMeter } from '../../results/transcript/usage-meter.js';
import { lastStart } from '../../environments/journal.js';
import { agentOutputs } from '../agent/outputs.js';
import { usageOfStart } from '../agent/usage.js';
import type { AgentInPlace } from '../step/run-paths.js';
import type { RunContext } from '../step/run-context.js';

/** Tokens of a judge and their cost in US dollars: 0 if it was not asked, null if a price is unknown. */
export interface JudgeUsage {
  usage: TokenUsage;
  cost_usd: number | null;
  /** The known part of the cost, if `cost_usd` is null. */
  cost_usd_at_least?: number;
}

/**
 * Returns what a judge has used. By API: the sum of all its answers, each priced separately. As an agent: the sum of
 * all its starts, which were paid for too.
 */
export async function judgeUsage(context: RunContext, answers: readonly JudgeAnswer[]): Promise<JudgeUsage> {
  const { judgeAgent, prices, provider } = context;
  if (judgeAgent !== null) return usageOfAgent(context, judgeAgent);
  const usage = sumUsage(answers.map((answer) => answer.usage));
  if (answers.length === 0 || provider?.free === true) return { usage, cost_usd: 0 };
  const price = await createPricer(prices);
  const costs = answers.map(({ usage, model, model_used }) => {
    const name = parseModelName(model);
    const models = [...(model_used === null ? [] : [model_used]), model, ...(name.ok ? [name.model] : [])];
    return price(usage, models)?.usd ?? null;
  });
  return { usage, ...costOf(costs.map((cost_usd) => ({ cost_usd }))) };
}

async function usageOfAgent(
  { environment, prices }: RunContext,
  { agent, model, handle }: AgentInPlace,
): Promise<JudgeUsage> {
  const outputs = await agentOutputs({ environment, handle }, lastStart(handle));
  const pricer = await createPricer(prices);
  const starts = [];
  for (const output of outputs)
    starts.push(await usageOfStart(agent, output, createUsageMeter(model, pricer)));
  // The exact usage of an interrupted start is unknown.
  const interrupted = starts.some(({ token_usage_at_least: atLeast }) => atLeast !== undefined);
  const usage = interrupted ? NO_USAGE : sumUsage(starts.map(({ token_usage }) => token_usage));
  return agent.free || outputs.length === 0 ? { usage, cost_usd: 0 } : { usage, ...costOf(starts) };
}

/** The total cost, or the known part of it. */
function costOf(
  parts: readonly Pick<JudgeUsage, 'cost_usd' | 'cost_usd_at_least'>[],
): Omit<JudgeUsage, 'usage'> {
  const cost_usd = sumOfCosts(parts.map((part) => part.cost_usd));
  const known = sumOfCosts(parts.map((part) => part.cost_usd ?? part.cost_usd_at_least ?? 0)) ?? 0;
  return cost_usd === null && known > 0 ? { cost_usd, cost_usd_at_least: known } : { cost_usd };
}
