/**
 * The most cells that a sweep can run at once. Each takes a slot of the worker while its agent runs, and the steps of
 * other cells need slots too. Temporal allows a workflow 2000 open children.
 */
export const MAX_CONCURRENCY = 500;
