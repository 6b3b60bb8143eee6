// Files that llm-tool-test stores, damaged as by a full disk, a crash or a person.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { readPlan } from '../../src/activities/run/load-plan.ts';
import { sweepEnvFile, readSweepEnv } from '../../src/host/security/sweep-env.ts';
import { planFile, resultsLog } from '../../src/store/results-folder.ts';
import { parseResult, readResults } from '../../src/store/results-log.ts';
import { createResultsReader } from '../../src/store/results-reader.ts';
import { SWEEP_ENV, PLAN, RESULT } from './corpus.js';
import { expect, same } from './expect.js';
import { mutated, mutatedJson } from './mutate.js';

const folder = mkdtempSync(join(tmpdir(), 'llm-tool-test-fuzz-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
let files = 0;

const WORDS = ['id', 'metrics', 'details', 'outcome', 'pass', '__proto__', 'x'];
const textOf = (value) => (random) => {
  let changed = value;
  for (let count = random.pick([0, 1, 1, 2]); count > 0; count--) changed = mutatedJson(random, changed, WORDS);
  const text = JSON.stringify(changed);
  return random.chance(0.3) ? mutated(random, [text]) : text;
};
const lineOf = textOf(RESULT);

function checkResult(text) {
  const parsed = parseResult(text);
  if (typeof parsed === 'string') return expect(parsed.trim() !== '', 'refused without a reason');
  same(parseResult(JSON.stringify(parsed)), parsed, 'what was accepted changes when it is stored');
}

/** Checks that reading a growing log in parts gives the same results as reading it at once. */
function checkLog({ text, cuts }) {
  const file = resultsLog(join(folder, String(++files)));
  mkdirSync(dirname(file));
  const reader = createResultsReader(file);
  const found = [];
  for (const cut of [...cuts.sort((a, b) => a - b), text.length]) {
    writeFileSync(file, `${text.slice(0, cut)}${cut === text.length ? '\n' : ''}`);
    found.push(...reader.read().map(({ line }) => line));
  }
  same(found, readResults(file).results, 'read on, it is not what it is read at once');
  rmSync(dirname(file), { recursive: true });
}

async function checkPlan(text) {
  const sweep = String(++files);
  const file = planFile(folder, sweep);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  try {
    const { plan } = await readPlan(folder, sweep);
    expect(Array.isArray(plan.cells), 'a plan without cells');
  } catch (error) {
    expect(error.type === 'StoreBroken' && error.message.includes(file), 'an error of another kind', String(error));
  }
  rmSync(dirname(file), { recursive: true });
}

async function checkSweepEnv(text) {
  const sweep = String(++files);
  mkdirSync(join(folder, 'env'), { recursive: true });
  writeFileSync(sweepEnvFile(folder, sweep), text);
  try {
    const { base, values } = await readSweepEnv(folder, sweep);
    for (const value of [...Object.values(base), ...Object.values(values)])
      expect(typeof value === 'string', 'no text');
  } catch (error) {
    expect(error.message.includes(`${sweep}.json`), 'an error that does not name the file', String(error));
    // The message is stored in Temporal's history.
    expect(!/handed|over-val/.test(error.message), 'an error that quotes a secret', error.message);
  }
  rmSync(sweepEnvFile(folder, sweep));
}

export const targets = [
  { name: 'result-line', make: lineOf, check: checkResult },
  {
    name: 'results-log',
    share: 0.02,
    make: (random) => {
      const text = random.times(4, () => lineOf(random)).join(random.pick(['\n', '\n', '\n\n', '\r\n']));
      // Only whole characters, as the program writes them: half of one would be read back as another character.
      return { text: text.toWellFormed(), cuts: random.times(3, () => random.below(text.length + 1)) };
    },
    check: checkLog,
  },
  { name: 'plan', share: 0.1, make: textOf(PLAN), check: checkPlan },
  { name: 'sweep-env', share: 0.1, make: textOf(SWEEP_ENV), check: checkSweepEnv },
];
