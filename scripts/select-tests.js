// Prints which of the tests that are not fast `.ci/run` runs: one seventh of them, by the date, and those that the
// changes since a commit can affect, while there is time: `node scripts/select-tests.js --base main --seconds 600`.
// Says on stderr what is left out. `test/suites.ts` names the tests, and `test/durations.json` has their durations
// (`.ci/durations`).
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { importBundled } from './import-bundled.js';
import { chooseTests } from './select-tests/choose-tests.js';
import { readImports } from './select-tests/read-imports.js';
import { slowTests } from './select-tests/slow-tests.js';
import { tableProblems } from './select-tests/table-problems.js';

const { values: options } = parseArgs({
  options: {
    base: { type: 'string', default: 'HEAD' },
    seconds: { type: 'string', default: '600' },
    day: { type: 'string', default: String(Math.floor(Date.now() / 86_400_000)) },
  },
});
/** The assumed duration of a test that no run has measured. */
const UNKNOWN_SECS = 30;

const root = fileURLToPath(new URL('..', import.meta.url));
/** @type {typeof import('../test/suites.ts')} */
const { AREAS, COVERED_BY_ALL, WORKERS } = await importBundled(`${root}test/suites.ts`);
/** @type {Record<string, number>} */
const durations = JSON.parse(readFileSync(`${root}test/durations.json`, 'utf8'));

/** The paths that a command of git prints. @param {string[]} args */
const paths = (...args) =>
  execFileSync('git', args, { cwd: root, encoding: 'utf8' })
    .split('\n')
    .filter((path) => path !== '');
const changed = [...paths('diff', '--name-only', options.base), ...paths('ls-files', '--others', '--exclude-standard')];

const modules = paths('ls-files', '--cached', '--others', '--exclude-standard', 'src', 'test', 'scripts').filter(
  (path) => /\.(ts|tsx|js)$/.test(path) && existsSync(`${root}${path}`),
);

const tests = (await slowTests(root)).map(({ file, suite }) => ({
  file,
  seconds: (durations[file] ?? UNKNOWN_SECS) / WORKERS[suite],
  covers: AREAS.filter((area) => area.tests.some((begin) => file.startsWith(begin))).flatMap(({ covers }) => covers),
}));

const problems = tableProblems(
  AREAS,
  tests.map(({ file }) => file),
  (path) => existsSync(`${root}${path}`),
);
for (const problem of problems) console.error(`test/suites.ts: ${problem}`);
if (problems.length > 0) process.exit(1);

const chosen = chooseTests({
  tests,
  changed,
  coveredByAll: COVERED_BY_ALL,
  imports: readImports(root, modules),
  day: Number(options.day),
  seconds: Number(options.seconds),
});
/** @param {readonly string[]} files */
const secondsOf = (files) =>
  Math.round(tests.reduce((sum, test) => sum + (files.includes(test.file) ? test.seconds : 0), 0));
/** @param {string} title @param {readonly string[]} files */
const note = (title, files) => console.error(`${title}: ${files.length} files, about ${secondsOf(files)} s`);
note('tests of the day', chosen.share);
note(`tests that changes since ${options.base} can affect`, chosen.affected);
note('NOT RUN, as there is no time for them, although the changes can affect them', chosen.left);
for (const file of chosen.left) console.error(`  ${file}`);
note('NOT RUN, as the changes cannot affect them', chosen.unaffected);
for (const file of [...chosen.share, ...chosen.affected]) console.log(file);
