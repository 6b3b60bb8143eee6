/** The policies for a time of a schedule when a sweep of it is still running. */
export const OVERLAPS = ['skip', 'queue', 'cancel', 'allow'] as const;
export type Overlap = (typeof OVERLAPS)[number];

/** Criteria for the exit code of a firing: cells that failed, or a result that is worse than the one before. */
export const FAIL_ON = ['failed', 'worse'] as const;
