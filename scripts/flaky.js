// Repeats tests under load, and prints those that fail now and then: `npm run test:flaky -- --runs 20 [FILE ...]`.
// Without files: those of `test/chaos`, `test/long` and `test/commands`, and the 40 slowest others. Exits with 1 if a
// test failed. `--load 4` sets the number of busy loops (default: two for each core). The report of each run is kept in
// the folder `--into`, so that runs which were interrupted can be continued; `--minutes 30` starts no further run after
// that time.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { failingTests } from './flaky/failing-tests.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    runs: { type: 'string', default: '20' },
    load: { type: 'string', default: String(2 * availableParallelism()) },
    into: { type: 'string', default: join(tmpdir(), `llm-tool-test-flaky-${process.pid}`) },
    minutes: { type: 'string', default: '600' },
  },
});
const SLOWEST = 40;
const root = fileURLToPath(new URL('..', import.meta.url));

/** Paths of the slowest test files, or the beginnings of paths. */
function defaultFiles() {
  const folders = ['test/chaos/', 'test/long/', 'test/commands/'];
  /** @type {Record<string, number>} */
  const durations = JSON.parse(readFileSync(`${root}test/durations.json`, 'utf8'));
  const slowest = Object.keys(durations)
    .filter((file) => !folders.some((folder) => file.startsWith(folder)))
    .sort((a, b) => (durations[b] ?? 0) - (durations[a] ?? 0));
  return [...folders, ...slowest.slice(0, SLOWEST)];
}

/** Runs the tests once beside busy loops, which end with them or after an hour. @param {string} report */
async function runOnce(report) {
  const loop = 'const end = Date.now() + 3_600_000; while (Date.now() < end);';
  const loops = Array.from({ length: Number(values.load) }, () =>
    spawn(process.execPath, ['--eval', loop], { stdio: 'ignore' }),
  );
  process.once('exit', () => loops.forEach((one) => one.kill('SIGKILL')));
  const tests = spawn(
    process.execPath,
    [
      'node_modules/vitest/vitest.mjs',
      'run',
      '--reporter=default',
      '--reporter=json',
      `--outputFile=${report}.new`,
      ...files,
    ],
    {
      cwd: root,
      env: { ...process.env, PROPERTY_SEED: String(Date.now() % 2 ** 31) },
      stdio: ['ignore', 'inherit', 'inherit'],
    },
  );
  await once(tests, 'exit');
  loops.forEach((one) => one.kill('SIGKILL'));
  renameSync(`${report}.new`, report);
}

const files = positionals.length > 0 ? positionals : defaultFiles();
const reports = Array.from({ length: Number(values.runs) }, (_, run) => join(values.into, `run-${run + 1}.json`));
const end = Date.now() + Number(values.minutes) * 60_000;
mkdirSync(values.into, { recursive: true });
for (const report of reports) if (!existsSync(report) && Date.now() < end) await runOnce(report);

const done = reports.filter((report) => existsSync(report));
const failing = failingTests(done.map((report) => JSON.parse(readFileSync(report, 'utf8'))));
const cell = (/** @type {string} */ text) => text.split('\n')[0]?.replaceAll('|', '\\|') ?? '';
const table = [
  `| test | passed | failed | first message |`,
  `| --- | --- | --- | --- |`,
  ...failing.map(
    ({ test, passed, failed, message }) =>
      `| ${cell(test.replace(root, ''))} | ${passed} | ${failed} | ${cell(message)} |`,
  ),
].join('\n');
writeFileSync(join(values.into, 'table.md'), `${table}\n`);
if (failing.length > 0) console.log(`\n${table}\n`);
console.log(`${done.length} runs with ${values.load} busy loops; ${failing.length} tests failed (${values.into})`);
process.exit(failing.length > 0 || done.length < reports.length ? 1 : 0);
