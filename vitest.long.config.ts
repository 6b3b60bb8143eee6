import { defineConfig } from 'vitest/config';
import { LONG } from './test/suites.js';

/** `npm run test:long`: tests that take minutes, so that `npm test` stays fast. */
export default defineConfig({
  test: {
    name: 'long',
    include: LONG,
    pool: 'forks',
    maxWorkers: 2,
    maxConcurrency: 2, // sweeps under random faults; each starts its own engine
    reporters: ['default', './test/slowest-files.ts'],
    server: { deps: { external: [/\/dist\//] } }, // run the built files unchanged
    globalSetup: ['test/global-setup.ts'],
    testTimeout: 600_000,
    hookTimeout: 300_000,
  },
});
