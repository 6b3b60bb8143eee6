import type { AgentRecord } from './run-record.js';
import { NO_USAGE, type TokenUsage } from './token-usage.js';
import type { UsageMeter } from '../transcript/usage-meter.js';

type UsageRecord = Pick<
  AgentRecord,
  'token_usage' | 'token_usage_at_least' | 'cost_usd' | 'cost_usd_at_least' | 'cost_source'
>;

/** Returns the usage fields of a record. Numbers that do not cover everything are lower bounds, never compared. */
export function recordedUsage(
  { tokens, tokensAreBound, costUsd, costAtLeastUsd, costSource }: ReturnType<UsageMeter['read']>,
  complete: boolean,
): UsageRecord {
  // Costs without a source are those of a free agent: what it did not report cost nothing either.
  const exactUsd = complete || costSource === null ? costUsd : null;
  const bound = costUsd ?? costAtLeastUsd;
  return {
    ...(complete && tokensAreBound !== true ? { token_usage: tokens } : boundOf(tokens)),
    cost_usd: exactUsd,
    ...(exactUsd === null && bound !== undefined ? { cost_usd_at_least: bound } : {}),
    cost_source: costSource,
  };
}

const boundOf = (tokens: TokenUsage): Pick<UsageRecord, 'token_usage' | 'token_usage_at_least'> => ({
  token_usage: NO_USAGE,
  ...(Object.values(tokens).some((count) => count !== null) ? { token_usage_at_least: tokens } : {}),
});

/** Returns the tokens to show, and whether they are a lower bound. */
export function shownTokens({
  token_usage: usage,
  token_usage_at_least: atLeast,
}: Pick<AgentRecord, 'token_usage' | 'token_usage_at_least'>): { usage: TokenUsage; atLeast: boolean } {
  return { usage: atLeast ?? usage, atLeast: atLeast !== undefined };
}
