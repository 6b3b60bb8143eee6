import { defineConfig } from 'vitest/config';
import { ByProject } from './test/by-project.js';
import { APART, LONG, SLOW, TEMPORAL } from './test/suites.js';

/** `npm test`: the fast tests. */
export default defineConfig({
  test: {
    pool: 'forks', // the Temporal worker's native module is not safe in worker threads
    maxWorkers: 5, // many tests only wait for processes and timers: on two cores, four workers take 10 % longer
    isolate: false, // test files share the modules and engines of their worker (test/commands/places.ts)
    sequence: { sequencer: ByProject },
    reporters: ['default', './test/slowest-files.ts'],
    server: { deps: { external: [/\/dist\//] } }, // run the built files unchanged
    testTimeout: 300_000, // ends tests that hang, and leaves the others enough time on a busy machine
    hookTimeout: 300_000,
    // `.agents/scripts/check-coverage` reads this file. Code that tests run in separate processes is not counted.
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
          exclude: [...TEMPORAL, ...APART, ...SLOW, ...LONG],
        },
      },
      {
        extends: true,
        test: {
          name: 'temporal',
          include: TEMPORAL,
          exclude: [...SLOW, ...LONG],
          globalSetup: ['test/global-setup.ts'],
        },
      },
    ],
  },
});
