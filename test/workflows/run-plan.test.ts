import { expect, test } from 'vitest';
import { stepsOf, type PlannedStep } from '../../src/workflows/protocol.js';

const rest = { unfit: null, gates: [], evaluators: [] };

test('the steps of a run are in its plan', () => {
  const steps: PlannedStep[] = [
    { kind: 'command', subject: 'make', timeoutSecs: 5 },
    { kind: 'agent', timeoutSecs: 60, rebuildSecs: 0 },
  ];
  expect(stepsOf({ ...rest, steps })).toBe(steps);
});

test('a run plan of an older build has its steps in the one order that there was', () => {
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
