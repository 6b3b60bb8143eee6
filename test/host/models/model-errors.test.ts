import { describe, expect, test } from 'vitest';
import { explainModelError, retryAfter } from '../../../src/host/models/model-errors.js';

const NOW = Date.UTC(2026, 0, 2, 3, 4, 5);
const error = (statusCode?: number, more: object = {}) =>
  explainModelError(Object.assign(new Error('it says no'), { statusCode, ...more }), NOW);

describe('the answer of a server', () => {
  test.each([
    [401, 'refused', /HTTP 401: it says no; check the key/],
    [403, 'refused', /check the key/],
    [402, 'refused', /out of credit/],
    [404, 'refused', /check the name of the model and the address/],
    [400, 'refused', /does not accept the request/],
    [422, 'refused', /does not accept the request/],
    [429, 'rate_limited', /^HTTP 429: it says no$/],
    [408, 'unavailable', /HTTP 408/],
    [500, 'unavailable', /HTTP 500/],
    [529, 'unavailable', /HTTP 529/],
    [200, 'unavailable', /HTTP 200/],
    [undefined, 'unavailable', /^it says no$/],
  ])('with status %s is %s, with advice if there is any', (status, kind, says) => {
    const failed = error(status);
    expect(failed.kind).toBe(kind);
    expect(failed.message).toMatch(says);
  });

  test('is refused, not rate_limited, if a quota is used up', () => {
    expect(error(429, { responseBody: '{"error":{"code":"insufficient_quota"}}' }).kind).toBe('refused');
  });

  test('is shortened if it is long, keeping the advice', () => {
    const { message } = explainModelError(Object.assign(new Error('x'.repeat(5000)), { statusCode: 401 }));
    expect(message).toMatch(/x…; check the key/);
    expect(message.length).toBeLessThan(300);
  });
});

describe('Retry-After', () => {
  test.each<[string, Record<string, string> | undefined, number | null]>([
    ['seconds', { 'retry-after': '7' }, 7000],
    ['fractions of seconds', { 'retry-after': '0.5' }, 500],
    ['a date', { 'retry-after': 'Fri, 02 Jan 2026 03:04:35 GMT' }, 30_000],
    ['a date in the past', { 'retry-after': 'Fri, 02 Jan 2026 03:04:00 GMT' }, 0],
    ['milliseconds in a separate header', { 'retry-after-ms': '250', 'retry-after': '9' }, 250],
    ['nothing', {}, null],
    ['no headers', undefined, null],
    ['a negative number', { 'retry-after': '-3' }, null],
    ['words', { 'retry-after': 'soon' }, null],
    ['blanks', { 'retry-after': ' ' }, null],
  ])('is read from %s', (_what, headers, ms) => {
    expect(retryAfter(headers, NOW)).toBe(ms);
  });
});
