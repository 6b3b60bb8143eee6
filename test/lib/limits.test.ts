import { expect, test } from 'vitest';
import { changedRunLimits, LIMITS, limitsOf, runLimitsIn } from '../../src/lib/limits.js';

const given = (limits: unknown) => limitsOf({ LLM_TOOL_TEST_LIMITS: JSON.stringify(limits) });

test('limits are those of users unless a test names others', () => {
  expect(limitsOf({})).toEqual(LIMITS);
  expect(limitsOf({ LLM_TOOL_TEST_LIMITS: '' })).toEqual(LIMITS);
  expect(given({ watchMs: 500 })).toEqual({ ...LIMITS, watchMs: 500 });
});

test('a limit that does not exist, or is no positive number, is an error', () => {
  for (const wrong of [{ wachtMs: 500 }, { watchMs: '500' }, { watchMs: 0 }, { watchMs: null }])
    expect(() => given(wrong)).toThrow(/^LLM_TOOL_TEST_LIMITS: w\w+: /);
});

test('the input of a workflow names only the limits of runs that a test has changed', () => {
  expect(changedRunLimits(LIMITS)).toEqual({});
  expect(changedRunLimits(given({ watchMs: 500 }))).toEqual({});
  const changed = changedRunLimits(given({ watchMs: 500, heartbeatMs: 4000 }));
  expect(changed).toEqual({ limits: { heartbeatMs: 4000 } });
  expect(runLimitsIn(changed)).toEqual({ ...runLimitsIn({}), heartbeatMs: 4000 });
  expect(runLimitsIn({})).toMatchObject({ heartbeatMs: LIMITS.heartbeatMs });
});
