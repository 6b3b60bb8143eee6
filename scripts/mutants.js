// Changes the code of pure rooms in small ways, one at a time, and tells which changes no test notices: `npm run
// test:mutants`. `--mutants 150` of a sample that is the same for the same `--seed 1`; `--numbers 3,17` tests only
// these of the sample. `--statistics` tests the mistakes in `mutants/of-statistics.js` instead, all of which must be
// noticed. Prints a table, and writes it to `--out coverage/mutants.md`. Exits with 1 if less than `--at-least 88` per
// cent are noticed. A mutant that changes nothing that could be noticed counts as a survivor. Tests that run `dist/`
// are left out.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { applied } from './mutants/mutants-of.js';
import { mutantsOfStatistics } from './mutants/of-statistics.js';
import { sample } from './mutants/sample.js';
import { table } from './mutants/table.js';
import { testMutants } from './mutants/test-mutants.js';
import { typeErrors } from './mutants/type-errors.js';

const ROOMS = [
  ...['lib', 'statistics', 'model', 'decide', 'agent-scripts', 'gates', 'mocks', 'scenario'],
  ...['reports', 'workflows/scheduler'],
];

const { values } = parseArgs({
  options: {
    mutants: { type: 'string', default: '150' },
    seed: { type: 'string', default: '1' },
    numbers: { type: 'string' },
    statistics: { type: 'boolean', default: false },
    out: { type: 'string', default: 'coverage/mutants.md' },
    'at-least': { type: 'string', default: '88' },
  },
});
process.chdir(dirname(import.meta.dirname));
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => process.exit(130));

const drawn = values.statistics ? mutantsOfStatistics() : drawSample();
const numbers = values.numbers?.split(',').map(Number);
const chosen = drawn.filter(({ number }) => numbers === undefined || numbers.includes(number));

const tested = await testMutants(chosen, {
  isNear: (file) =>
    (values.statistics ? ['statistics', 'model', 'decide'] : ROOMS).some((room) =>
      relative('test', file).startsWith(`${room.split('/')[0]}/`),
    ),
  log: (line) => console.error(line),
});
const atLeast = values.statistics ? 100 : Number(values['at-least']);
const report = table(tested);
console.log(report);
mkdirSync(dirname(values.out), { recursive: true });
writeFileSync(values.out, report);
const noticed = tested.filter(({ outcome }) => 'by' in outcome).length;
process.exit(noticed * 100 >= atLeast * tested.length ? 0 : 1);

function drawSample() {
  const sources = ROOMS.flatMap((room) =>
    readdirSync(`src/${room}`, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .sort()
      .map((name) => ({
        path: `src/${room}/${name}`,
        source: readFileSync(`src/${room}/${name}`, 'utf8'),
      })),
  );
  const sourceOf = new Map(sources.map(({ path, source }) => [path, source]));
  const findTypeErrors = typeErrors('tsconfig.json');
  return sample(sources, {
    mutants: Number(values.mutants),
    seed: values.seed,
    findTypeErrors: (some) =>
      findTypeErrors(new Map(some.map(({ path, mutant }) => [path, applied(sourceOf.get(path) ?? '', mutant)]))),
  }).map((one, at) => ({ ...one, number: at + 1, source: sourceOf.get(one.path) ?? '' }));
}
