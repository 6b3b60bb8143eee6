/*
 * Scenarios as tests of `node --test` (specs/how-to/vitest.md).
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SweepDocument } from './documents.js';
import { matchers } from './matchers.js';
import type { RunScenariosOptions } from './sweep.js';

/** The options of `runScenarios`, without those that a test sets itself. */
export type TestScenarioOptions = Omit<RunScenariosOptions, 'files' | 'signal'>;

/** Defines a test for these scenarios, with a subtest for each cell, which passes if the cell does. */
export function testScenario(files: string | readonly string[], options: TestScenarioOptions = {}): void {
  void test(typeof files === 'string' ? files : files.join(', '), async (context) => {
    const { testCells } = await import('./run/test-cells.js');
    const { cells, check } = await testCells({ ...options, files });
    const all = cells.map(({ id }) => id);
    for (const { id, label } of cells)
      await context.test(label, async ({ signal }) => {
        await check(id, all, signal);
      });
  });
}

/** @throws AssertionError with the reasons if a cell of the sweep did not pass */
export async function assertPassed(sweep: SweepDocument): Promise<void> {
  const { pass, message } = await matchers.toHavePassed(sweep);
  assert(pass, message());
}
