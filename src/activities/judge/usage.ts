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

/** Tokens of a judge, and US dollars: 0 where it was not asked, null where a price is not known. */
export interface JudgeUsage {
  usage: TokenUsage;
  cost_usd: number | null;
  /** Where `cost_usd` is null: the part of it that is known. */
  cost_usd_at_least?: number;
}

/** What a judge has used: by API of all its answers, each by itself; as an agent of all starts, which are paid for too. */
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
  // Of an interrupted start, nothing exact is known.
  const interrupted = starts.some(({ token_usage_at_least: atLeast }) => atLeast !== undefined);
  const usage = interrupted ? NO_USAGE : sumUsage(starts.map(({ token_usage }) => token_usage));
  return agent.free || outputs.length === 0 ? { usage, cost_usd: 0 } : { usage, ...costOf(starts) };
}

/** The cost of all, or the part of it that is known. */
function costOf(
  parts: readonly Pick<JudgeUsage, 'cost_usd' | 'cost_usd_at_least'>[],
): Omit<JudgeUsage, 'usage'> {
  const cost_usd = sumOfCosts(parts.map((part) => part.cost_usd));
  const known = sumOfCosts(parts.map((part) => part.cost_usd ?? part.cost_usd_at_least ?? 0)) ?? 0;
  return cost_usd === null && known > 0 ? { cost_usd, cost_usd_at_least: known } : { cost_usd };
}
