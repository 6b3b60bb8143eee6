import { defineConfig } from 'vitest/config';

// Tests that need a Temporal server; the others run without one.
const TEMPORAL = ['workflows', 'commands', 'chaos', 'package', 'documents'].map(
  (folder) => `test/${folder}/**/*.test.ts`,
);
// Run by `npm run test:production`, since they need programs that take minutes to build.
const PRODUCTION = ['test/production/**/*.test.ts'];
// Run by `npm run test:agents`, since they install the real agents.
const REAL_AGENTS = ['test/agents/real/**/*.test.ts'];
// Run by `npm run test:long`, since each takes minutes.
const LONG = ['test/long/**/*.test.ts'];

export default defineConfig({
  test: {
    pool: 'forks', // the Temporal worker's native module is not safe in worker threads
    maxWorkers: 5, // many tests wait, for processes and for time to pass: on two cores four take a tenth longer
    isolate: false, // files share the modules that a worker has loaded: a tenth of the time went into loading them
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
          exclude: [...TEMPORAL, ...PRODUCTION, ...REAL_AGENTS, ...LONG],
        },
      },
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
