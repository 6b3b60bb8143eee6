import { defineConfig } from 'vitest/config';

/** `npm run test:long`: what takes minutes, so that `npm test` stays fast. */
export default defineConfig({
  test: {
    name: 'long',
    include: ['test/long/**/*.test.ts'],
    pool: 'forks',
    maxWorkers: 1,
    maxConcurrency: 2, // sweeps under faults, each with an engine of its own
    globalSetup: ['test/global-setup.ts'],
    testTimeout: 600_000,
    hookTimeout: 300_000,
  },
});
