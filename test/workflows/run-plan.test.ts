import { expect, test } from 'vitest';
import { stepsOf, type PlannedStep } from '../../src/workflows/protocol.js';

const rest = { unfit: null, gates: [], evaluators: [] };

test('takes the steps of a run from its plan', () => {
  const steps: PlannedStep[] = [
    { kind: 'command', subject: 'make', timeoutSecs: 5 },
    { kind: 'agent', timeoutSecs: 60, rebuildSecs: 0 },
  ];
  expect(stepsOf({ ...rest, steps })).toBe(steps);
});

test('puts the steps of a plan of an older build in the only order that existed then', () => {
  const context = [{ subject: 'task-next', timeoutSecs: 7 }];
  const posts = [{ subject: 'make', timeoutSecs: 5 }];
  expect(stepsOf({ ...rest, agentTimeoutSecs: 60, rebuildSecs: 9, context, posts })).toEqual([
    { kind: 'script', subject: 'task-next', timeoutSecs: 7 },
    { kind: 'agent', timeoutSecs: 60, rebuildSecs: 9 },
    { kind: 'command', subject: 'make', timeoutSecs: 5 },
  ]);
  expect(stepsOf({ ...rest, agentTimeoutSecs: 60, posts: [] })).toEqual([
    { kind: 'agent', timeoutSecs: 60, rebuildSecs: 0 },
  ]);
});
