import { defineConfig } from 'vitest/config';
import { LONG, SLOW } from './test/suites.js';

/** `npm run test:long`: what would make `npm test` slow. */
export default defineConfig({
  test: {
    pool: 'forks', // the Temporal worker's native module is not safe in worker threads
    reporters: ['default', './test/slowest-files.ts'],
    server: { deps: { external: [/\/dist\//] } }, // run the built files unchanged
    globalSetup: ['test/global-setup.ts'],
    hookTimeout: 300_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'slow',
          include: SLOW,
          sequence: { groupOrder: 0 },
          maxWorkers: 5, // many tests only wait for processes and timers
          isolate: false, // test files share the modules and engines of their worker (test/commands/places.ts)
          testTimeout: 300_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'long',
          include: LONG,
          sequence: { groupOrder: 1 },
          maxWorkers: 3, // they mostly wait for kills, restarts and time limits
          maxConcurrency: 2, // sweeps under random faults; each starts its own engine
          testTimeout: 600_000,
        },
      },
    ],
  },
});
