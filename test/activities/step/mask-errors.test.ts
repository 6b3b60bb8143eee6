import { expect, it } from 'vitest';
import { maskErrors } from '../../../src/activities/step/run-step-once.js';

const SECRET = 'pa"ss/word-of-mine';
const thrownBy = (error: unknown): Promise<unknown> =>
  maskErrors({ secrets: [SECRET] }, () => Promise.reject(error as Error)).catch((thrown: unknown) => thrown);

it('keeps an error with a read-only message, such as that of a timeout', async () => {
  const timeout = new DOMException(`still there: ${SECRET}`, 'TimeoutError');
  const thrown = await thrownBy(timeout);
  expect(thrown).toBe(timeout);
  expect(thrown).toMatchObject({ name: 'TimeoutError', message: 'still there: [REDACTED]' });
  const other = AbortSignal.abort().reason as Error;
  expect(await thrownBy(other)).toBe(other);
});

it('masks messages, paths and causes, in all encodings', async () => {
  const error = Object.assign(new Error(`open ${SECRET}`, { cause: new Error(`then ${encodeURIComponent(SECRET)}`) }), {
    path: `/tmp/${SECRET}`,
  });
  const thrown = (await thrownBy(error)) as Error & { path: string; cause: Error };
  expect(thrown).toMatchObject({ message: 'open [REDACTED]', path: '/tmp/[REDACTED]' });
  expect(thrown.cause.message).toBe('then [REDACTED]');
  expect(`${thrown.stack}${thrown.cause.stack}`).not.toContain('word-of-mine');
});

it('accepts values that are not errors, frozen errors, and errors that cause each other', async () => {
  expect(await thrownBy(`text ${SECRET}`)).toBe('text [REDACTED]');
  expect(await thrownBy(null)).toBeNull();
  const frozen = await thrownBy(Object.freeze(new Error(`frozen ${SECRET}`)));
  expect(frozen).toMatchObject({ message: 'frozen [REDACTED]' });
  const [one, other] = [new Error(`one ${SECRET}`), new Error(`other ${SECRET}`)];
  one.cause = other;
  other.cause = one;
  expect(await thrownBy(one)).toMatchObject({ message: 'one [REDACTED]' });
});
