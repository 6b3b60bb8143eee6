import { lastStart } from '#environments';
import { parseModelName } from '#lib';
import {
  createPricer,
  createUsageMeter,
  NO_USAGE,
  STEPS,
  sumOfCosts,
  sumUsage,
  type TokenUsage,
  unlessZero,
} from '#model';
import { agentOutputs } from '../agent/outputs.js';
import { usageOfStart } from '../agent/usage.js';
import { otherCallers, readAnswers } from './answers.js';
import { callerOfStart } from './ask-agent.js';
import type { AgentInPlace } from '../run/run-paths.js';
import type { LoadedRun, RunAccess, RunIdentity, RunPlaces } from '../run/context.js';

/** Tokens of answers and their cost in US dollars: 0 if nothing was asked, null if a price is unknown. */
export interface AskedUsage {
  usage: TokenUsage;
  cost_usd: number | null;
  /** The known part of the cost, if `cost_usd` is null. */
  cost_usd_at_least?: number;
}

/**
 * Returns what the judge, or all other callers of the run together, have used. By API: the sum of all answers, each
 * priced separately. By an agent: the sum of all its starts, which were paid for too.
 *
 * @throws ApplicationFailure (non-retryable) if an answer is not one that we stored
 */
export async function usageOf(
  context: LoadedRun & RunAccess,
  who: typeof STEPS.judge | 'others',
): Promise<AskedUsage & { answers: number; warnings: string[] }> {
  const { judgeAgent, plan, provider } = context;
  const callers = who === STEPS.judge ? [STEPS.judge] : await otherCallers(context);
  const given = await Promise.all(
    callers.map(async (caller) => (await readAnswers(context, caller)).map((answer, at) => ({ caller, at, answer }))),
  );
  const answers = given.flat().map(({ answer }) => answer);
  const warnings = given
    .flat()
    .flatMap(({ caller, at, answer: { wrong = [] } }) =>
      wrong.map((message) => `${caller}, answer ${at + 1}: ${message}`),
    );
  const count = { answers: answers.length, warnings };
  if (judgeAgent !== null) return { ...count, ...(await usageOfAgent(context, judgeAgent, who)) };
  const usages = answers.map((answer) => unlessZero(answer.usage));
  const usage = sumUsage(usages);
  if (answers.length === 0 || provider?.free === true) return { ...count, usage, cost_usd: 0 };
  const price = await createPricer(plan.prices);
  const costs = answers.map(({ model, model_used }, index) => {
    const name = parseModelName(model);
    const models = [...(model_used === null ? [] : [model_used]), model, ...(name.ok ? [name.model] : [])];
    return price(usages[index] ?? NO_USAGE, models)?.usd ?? null;
  });
  return { ...count, usage, ...costOf(costs.map((cost_usd) => ({ cost_usd }))) };
}

async function usageOfAgent(
  { environment, plan }: RunIdentity & RunPlaces,
  placed: AgentInPlace,
  who: typeof STEPS.judge | 'others',
): Promise<AskedUsage> {
  const { agent, model, handle } = placed;
  const outputs = [];
  for (const output of await agentOutputs({ environment, handle }, lastStart(handle)))
    if (((await callerOfStart(placed, output.start)) === STEPS.judge) === (who === STEPS.judge)) outputs.push(output);
  const pricer = await createPricer(plan.prices);
  const starts = [];
  for (const output of outputs) starts.push((await usageOfStart(agent, output, createUsageMeter(model, pricer))).usage);
  // The exact usage of an interrupted start is unknown.
  const interrupted = starts.some(({ token_usage_at_least: atLeast }) => atLeast !== undefined);
  const usage = interrupted ? NO_USAGE : sumUsage(starts.map((start) => start.token_usage));
  return agent.free || outputs.length === 0 ? { usage, cost_usd: 0 } : { usage, ...costOf(starts) };
}

/** The total cost, or the known part of it. */
function costOf(parts: readonly Pick<AskedUsage, 'cost_usd' | 'cost_usd_at_least'>[]): Omit<AskedUsage, 'usage'> {
  const cost_usd = sumOfCosts(parts.map((part) => part.cost_usd));
  const known = sumOfCosts(parts.map((part) => part.cost_usd ?? part.cost_usd_at_least ?? 0)) ?? 0;
  return cost_usd === null && known > 0 ? { cost_usd, cost_usd_at_least: known } : { cost_usd };
}
