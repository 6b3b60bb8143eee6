import { defineConfig } from 'vitest/config';
import { filesOf } from '../../test/suites.js';

const plain = filesOf('plain');

/** Keeps the order of the files: the tests that are likely to notice a mutant are given first. */
class AsGiven {
  sort<T>(files: T): T {
    return files;
  }
  shard<T>(files: T): T {
    return files;
  }
}

/** `npm run test:mutants`: the tests of `npm test` that import sources and need no Temporal server. */
export default defineConfig({
  test: {
    include: plain.include,
    exclude: [
      ...plain.exclude.filter((glob) => !/^test\/(workflows|documents)\/\*\*/.test(glob)),
      'test/workflows/!(scheduler*|spending|provider-backoff|signs-of-life|run-plan|sweep-details).test.ts',
      'test/documents/!(generated|blocks).test.ts',
    ],
    pool: 'forks',
    maxWorkers: 3,
    isolate: false,
    sequence: { sequencer: AsGiven },
    server: { deps: { external: [/\/dist\//] } }, // run the built files unchanged
    // On a busy machine, a test may take minutes. One that a mutant makes wait for ever is ended by its session.
    testTimeout: 0,
    hookTimeout: 0,
  },
});
