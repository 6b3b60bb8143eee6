/** The time without a sign of life after which the runs of a host are done again, in seconds. */
export const LOST_SECS = 75;

/** The time between signs of life of a host, in ms. */
export const beatMs = (lostSecs: number): number => (lostSecs * 1000) / 7.5;

/** The interval at which a sweep looks for the signs of life of its hosts, in ms. */
export const checkMs = (lostSecs: number): number => (lostSecs * 1000) / 3;

/** Returns the time from `LLM_TOOL_TEST_LOST_SECS`, in seconds; the default if it is not a positive number. */
export function lostSecsOf(environment: Readonly<Record<string, string | undefined>>): number {
  const secs = Number(environment['LLM_TOOL_TEST_LOST_SECS']);
  return secs > 0 ? secs : LOST_SECS;
}
