import { expect, test } from 'vitest';
import { explained } from '../../src/activities/step/explain.js';

const messageOf = (error: Error): Promise<unknown> =>
  explained(() => Promise.reject(error)).catch((thrown: unknown) => thrown);

test('memory that cannot be had is said with what to do, whoever noticed it', async () => {
  const told = { type: 'ENOMEM', message: expect.stringContaining('lower --concurrency') as string };
  expect(
    await messageOf(Object.assign(new Error('read'), { code: 'ENOMEM', syscall: 'read' })),
  ).toMatchObject(told);
  // From V8 and from Node.
  expect(await messageOf(new RangeError('Array buffer allocation failed'))).toMatchObject(told);
  const code = 'ERR_MEMORY_ALLOCATION_FAILED';
  expect(await messageOf(Object.assign(new Error('Failed to allocate memory'), { code }))).toMatchObject(
    told,
  );
});

test('an error of another kind stays as it is', async () => {
  const error = new RangeError('no gate 7');
  expect(await messageOf(error)).toBe(error);
});
