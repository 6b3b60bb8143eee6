/*
 * The library: reads results as commands do, and nothing else. Importing it starts nothing. Its types need no other
 * package, so documents.ts is generated from the schemas.
 */
export { compareSweeps, type CompareOptions, type SweepReference, readSweep, type ReadOptions } from './read-sweep.js';
export type * from './documents.js';
export { readRun, type Run, type RunReference } from './read-run.js';
export { ResultsError } from './results-error.js';
