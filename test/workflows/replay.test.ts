import { readdirSync } from 'node:fs';
import { DeterminismViolationError } from '@temporalio/workflow';
import type { History } from '@temporalio/common/lib/proto-utils.js';
import { Worker, type WorkflowBundleOption } from '@temporalio/worker';
import { beforeAll, expect, it } from 'vitest';
import { bundleWorkflows, quietRuntime } from './harness.js';
import { HISTORIES, recorded } from './history.js';

/**
 * Workflows that an earlier build has started continue with this one. If a history no longer replays, they would not:
 * keep the old order of steps for them with `patched()`. RECORD=1 adds histories, see record().
 */
let workflowBundle: WorkflowBundleOption;
beforeAll(async () => {
  quietRuntime();
  workflowBundle = await bundleWorkflows();
});

const replay = (history: History): Promise<void> =>
  Worker.runReplayHistory({ workflowBundle }, history, 'replayed');
const names = readdirSync(HISTORIES).filter((name) => name.endsWith('.json'));

it.each(names)('%s replays with the current workflows', async (name) => {
  await replay(recorded(name));
});

it('there are histories of runs and sweeps that passed, failed, were cancelled, paused and continued', () => {
  expect(names).toEqual(
    expect.arrayContaining([
      ...['run-passed.json', 'run-with-failed-steps.json', 'run-cancelled.json'],
      ...['run-judged.json', 'run-with-failed-judge.json'],
      ...[
        'sweep-paused-and-resumed.json',
        'sweep-cancelled-by-the-cancel-update.json',
        'sweep-continued-2.json',
      ],
    ]),
  );
});

it('a history with another order of steps does not replay', async () => {
  const history = recorded('run-passed.json');
  const scheduled = (history.events ?? []).flatMap(
    (event) => event.activityTaskScheduledEventAttributes ?? [],
  );
  const [post, gate] = [scheduled[2], scheduled[4]];
  if (post === undefined || gate === undefined) throw new Error('the recorded run has too few steps');
  const types = [gate.activityType ?? null, post.activityType ?? null] as const;
  [post.activityType, gate.activityType] = types;
  await expect(replay(history)).rejects.toBeInstanceOf(DeterminismViolationError);
});
