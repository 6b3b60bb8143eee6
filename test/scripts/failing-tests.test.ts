import { expect, test } from 'vitest';
import { failingTests } from '../../scripts/flaky/failing-tests.js';

const aTest = (fullName: string, failed?: string) => ({
  fullName,
  status: failed === undefined ? 'passed' : 'failed',
  failureMessages: failed === undefined ? [] : [failed],
});
const aRun = (...tests: ReturnType<typeof aTest>[]) => {
  const status = tests.some((one) => one.status === 'failed') ? 'failed' : 'passed';
  return { testResults: [{ name: 'a.test.ts', status, message: '', assertionResults: tests }] };
};

test('a test that failed in some runs is listed with its first message, the one that failed most often first', () => {
  expect(
    failingTests([
      aRun(aTest('good'), aTest('rare'), aTest('often', 'first')),
      aRun(aTest('good'), aTest('rare', 'late'), aTest('often', 'second')),
      aRun(aTest('good'), aTest('rare'), aTest('often')),
    ]),
  ).toEqual([
    { test: 'a.test.ts > often', passed: 1, failed: 2, message: 'first' },
    { test: 'a.test.ts > rare', passed: 2, failed: 1, message: 'late' },
  ]);
});

test('a file that cannot be loaded in one run is listed', () => {
  const broken = { name: 'a.test.ts', status: 'failed', message: 'no server', assertionResults: [] };
  expect(failingTests([aRun(aTest('good')), { testResults: [broken] }])).toEqual([
    { test: 'a.test.ts', passed: 1, failed: 1, message: 'no server' },
  ]);
});
