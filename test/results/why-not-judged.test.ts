import { expect, test } from 'vitest';
import { whyNotJudged } from '../../src/results/why-not-judged.js';

const passed = { always: false, gates: 2, notPassed: 0, completed: true };

test('a run that has passed all gates is judged, whether its agent completed or not', () => {
  expect(whyNotJudged(passed)).toBeNull();
  expect(whyNotJudged({ ...passed, completed: false })).toBeNull();
});

test('a run that has not passed a gate is not judged', () => {
  expect(whyNotJudged({ ...passed, notPassed: 1 })).toBe(
    'only a run that passes all gates is judged; 1 did not pass',
  );
});

test('without gates it is the end of the agent that counts', () => {
  expect(whyNotJudged({ ...passed, gates: 0 })).toBeNull();
  expect(whyNotJudged({ ...passed, gates: 0, completed: false })).toBe(
    'the agent did not complete, and there are no gates',
  );
});

test('a judge that is always asked is', () => {
  expect(whyNotJudged({ always: true, gates: 1, notPassed: 1, completed: false })).toBeNull();
});
