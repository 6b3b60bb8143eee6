/**
 * The markers of `patched()` in src/workflows, in the order in which they were added. Workflows of this build may have
 * recorded them in their histories. A build that does not know one of them fails the workflow tasks of such a history
 * for ever, so a build never takes over an engine that knows more markers.
 */
export const HISTORY_MARKERS: readonly string[] = ['report-apart'];

/** The version of the workflows, from 1. Higher than in every build that knows fewer markers. */
export const ENGINE_PROTOCOL = 1 + HISTORY_MARKERS.length;
