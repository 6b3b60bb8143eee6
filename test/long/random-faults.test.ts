import { test } from 'vitest';
import { runUnderFaults } from '../chaos/random-faults.js';

/** LONG_SWEEPS=6 runs fewer sweeps, LONG_SEED=2000 uses other seeds. */
const sweeps = Number(process.env['LONG_SWEEPS'] ?? '40');
const first = Number(process.env['LONG_SEED'] ?? '1000');
const seeds = Array.from({ length: sweeps }, (_, index) => first + index);

test.concurrent.each(seeds)(
  '60 cells under random faults (seed %d) have one result each, and every agent start is reported',
  (seed) => runUnderFaults(seed, { cells: 60, concurrency: 10, faults: 4, agentSecs: 0.1 }),
);
