import { readdirSync } from 'node:fs';
import { DeterminismViolationError } from '@temporalio/workflow';
import type { History } from '@temporalio/common/lib/proto-utils.js';
import { Worker } from '@temporalio/worker';
import { beforeAll, expect, it } from 'vitest';
import { bundleWorkflows, quietRuntime } from './harness.js';
import { HISTORIES, recorded } from './history.js';

/*
 * Workflows that an earlier release has started continue with this one. If a history no longer replays, they would not:
 * keep the old order of steps for them with `patched()`. RECORD=1 adds histories, see record().
 */
const names = readdirSync(HISTORIES).filter((name) => name.endsWith('.json'));
const REORDERED = 'reordered';
/**
 * The reason why a history did not replay; undefined if it did. One worker replays all: a worker for each would take
 * ten times as long.
 */
const problems = new Map<string, Error | undefined>();

beforeAll(async () => {
  quietRuntime();
  const workflowBundle = await bundleWorkflows();
  const histories = [
    { workflowId: REORDERED, history: reordered(recorded('run-passed.json')) },
    ...names.map((name) => ({ workflowId: name, history: recorded(name) })),
  ];
  for await (const { workflowId, error } of Worker.runReplayHistories({ workflowBundle }, histories))
    problems.set(workflowId, error);
});

it.each(names)('%s replays with the current workflows', (name) => {
  expect(problems.has(name)).toBe(true);
  expect(problems.get(name)).toBeUndefined();
});

it('there is a history of each workflow and of each way that it may take', () => {
  expect(names.map((name) => name.slice(0, -'.json'.length)).sort()).toEqual(
    [
      ...['run-passed', 'run-with-images', 'run-that-failed', 'run-with-failed-steps', 'run-judged'],
      ...['run-conversation'],
      ...[
        'run-cancelled',
        'run-parked',
        'run-of-loop-1',
        'run-of-loop-2',
        'firing-completed',
        'sweep-paused-and-resumed',
        'sweep-cancelled',
      ],
      ...['sweep-continued-1', 'sweep-continued-2', 'sweep-budget', 'sweep-with-parked-run'],
      ...['sweep-with-lost-host', 'sweep-until-clear-1', 'sweep-until-clear-2'],
    ].sort(),
  );
});

it('a history with another order of steps does not replay', () => {
  expect(problems.get(REORDERED)).toBeInstanceOf(DeterminismViolationError);
});

/** The history with a gate and a script after the run in exchanged places. */
function reordered(history: History): History {
  const scheduled = (history.events ?? []).flatMap((event) => event.activityTaskScheduledEventAttributes ?? []);
  const [post, gate] = [scheduled[2], scheduled[4]];
  if (post === undefined || gate === undefined) throw new Error('the recorded run has too few steps');
  const types = [gate.activityType ?? null, post.activityType ?? null] as const;
  [post.activityType, gate.activityType] = types;
  return history;
}
