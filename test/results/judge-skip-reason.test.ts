import { expect, test } from 'vitest';
import { judgeSkipReason } from '../../src/results/judge-skip-reason.js';

const passed = { always: false, gates: 2, notPassed: 0, completed: true };

test('a run that has passed all gates is judged, whether its agent completed or not', () => {
  expect(judgeSkipReason(passed)).toBeNull();
  expect(judgeSkipReason({ ...passed, completed: false })).toBeNull();
});

test('a run that has not passed a gate is not judged', () => {
  expect(judgeSkipReason({ ...passed, notPassed: 1 })).toBe(
    'only runs that pass all gates are judged; 1 did not pass',
  );
});

test('without gates it is the end of the agent that counts', () => {
  expect(judgeSkipReason({ ...passed, gates: 0 })).toBeNull();
  expect(judgeSkipReason({ ...passed, gates: 0, completed: false })).toBe(
    'the agent did not complete, and there are no gates',
  );
});

test('a judge that is always asked is', () => {
  expect(judgeSkipReason({ always: true, gates: 1, notPassed: 1, completed: false })).toBeNull();
});
