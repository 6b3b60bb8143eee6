import { defineConfig } from 'vitest/config';
import { LONG } from './test/suites.js';

/** `npm run test:long`: what takes minutes, so that `npm test` stays fast. */
export default defineConfig({
  test: {
    name: 'long',
    include: LONG,
    pool: 'forks',
    maxWorkers: 2,
    maxConcurrency: 2, // sweeps under faults, each with an engine of its own
    reporters: ['default', './test/slowest-files.ts'],
    server: { deps: { external: [/\/dist\//] } }, // what was built is run as it is
    globalSetup: ['test/global-setup.ts'],
    testTimeout: 600_000,
    hookTimeout: 300_000,
  },
});
