export { runScenario } from './run-scenario.js';
export { runScheduled } from './run-scheduled.js';
export { runSweep } from './run-sweep.js';
