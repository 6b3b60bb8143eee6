/**
 * Cells of a sweep at once, at most. Each holds a place of the worker for as long as its agent runs, and the steps of others
 * need some too; Temporal allows a workflow 2000 children that have not ended.
 */
export const MAX_CONCURRENCY = 500;
