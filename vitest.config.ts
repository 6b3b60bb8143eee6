import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { ServersFirst } from './test/servers-first.js';
import { filesOf, WORKERS, type Suite } from './test/suites.js';

/** `settings` of Vitest for the tests of a suite. Suites of different order run one after another. */
const project = (
  suite: Suite,
  order: number,
  settings: TestProjectInlineConfiguration['test'],
): TestProjectInlineConfiguration => ({
  extends: true,
  test: {
    name: suite,
    ...filesOf(suite),
    maxWorkers: WORKERS[suite],
    sequence: { groupOrder: order },
    ...settings,
  },
});

const server = { globalSetup: ['test/global-setup.ts'] };
/** Test files share the modules and engines of their worker (test/commands/places.ts). */
const shared = { isolate: false };

/**
 * The projects are the suites of `test/suites.ts`. `npm test` runs the fast ones, `npm run test:all` all of them, and
 * `npx vitest run FILE` one file.
 */
export default defineConfig({
  test: {
    pool: 'forks', // the Temporal worker's native module is not safe in worker threads
    sequence: { sequencer: ServersFirst },
    setupFiles: ['test/property-seed.ts'],
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
      project('plain', 0, shared),
      project('temporal', 0, { ...shared, ...server }),
      project('slow', 1, { ...shared, ...server }),
      // Sweeps under random faults run two at a time, because each starts its own engine.
      project('long', 2, { ...server, maxConcurrency: 2, testTimeout: 600_000 }),
      project('production', 3, { globalSetup: ['test/production/global-setup.ts'] }),
      project('agents', 4, server),
    ],
  },
});
