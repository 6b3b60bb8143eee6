import type { AgentRecord } from './run-record.js';
import { NO_USAGE, type TokenUsage } from './token-usage.js';
import type { UsageMeter } from '../transcript/usage-meter.js';

type UsageRecord = Pick<
  AgentRecord,
  'token_usage' | 'token_usage_at_least' | 'cost_usd' | 'cost_usd_at_least' | 'cost_source'
>;

/** Returns the usage fields of a record. Numbers that do not cover everything are lower bounds, never compared. */
export function recordedUsage(
  { tokens, costUsd, costSource }: ReturnType<UsageMeter['read']>,
  complete: boolean,
): UsageRecord {
  // Costs without a source are those of a free agent: what it did not report cost nothing either.
  if (complete || (costUsd === 0 && costSource === null))
    return { token_usage: tokens, cost_usd: costUsd, cost_source: costSource };
  const counted = Object.values(tokens).some((count) => count !== null);
  return {
    token_usage: NO_USAGE,
    ...(counted ? { token_usage_at_least: tokens } : {}),
    cost_usd: null,
    ...(costUsd === null ? {} : { cost_usd_at_least: costUsd }),
    cost_source: costSource,
  };
}

/** Returns the tokens to show, and whether they are a lower bound. */
export function shownTokens({
  token_usage: usage,
  token_usage_at_least: atLeast,
}: Pick<AgentRecord, 'token_usage' | 'token_usage_at_least'>): { usage: TokenUsage; atLeast: boolean } {
  return { usage: atLeast ?? usage, atLeast: atLeast !== undefined };
}
