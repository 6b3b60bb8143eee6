/**
 * What workflows of this build may have recorded in their histories, in the order in which it was added: the markers of
 * `patched()` in src/workflows. Code that does not know one of them fails the workflow tasks of such a history for ever, so
 * an engine is never handed to a build that knows fewer.
 */
export const HISTORY_MARKERS = [
  'failed-in-process',
  'patience-by-reason',
  'report-cancelled',
  'stop-run',
] as const;

/** Higher than that of every build that knows fewer markers; builds without a number count as 0. */
export const ENGINE_PROTOCOL = HISTORY_MARKERS.length;
