/**
 * The markers of `patched()` in src/workflows, in the order in which they were added, and what else decides how they
 * replay: `scheduler-3`, `until-clear`, `fails-visibly` and `rounded` in the input of sweeps and runs, and `redo` in the pages of
 * cells. Workflows of this build may have recorded them in their histories. A build that does not know one of
 * them fails the workflow tasks of such a history for ever, so a build never takes over an engine that knows more
 * markers.
 */
export const HISTORY_MARKERS = [
  'failed-in-process',
  'patience-by-reason',
  'report-cancelled',
  'stop-run',
  'forget-limits',
  'scheduler-3',
  'until-clear',
  'fails-visibly',
  'cost-of-cancelled',
  'redo',
  'rounded',
  'decision-in-list',
] as const;

/** Higher than in every build that knows fewer markers. A build without a number counts as 0. */
export const ENGINE_PROTOCOL = HISTORY_MARKERS.length;
