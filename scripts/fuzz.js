// Feeds every loader and parser with mutations of real inputs: `npm run fuzz -- --runs 1000000 --seed 7`. A defect is a
// check that throws, takes too long, or finds its property violated. `--target NAME --input N` with the same seed
// repeats one input.
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createRandom, seedOf } from './fuzz/random.js';
import { importBundled } from './import-bundled.js';

/** Far more than any input takes on a busy machine, and far less than code with exponential run time takes. */
const SLOW_MS = 5000;
const SHOWN = 3;

const { values: options } = parseArgs({
  options: {
    runs: { type: 'string', default: '20000' },
    seed: { type: 'string', default: '1' },
    target: { type: 'string' },
    input: { type: 'string' },
  },
});
const { targets } = await importBundled(fileURLToPath(new URL('./fuzz/targets.js', import.meta.url)));
const chosen = targets.filter(({ name }) => options.target === undefined || name === options.target);
if (chosen.length === 0) throw new Error(`no target ${options.target}; there are ${targets.map(({ name }) => name)}`);

const inputOf = (target, index) => target.make(createRandom(seedOf(options.seed, target.name, index)));

/** Returns how long the check of an input took, and the defect, or null. */
async function examine(target, input) {
  const start = performance.now();
  try {
    await target.check(input);
  } catch (error) {
    return { ms: performance.now() - start, wrong: error };
  }
  const ms = performance.now() - start;
  return { ms, wrong: ms > SLOW_MS ? new Error(`took ${Math.round(ms)} ms`) : null };
}

if (options.input !== undefined) {
  const input = inputOf(chosen[0], Number(options.input));
  console.log(JSON.stringify(input, null, 2));
  const { ms, wrong } = await examine(chosen[0], input);
  console.log(wrong ?? `fine, ${ms.toFixed(1)} ms`);
  process.exit(wrong === null ? 0 : 1);
}

const shares = chosen.reduce((sum, { share = 1 }) => sum + share, 0);
let defects = 0;
for (const target of chosen) {
  const count = Math.ceil((Number(options.runs) * (target.share ?? 1)) / shares);
  const begin = performance.now();
  const slowest = { ms: 0, index: 0 };
  let bad = 0;
  for (let index = 0; index < count; index++) {
    const { ms, wrong } = await examine(target, inputOf(target, index));
    if (ms > slowest.ms) Object.assign(slowest, { ms, index });
    if (wrong !== null && ++bad <= SHOWN) {
      console.log(`${target.name} --input ${index}: ${String(wrong.stack ?? wrong).slice(0, 1500)}`);
    }
  }
  defects += bad;
  const secs = (performance.now() - begin) / 1000;
  console.log(
    `${target.name.padEnd(17)} ${String(count).padStart(8)} inputs ${secs.toFixed(1).padStart(7)} s` +
      `   slowest ${slowest.ms.toFixed(1)} ms (--input ${slowest.index})   ${bad} defects`,
  );
}
process.exit(defects === 0 ? 0 : 1);
