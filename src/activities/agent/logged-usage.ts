import { createYielder } from '#lib';
import { type EventBody, type TokenUsage, totalTokens } from '#model';
import type { RunContext } from '../step/run-context.js';
import type { AgentOutput } from './outputs.js';
import { linesOfLog } from './session-log.js';

type UsageEvent = Extract<EventBody, { type: 'usage' }>;

/**
 * Returns the usage of each request in the log of the agent's session, in order. Nothing if the agent keeps no such log, or it cannot
 * be read: then only what the output reports is known.
 */
export async function loggedUsage(
  context: RunContext,
  session: readonly AgentOutput[],
): Promise<TokenUsage[]> {
  const { firstRequest: source, usageInLog } = context.agent;
  const [first] = session;
  if (source?.log === undefined || usageInLog === undefined || first === undefined) return [];
  const lines = await linesOfLog(context, first, source.log).catch(() => '');
  if (typeof lines === 'string') return [];
  const yieldIfDue = createYielder();
  const found: TokenUsage[] = [];
  for (const line of lines) {
    await yieldIfDue();
    const usage = usageInLog(line);
    if (usage !== null) found.push(usage);
  }
  return found;
}

/** The logged requests that the output does not report. It reports those of whole turns, which are the first ones. */
export function unreportedUsage(
  logged: readonly TokenUsage[],
  reported: readonly TokenUsage[],
): UsageEvent[] {
  let left = reported.reduce((sum, usage) => sum + (totalTokens(usage) ?? 0), 0);
  return logged.flatMap((usage) => {
    left -= totalTokens(usage) ?? 0;
    return left >= 0 ? [] : [{ type: 'usage' as const, ...usage, cost_usd: null }];
  });
}
