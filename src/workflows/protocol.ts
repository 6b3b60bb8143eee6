/**
 * Names and types of all that crosses Temporal. Small JSON only: names, counts and verdicts, never output or secrets.
 * Additions must be optional: workflows of an older build go on with a newer worker.
 */
export { STEPS } from '../results/step-names.js';
export * from './protocol/run-plan.js';
export * from './protocol/names.js';
export * from './protocol/pages.js';
export * from './protocol/run.js';
export * from './protocol/sweep.js';
