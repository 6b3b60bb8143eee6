import { expect, test } from 'vitest';
import { judgeSkipReason } from '../../src/model/judge-skip-reason.js';

const passed = { always: false, gates: 2, notPassed: 0, completed: true };

test('judges a run that has passed all gates, whether its agent completed or not', () => {
  expect(judgeSkipReason(passed)).toBeNull();
  expect(judgeSkipReason({ ...passed, completed: false })).toBeNull();
});

test('does not judge a run that has not passed a gate', () => {
  expect(judgeSkipReason({ ...passed, notPassed: 1 })).toBe('only runs that pass all gates are judged; 1 did not pass');
});

test('without gates, the ending of the agent decides', () => {
  expect(judgeSkipReason({ ...passed, gates: 0 })).toBeNull();
  expect(judgeSkipReason({ ...passed, gates: 0, completed: false })).toBe(
    'the agent did not complete, and there are no gates',
  );
});

test('judges any run with `always`', () => {
  expect(judgeSkipReason({ always: true, gates: 1, notPassed: 1, completed: false })).toBeNull();
});
