export { runScenario } from './run-scenario.js';
export { reportFiring } from './report-firing.js';
export { runScheduled } from './run-scheduled.js';
export { runSweep } from './run-sweep.js';
