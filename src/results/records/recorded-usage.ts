import type { AgentRecord } from './run-record.js';
import { NO_USAGE, type TokenUsage } from './token-usage.js';
import type { UsageMeter } from '../transcript/usage-meter.js';

type UsageRecord = Pick<
  AgentRecord,
  'token_usage' | 'token_usage_at_least' | 'cost_usd' | 'cost_usd_at_least' | 'cost_source'
>;

/** What is written of tokens and money. What does not cover all that was used is a lower bound, and no number to compare. */
export function recordedUsage(
  { tokens, costUsd, costSource }: ReturnType<UsageMeter['read']>,
  complete: boolean,
): UsageRecord {
  if (complete) return { token_usage: tokens, cost_usd: costUsd, cost_source: costSource };
  const counted = Object.values(tokens).some((count) => count !== null);
  return {
    token_usage: NO_USAGE,
    ...(counted ? { token_usage_at_least: tokens } : {}),
    cost_usd: null,
    ...(costUsd === null ? {} : { cost_usd_at_least: costUsd }),
    cost_source: costSource,
  };
}

/** The tokens to show, and whether there may be more of them. */
export function shownTokens({
  token_usage: usage,
  token_usage_at_least: atLeast,
}: Pick<AgentRecord, 'token_usage' | 'token_usage_at_least'>): { usage: TokenUsage; atLeast: boolean } {
  return { usage: atLeast ?? usage, atLeast: atLeast !== undefined };
}
