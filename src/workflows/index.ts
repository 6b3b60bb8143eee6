export { runScenario } from './run-scenario.js';
export { runSweep } from './run-sweep.js';
