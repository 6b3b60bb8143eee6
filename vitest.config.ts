import { defineConfig } from 'vitest/config';

// Tests that need a Temporal server; the others run without one.
const TEMPORAL = ['workflows', 'commands', 'chaos', 'package', 'documents'].map(
  (folder) => `test/${folder}/**/*.test.ts`,
);

export default defineConfig({
  test: {
    pool: 'forks', // the Temporal worker's native module is not safe in worker threads
    maxWorkers: 2, // most tests wait for processes; one worker a core less one would leave a core idle
    testTimeout: 60_000,
    hookTimeout: 300_000,
    projects: [
      { extends: true, test: { name: 'plain', include: ['test/**/*.test.ts'], exclude: TEMPORAL } },
      {
        extends: true,
        test: {
          name: 'temporal',
          include: TEMPORAL,
          globalSetup: ['test/global-setup.ts'],
        },
      },
    ],
  },
});
