/** Every test runs at least once in this many days. */
export const SHARES = 7;

/** The distance of what only a change of everything's settings affects. */
const FAR = 1000;

/**
 * @typedef {object} Test
 * @property {string} file
 * @property {number} seconds that it adds to the whole run
 * @property {readonly string[]} covers files and folders (with a slash at the end) that it depends on besides its
 *   imports
 */

/**
 * Chooses among the tests that are not fast: those of the day's share, then those that a change can affect, nearest
 * first, while there is time. A change is nearer, the fewer imports lie between it and the test's file or what the test
 * covers.
 *
 * @param {object} input
 * @param {readonly Test[]} input.tests
 * @param {readonly string[]} input.changed the paths of changed files
 * @param {readonly string[]} input.coveredByAll files whose change can affect every test
 * @param {ReadonlyMap<string, readonly string[]>} input.imports the modules that each module imports
 * @param {number} input.day the number of the day
 * @param {number} input.seconds the time that there is; the day's share runs even if it takes longer
 * @returns {{share: string[], affected: string[], left: string[], unaffected: string[]}} paths of tests. `left`: a
 *   change can affect them, but there is no time.
 */
export function chooseTests({ tests, changed, coveredByAll, imports, day, seconds }) {
  const today = day % SHARES;
  /** The days until it is a test's turn. @param {Test} test */
  const wait = ({ file }) => (shareOf(file) - today + SHARES) % SHARES;
  const share = tests.filter((test) => wait(test) === 0);
  const known = new Set(changed);
  const everything = coveredByAll.some((file) => known.has(file));
  const reached = tests
    .filter((test) => wait(test) !== 0)
    .map((test) => ({ test, distance: distanceOf(test, changed, imports) ?? (everything ? FAR : null) }));
  const candidates = reached
    .filter(({ distance }) => distance !== null)
    .sort((a, b) => (a.distance ?? 0) - (b.distance ?? 0) || wait(a.test) - wait(b.test));
  let spent = share.reduce((sum, test) => sum + test.seconds, 0);
  /** @type {string[]} */
  const affected = [];
  /** @type {string[]} */
  const left = [];
  for (const { test } of candidates) {
    const fits = spent + test.seconds <= seconds;
    if (fits) spent += test.seconds;
    (fits ? affected : left).push(test.file);
  }
  return {
    share: share.map(({ file }) => file),
    affected,
    left,
    unaffected: reached.filter(({ distance }) => distance === null).map(({ test }) => test.file),
  };
}

/**
 * The number of imports between a test and the nearest change; null if it depends on no changed file.
 * @param {Test} test
 * @param {readonly string[]} changed
 * @param {ReadonlyMap<string, readonly string[]>} imports
 */
function distanceOf({ file, covers }, changed, imports) {
  /** @param {string} path */
  const isRoot = (path) => path === file || covers.some((part) => path === part || isBelow(path, part));
  if (changed.some(isRoot)) return 0;
  const known = new Set(changed);
  const seen = new Set([...imports.keys()].filter(isRoot));
  for (let distance = 1, ring = [...seen]; ring.length > 0; distance += 1) {
    const next = ring
      .flatMap((module) => imports.get(module) ?? [])
      .filter((module) => !seen.has(module) && seen.add(module));
    if (next.some((module) => known.has(module))) return distance;
    ring = next;
  }
  return null;
}

/** @param {string} path @param {string} folder */
const isBelow = (path, folder) => folder.endsWith('/') && path.startsWith(folder);

/**
 * The share of a test, 0 to 6. It depends on nothing but its path, so that no test is left out when others come or go.
 * @param {string} file
 */
export const shareOf = (file) =>
  [...file].reduce((hash, character) => (hash * 31 + character.charCodeAt(0)) % 1_000_003, 7) % SHARES;
