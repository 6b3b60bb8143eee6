/**
 * Returns what is wrong with the table of `test/suites.ts`: tests that no area names, and areas and paths that name
 * nothing.
 *
 * @param {readonly {tests: readonly string[], covers: readonly string[]}[]} areas
 * @param {readonly string[]} tests paths of the tests that are not fast
 * @param {(path: string) => boolean} exists whether a file or folder is there
 */
export const tableProblems = (areas, tests, exists) => [
  ...tests
    .filter((file) => !areas.some((area) => area.tests.some((begin) => file.startsWith(begin))))
    .map((file) => `${file} is in no area, so that no change would select it`),
  ...areas
    .flatMap((area) => area.tests)
    .filter((begin) => !tests.some((file) => file.startsWith(begin)))
    .map((begin) => `no test that is not fast begins with ${begin}`),
  ...areas
    .flatMap(({ covers }) => covers)
    .filter((path) => !exists(path))
    .map((path) => `${path} does not exist`),
];
