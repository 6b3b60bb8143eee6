import { expect, test } from 'vitest';
import { eventually, useTemporal } from './harness.js';
import { cell, pagesOf, stubActivities } from './stub-activities.js';

const onBench = useTemporal();

test('finds an ended run in the list of workflows by its outcome and cost', async () => {
  const of = [cell(1), cell(2)];
  const stubs = stubActivities({
    loadCells: pagesOf(of),
    writeReport: ({ cell: { repetition } }) =>
      Promise.resolve({ outcome: repetition === 1 ? 'fail' : 'pass', message: '', costUsd: repetition / 4 }),
  });
  await onBench(stubs, async ({ name, client, startSweep, runOf }) => {
    await (await startSweep()).result();
    const found = async (query: string): Promise<string[]> => {
      const ids: string[] = [];
      for await (const one of client.workflow.list({ query: `SweepId = '${name}' AND ${query}` }))
        ids.push(one.workflowId);
      return ids;
    };
    // The list is updated a moment later.
    await eventually(async () => expect(await found("ExecutionStatus = 'Completed'")).toHaveLength(2));
    await eventually(async () =>
      expect(await found("ExecutionStatus = 'Failed' AND Outcome = 'fail'")).toEqual([runOf(cell(1)).workflowId]),
    );
    expect(await found("Outcome = 'pass' AND CostUsd = 0.5")).toEqual([runOf(cell(2)).workflowId]);
  });
});
