import { Context } from '@temporalio/activity';
import { WorkflowFailedError } from '@temporalio/client';
import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { expect, test } from 'vitest';
import { gateEndIn, passedGate } from '../../src/protocol/visible-failures.js';
import { eventually, type RunHandle, useTemporal } from './harness.js';
import { localActivitiesIn, record, summariesIn } from './history.js';
import { blockedAgents, cell, gate, pagesOf, runPlan, stubActivities } from './stub-activities.js';

const onBench = useTemporal();
const it = test.concurrent;
const statusOf = async (handle: Pick<RunHandle, 'describe'>): Promise<string> => (await handle.describe()).status.name;
const detailsOf = async (handle: RunHandle): Promise<string> =>
  (await handle.query<{ currentDetails: string }>('__temporal_workflow_metadata')).currentDetails;

/** Gates as the real step checks them: the first passes, the second does not, the third cannot be checked. */
const gates = runPlan({ gates: [gate('a.md'), gate('b.md'), gate('c.md')] });
const checkGate = (_run: unknown, index: number) => {
  const status = (['pass', 'fail', 'error'] as const)[index] ?? 'pass';
  const { isLocal } = Context.current().info;
  return Promise.resolve(isLocal ? status : passedGate(status, `${status} message`));
};

it.each([false, true])(
  'gates that do not pass fail their activities once, and the run continues (in process: %s)',
  async (inProcess) => {
    const stubs = stubActivities({
      prepareWorkspace: () => Promise.resolve({ ...gates, gates: gates.gates.map((one) => ({ ...one, inProcess })) }),
      checkGate,
      writeReport: () => Promise.resolve({ outcome: 'fail', message: '1 of 3 gates passed', costUsd: 0.5 }),
    });
    await onBench(stubs, async ({ startRun }) => {
      const handle = await startRun(cell());
      const error = await handle.result().catch((error: unknown) => error);
      expect(error).toBeInstanceOf(WorkflowFailedError);
      expect((error as WorkflowFailedError).cause).toMatchObject({
        type: 'RunFailed',
        message: '1 of 3 gates passed',
        category: 'BENIGN',
        details: [{ outcome: 'fail', message: '1 of 3 gates passed', costUsd: 0.5 }],
      });
      expect(await statusOf(handle)).toBe('FAILED');
      const history = await handle.fetchHistory();
      const titles = [
        'gate 1 of 3: file_exists a.md',
        'gate 2 of 3: file_exists b.md',
        'gate 3 of 3: file_exists c.md',
      ];
      const local = ['gate 1 file_exists', 'gate 2 file_exists', 'gate 3 file_exists'];
      expect(localActivitiesIn(history).filter(([name]) => name?.startsWith('gate'))).toEqual(
        inProcess ? local.map((name, index) => [name, titles[index]]) : [],
      );
      expect(summariesIn(history).filter((summary) => summary.startsWith('gate'))).toEqual(
        inProcess ? titles.slice(1) : titles,
      );
      const failed = (history.events ?? []).flatMap(
        ({ activityTaskFailedEventAttributes: one }) => one?.failure?.message ?? [],
      );
      expect(failed).toEqual(['fail message', 'error message']);
      const details = await detailsOf(handle);
      expect(details).toContain('| ✓ | gate 1 | gate 1 of 3: file_exists a.md |');
      expect(details).toContain('| ✗ | gate 2 | gate 2 of 3: file_exists b.md: fail message |');
      expect(details).toContain('| ✗ | gate 3 | gate 3 of 3: file_exists c.md: error message |');
      expect(details.split('\n')[0]).toBe('**fail**: 1 of 3 gates passed');
      if (inProcess) await record('run-that-failed', handle);
    });
  },
);

it('a sweep counts runs that failed, ended with an error or were cancelled, with their costs', async () => {
  const cells = [cell(1), cell(2), cell(3), cell(4)];
  const agents = blockedAgents();
  const stubs = stubActivities({
    loadCells: pagesOf(cells),
    runAgent: (run) =>
      run.cell.repetition === 3
        ? agents.runAgent(run)
        : Promise.resolve({ ending: 'done', completed: true, message: '', costUsd: 0.25 }),
    writeReport: ({ cell: { repetition } }, { cancelled }) =>
      Promise.resolve({
        outcome: cancelled ? 'cancelled' : repetition === 1 ? 'fail' : repetition === 2 ? 'error' : 'pass',
        message: 'a message',
        costUsd: 0.25,
      }),
  });
  await onBench(stubs, async ({ startSweep, runOf }) => {
    const handle = await startSweep({ maxUsd: 10 });
    await eventually(() => expect(agents.started).toHaveLength(1));
    const run = runOf(cell(3));
    expect((await run.describe()).typedSearchAttributes.getAll()).toEqual(
      expect.arrayContaining([expect.objectContaining({ value: 'running' })]),
    );
    await run.cancel();
    expect(await handle.result()).toEqual({
      status: 'completed',
      counts: { pass: 1, fail: 1, error: 1, cancelled: 1 },
    });
    expect(await Promise.all(cells.map((one) => statusOf(runOf(one))))).toEqual([
      'FAILED',
      'FAILED',
      'CANCELLED',
      'COMPLETED',
    ]);
    const { spentUsd } = await handle.query<{ spentUsd: number }>('progress');
    expect(spentUsd).toBe(1);
  });
});

test('only failures of gates count as their ends', () => {
  expect(passedGate('pass', 'there')).toBe('pass');
  expect(gateEndIn(new CancelledFailure('stopped'))).toBeNull();
  expect(gateEndIn(ApplicationFailure.nonRetryable('x', 'GivenUp', 'fail'))).toBeNull();
  expect(gateEndIn(new Error('x'))).toBeNull();
  expect(gateEndIn('x')).toBeNull();
  for (const status of ['fail', 'error'] as const) {
    const thrown = catching(() => passedGate(status, 'why'));
    expect([gateEndIn(thrown), gateEndIn({ cause: thrown })]).toEqual([
      { status, message: 'why' },
      { status, message: 'why' },
    ]);
  }
});

function catching(act: () => unknown): unknown {
  try {
    return act();
  } catch (error) {
    return error;
  }
}
