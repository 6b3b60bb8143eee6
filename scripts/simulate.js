// Simulates sweeps with known pass rates and shows how often the statistics of `src/statistics` are right
// (specs/explanation/statistics.md): `npm run simulate`, or a part of it: `npm run simulate -- sequential`.
// `--simulations 3000` for each situation, `--seed 1`, and `--processes 2` to use two cores. Exits with 1 if a figure
// falls short. Without a name, `scheduled` is left out, which takes a second for each simulation, and `paid`, a table.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { importBundled } from './import-bundled.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    simulations: { type: 'string', default: '3000' },
    seed: { type: 'string', default: '1' },
    processes: { type: 'string', default: '1' },
    // Only every so many criteria, for one of several processes: `1/2`.
    share: { type: 'string' },
  },
});
const { PARTS, criteriaOf, example, measure, paid } = await importBundled(
  fileURLToPath(new URL('./simulate/all.js', import.meta.url)),
);
const parts =
  positionals.length === 0
    ? PARTS.filter((/** @type {string} */ part) => part !== 'scheduled' && part !== 'paid')
    : positionals;
const simulations = Number(values.simulations);
const processes = Number(values.processes);
const unknown = parts.filter((/** @type {string} */ name) => !PARTS.includes(name));
if (unknown.length > 0) fail(`no part ${unknown.join(', ')}; there are ${PARTS.join(', ')}`);
if (![simulations, processes].every((number) => Number.isInteger(number) && number >= 1))
  fail('--simulations and --processes need a whole number of 1 or more');
const criteria = criteriaOf(parts);

if (values.share !== undefined) {
  const [part = 0, of = 1] = values.share.split('/').map(Number);
  for (const [at, criterion] of criteria.entries())
    if (at % of === part) print(criterion, await measure(criterion, { seed: values.seed, simulations }));
} else if (processes === 1) {
  for (const criterion of criteria) print(criterion, await measure(criterion, { seed: values.seed, simulations }));
} else {
  const children = Array.from({ length: processes }, (_, part) =>
    spawn(
      process.execPath,
      [fileURLToPath(import.meta.url), ...parts, '--share', `${part}/${processes}`].concat(
        '--simulations',
        values.simulations,
        '--seed',
        values.seed,
      ),
      { stdio: ['ignore', 'pipe', 'inherit'] },
    ),
  );
  await Promise.all(
    children.map(async (child) => {
      const exit = once(child, 'exit');
      for await (const line of createInterface({ input: child.stdout })) console.log(line);
      const [status] = await exit;
      if (status !== 0) process.exitCode = 1;
    }),
  );
}

if (parts.includes('example') && values.share === undefined) for (const line of example(values.seed)) console.log(line);
if (parts.includes('paid') && values.share === undefined)
  for (const line of paid({ seed: values.seed, simulations })) console.log(line);

/**
 * @param {import('./simulate/criterion.js').Criterion} criterion
 * @param {Awaited<ReturnType<typeof import('./simulate/measure.js').measure>>} measured
 */
function print({ what, bar }, { value, error, label, holds }) {
  if (!holds) process.exitCode = 1;
  const [word, limit] = 'atMost' in bar ? ['at most ', bar.atMost] : ['at least', bar.atLeast];
  const digits = limit > 1 ? 1 : 3;
  const figure = `${value.toFixed(digits).padStart(6)} ± ${error.toFixed(digits + 1)}`;
  const kind = bar.isReached ? 'reached ' : 'required';
  console.log(
    `${holds ? 'ok   ' : 'SHORT'} ${what.padEnd(70)} ${figure}  ${word} ${limit.toFixed(digits)} ${kind}  ${label}`,
  );
}

/** @param {string} message @returns {never} */
function fail(message) {
  console.error(message);
  process.exit(2);
}
