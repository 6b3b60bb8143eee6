/*
 * Scenarios as tests of Vitest (specs/how-to/vitest.md).
 */
import { describe, expect, test } from 'vitest';
import { matchers } from './matchers.js';
import type { RunScenariosOptions } from './sweep.js';

declare module 'vitest' {
  // The interface is Vitest's own, and its parameter must be repeated.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any, @typescript-eslint/no-unused-vars
  interface Matchers<T = any> {
    /** All cells of a sweep passed. */
    toHavePassed(): Promise<void>;
    /** At least this share of the cells passed, from 0 to 1, and none ended in an error. */
    toHavePassRate(least: number): Promise<void>;
    /** The sweep cost at most so many US dollars. Cells from the cache cost nothing; an unknown cost is too much. */
    toCostAtMost(usd: number): void;
  }
}

expect.extend(matchers);

/** The options of `runScenarios`, without those that a test sets itself. */
export type TestScenarioOptions = Omit<RunScenariosOptions, 'files' | 'signal'>;

/**
 * Defines a test for each cell of these scenarios, which passes if the cell does. They run as one sweep, which starts
 * with the first test that is not skipped. Scenarios have their own time limits, so those of Vitest do not apply.
 */
export function testScenario(files: string | readonly string[], options: TestScenarioOptions = {}): void {
  describe(typeof files === 'string' ? files : files.join(', '), async () => {
    const { testCells } = await import('./run/test-cells.js');
    // Mistakes in files fail here, before anything runs.
    const { cells, check } = await testCells({ ...options, files });
    for (const { id, label } of cells)
      test(label, { timeout: 0, retry: 0 }, async ({ task, signal }) => {
        const run = new Set(task.suite?.tasks.flatMap(({ mode, name }) => (mode === 'skip' ? [] : [name])));
        const wanted = cells.filter((cell) => run.has(cell.label)).map((cell) => cell.id);
        await check(id, wanted, signal);
      });
  });
}
