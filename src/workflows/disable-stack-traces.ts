/*
 * Loaded before all workflows (scripts/build.js). The SDK records a stack trace for every promise that a workflow
 * creates, to show where the workflow waits. That takes a tenth of a run's time, and the step summaries show the same
 * more clearly. As a consequence, errors in workflows have no stack trace.
 */
Error.stackTraceLimit = 0;
