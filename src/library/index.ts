/*
 * The library: reads results and runs scenarios, as commands do. Importing it starts nothing. Its types need no other
 * package, so documents.ts is generated from the schemas.
 */
export { compareSweeps, type CompareOptions, type SweepReference, readSweep, type ReadOptions } from './read-sweep.js';
export type * from './documents.js';
export { readRun, type Run, type RunReference } from './read-run.js';
export { ResultsError, ScenarioError, type ScenarioProblem } from './errors.js';
export { runScenarios } from './run-scenarios.js';
export type { RunScenariosOptions, Sweep, SweepEvent } from './sweep.js';
