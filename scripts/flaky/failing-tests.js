/**
 * @typedef {object} Report what is used of Vitest's JSON report of a run
 * @property {{name: string, status: string, message: string, assertionResults:
 *   {fullName: string, status: string, failureMessages: string[] | null}[]}[]} testResults
 */

/**
 * Returns the tests that failed in at least one run, and how often they passed, most often failed first. A file that
 * could not be loaded, or whose hooks failed, counts as a test.
 *
 * @param {readonly Report[]} reports one for each run
 * @returns {{test: string, passed: number, failed: number, message: string}[]} `message`: of the first failure
 */
export function failingTests(reports) {
  /** @type {Map<string, {test: string, passed: number, failed: number, message: string}>} */
  const found = new Map();
  /** @param {string} test @param {string} status @param {string} message */
  const count = (test, status, message) => {
    const known = found.get(test) ?? { test, passed: 0, failed: 0, message: '' };
    if (status === 'passed') known.passed += 1;
    if (status === 'failed') known.failed += 1;
    if (status === 'failed' && known.message === '') known.message = message;
    found.set(test, known);
  };
  for (const { name, status, message, assertionResults } of reports.flatMap(({ testResults }) => testResults)) {
    const hasFailed = assertionResults.some((test) => test.status === 'failed');
    count(name, status === 'failed' && !hasFailed ? 'failed' : 'passed', message);
    for (const test of assertionResults)
      count(`${name} > ${test.fullName}`, test.status, (test.failureMessages ?? []).join('\n'));
  }
  return [...found.values()].filter(({ failed }) => failed > 0).sort((a, b) => b.failed - a.failed);
}
