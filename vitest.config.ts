import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    pool: 'forks', // the Temporal worker's native module is not safe in worker threads
    testTimeout: 60_000,
    hookTimeout: 300_000,
  },
});
