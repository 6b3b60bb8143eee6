import { z } from 'zod';

/** A limit that an account has reached. Hosts and sweeps share it, so that not each of them has to reach it. */
export const NotedLimit = z.object({
  schema_version: z.literal(1),
  account: z.string(),
  until: z.iso.datetime(),
  /** True if the provider said when it ends; otherwise it is tried again at that time. */
  known: z.boolean(),
});
export type NotedLimit = z.infer<typeof NotedLimit>;

/** The run that tries whether a limit of unknown end is over, before all others do. */
export const Probe = z.object({
  schema_version: z.literal(1),
  at: z.iso.datetime(),
  /** Distinguishes two that try at the same moment. */
  by: z.string(),
});
export type Probe = z.infer<typeof Probe>;

/** If it is unknown when a limit ends, it is tried again after a quarter of an hour. */
export const UNKNOWN_END_MS = 15 * 60_000;
/** An agent that is at its limit says so within this time. */
const PROBE_MS = 2 * 60_000;
/** The longest known limits last a week. What is later comes from a wrong clock. */
const LONGEST_MS = 8 * 24 * 3600_000;

/**
 * The permission of an agent of the account: start, start as the one that tries whether the limit is over, or wait
 * until a time (ms since the epoch).
 */
export type Permission = 'start' | 'probe' | { until: number };

/**
 * Decides whether an agent may be started. `waitedUntil`: the time until which the agent has waited already, which it
 * waits for only once: by the clock of another host, it may not have come. All times in ms since the epoch.
 */
export function permissionFor(
  limit: NotedLimit | null,
  probe: Probe | null,
  { now, waitedUntil }: { now: number; waitedUntil: number | null },
): Permission {
  if (limit === null) return 'start';
  const until = Date.parse(limit.until);
  const hasCome = (time: number): boolean => time <= now || time <= (waitedUntil ?? 0) || time > now + LONGEST_MS;
  if (!hasCome(until)) return { until };
  // Whoever waited for it would have tried by now.
  if (limit.known || now - until > UNKNOWN_END_MS || until > now + LONGEST_MS) return 'start';
  if (probe === null) return 'probe';
  const probed = Date.parse(probe.at) + PROBE_MS;
  return hasCome(probed) ? 'start' : { until: probed };
}

/** True if the limit holds back every agent of its account. */
export const isCurrent = ({ until }: NotedLimit, now: number): boolean =>
  Date.parse(until) > now && Date.parse(until) <= now + LONGEST_MS;

/** The limit that an agent has reported. `at`: when it ends, ms since the epoch; null if unknown. */
export const limitReported = (account: string, at: number | null, now: number): NotedLimit => ({
  schema_version: 1,
  account,
  until: new Date(at ?? now + UNKNOWN_END_MS).toISOString(),
  known: at !== null,
});

/**
 * The limit that counts after another one was reported. An account can have several, for example for five hours and for
 * a week: the later one counts, and one whose end is known counts more than a guess.
 */
export function mergeLimits(before: NotedLimit | null, next: NotedLimit, now: number): NotedLimit {
  if (before === null || !isCurrent(before, now)) return next;
  if (before.known !== next.known) return before.known ? before : next;
  return Date.parse(before.until) > Date.parse(next.until) ? before : next;
}
