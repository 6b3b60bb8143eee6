/**
 * Names and types of everything that crosses Temporal. Small JSON only: names, counts, verdicts and redacted
 * messages of a line, never output or secrets. Additions after a release must be optional, because open workflows continue
 * with the next build.
 */
export { STEPS } from '../results/step-names.js';
export * from './protocol/agent-progress.js';
export * from './protocol/provider-limit.js';
export * from './protocol/run-place.js';
export * from './protocol/run-plan.js';
export * from './protocol/hosts.js';
export * from './protocol/names.js';
export * from './protocol/pages.js';
export * from './protocol/run.js';
export * from './protocol/schedule.js';
export * from './protocol/sweep.js';
export * from './protocol/sweep-order.js';
