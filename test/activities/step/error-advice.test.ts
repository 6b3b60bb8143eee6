import { expect, test } from 'vitest';
import { withAdvice } from '../../../src/activities/step/error-advice.js';
import { SymlinkInTheWay } from '../../../src/environments/own-files.js';
import { StoreAway, UsageError } from '../../../src/lib/errors/usage-error.js';
import { addPathToFullDiskError } from '../../../src/lib/errors/system-failure.js';

const messageOf = (error: Error): Promise<unknown> =>
  withAdvice(() => Promise.reject(error)).catch((thrown: unknown) => thrown);

test('advises what to do about missing memory, no matter where the error comes from', async () => {
  const expected = { type: 'ENOMEM', message: expect.stringContaining('lower --concurrency') as string };
  expect(await messageOf(Object.assign(new Error('read'), { code: 'ENOMEM', syscall: 'read' }))).toMatchObject(
    expected,
  );
  // From V8 and from Node.
  expect(await messageOf(new RangeError('Array buffer allocation failed'))).toMatchObject(expected);
  const code = 'ERR_MEMORY_ALLOCATION_FAILED';
  expect(await messageOf(Object.assign(new Error('Failed to allocate memory'), { code }))).toMatchObject(expected);
});

test('does not retry a step in whose way the agent has left a symlink', async () => {
  expect(await messageOf(new SymlinkInTheWay('a symlink'))).toMatchObject({
    type: 'SymlinkInTheWay',
    nonRetryable: true,
    message: 'a symlink',
  });
});

test.each([
  new StoreAway('cannot reach s3://tests/team: ECONNREFUSED'),
  new UsageError('results_unwritable', 'cannot use s3://tests/team: the credentials have expired'),
])('waits for shared results that cannot be used for now: $message', async (error) => {
  expect(await messageOf(error)).toMatchObject({
    type: 'StoreUnavailable',
    nonRetryable: false,
    message: `${error.message}; the step is retried`,
  });
});

test('does not change an error of another kind', async () => {
  const error = new RangeError('no gate 7');
  expect(await messageOf(error)).toBe(error);
});

test('names the written file when the disk is full, even if the error names none or the source of a copy', async () => {
  const full = (places: object): Error => Object.assign(new Error('full'), { code: 'ENOSPC', ...places });
  for (const [error, place] of [
    [full({ syscall: 'copyfile', path: '/from', dest: '/to' }), '/to'],
    [addPathToFullDiskError(full({ syscall: 'write' }), '/log') as Error, '/log'],
  ] as const)
    expect(await messageOf(error)).toMatchObject({
      type: 'DiskUnavailable',
      message: `${place}: the disk is full: free some space; the step is retried`,
    });
});
