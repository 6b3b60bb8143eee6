import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/longest-first.js';
import { APART, LONG, TEMPORAL } from './test/suites.js';

/** `npm test`. */
export default defineConfig({
  test: {
    pool: 'forks', // the Temporal worker's native module is not safe in worker threads
    maxWorkers: 5, // many tests wait, for processes and for time to pass: on two cores four take a tenth longer
    isolate: false, // files share what a worker has loaded and started: modules, and engines (test/commands/places.ts)
    sequence: { sequencer: LongestFirst },
    reporters: ['default', './test/slowest-files.ts'],
    server: { deps: { external: [/\/dist\//] } }, // what was built is run as it is
    testTimeout: 300_000, // ends what hangs; a busy machine may take long for the rest
    hookTimeout: 300_000,
    // Where `.agents/scripts/check-coverage` looks for it. What runs in processes of their own is not seen.
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts'],
      reportsDirectory: 'coverage',
      reporter: [['lcovonly', { file: 'coverage.info' }]],
    },
    projects: [
      {
        extends: true,
        test: {
          name: 'plain',
          include: ['test/**/*.test.ts'],
          exclude: [...TEMPORAL, ...APART, ...LONG],
        },
      },
      {
        extends: true,
        test: {
          name: 'temporal',
          include: TEMPORAL,
          exclude: LONG,
          globalSetup: ['test/global-setup.ts'],
        },
      },
    ],
  },
});
