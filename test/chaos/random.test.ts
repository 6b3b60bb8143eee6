import { test } from 'vitest';
import { runUnderFaults } from './random-faults.js';

/** CHAOS_SEEDS=4,5,6 uses other seeds. */
const seeds = (process.env['CHAOS_SEEDS'] ?? '1,2').split(',').map(Number);

test.each(seeds)('under random kills (seed %d), every cell has one result and every agent start is reported', (seed) =>
  runUnderFaults(seed, { cells: 20, concurrency: 5, faults: 8, agentSecs: 0.4 }),
);
