import { parseModelName } from '../../lib/model-name.js';
import { createPricer, sumOfCosts } from '../../results/cost.js';
import type { JudgeAnswer } from '../../results/judgment.js';
import { sumUsage, type TokenUsage } from '../../results/token-usage.js';
import { createUsageMeter } from '../../results/usage-meter.js';
import { agentOutputs, allEventsOf, lastStart } from '../agent/outputs.js';
import type { PlacedAgent } from '../step/places.js';
import type { RunContext } from '../step/run-context.js';

/** Tokens of a judge, and US dollars: 0 where it was not asked, null where a price is not known. */
export interface JudgeUsage {
  usage: TokenUsage;
  cost_usd: number | null;
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
  return { usage, cost_usd: sumOfCosts(costs) };
}

async function usageOfAgent(
  { environment, prices }: RunContext,
  { agent, model, handle }: PlacedAgent,
): Promise<JudgeUsage> {
  const outputs = await agentOutputs({ environment, handle }, await lastStart(handle.root));
  const meter = createUsageMeter(model, await createPricer(prices));
  for (const output of outputs) {
    for await (const event of allEventsOf(agent, output)) meter.add(event);
  }
  const { tokens, costUsd } = meter.read();
  return { usage: tokens, cost_usd: agent.free || outputs.length === 0 ? 0 : costUsd };
}
