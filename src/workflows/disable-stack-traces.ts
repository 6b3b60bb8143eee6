/*
 * Loaded before all workflows (scripts/build.js). The SDK takes a stack trace of every promise that a workflow makes, to
 * show where it waits: a tenth of what a run costs, for what the summaries of the steps say better. Their errors go without.
 */
Error.stackTraceLimit = 0;
