import { relative } from 'node:path';
import { applied } from './mutants-of.js';
import { withProbes } from './probes.js';
import { startSession } from './session.js';

/**
 * @typedef {import('./session.js').Session} Session
 * @typedef {import('./session.js').FileResult} FileResult
 * @typedef {import('./table.js').Tested} Tested
 * @typedef {Omit<Tested, 'outcome'>} Drawn
 */

/** The limit of all tests that reach a mutant, by what they took without it: a machine may be busy. */
const LIMIT = { leastMs: 90_000, times: 10 };
const REACH_MS = 7_200_000;

/**
 * Runs the tests that reach each mutant, until one fails: at first those of the pure rooms, then the others for what
 * survives.
 * @param {readonly Drawn[]} drawn
 * @param {{ isNear: (file: string) => boolean, log: (line: string) => void }} options
 * @returns {Promise<Tested[]>}
 */
export async function testMutants(drawn, { isNear, log }) {
  /** @type {Map<number, Tested['outcome']>} */
  const outcomes = new Map();
  for (const near of [true, false]) {
    const left = drawn.filter(({ number }) => !('by' in (outcomes.get(number) ?? {})));
    if (left.length === 0) break;
    const tests = await reachingTests(left, (file) => isNear(file) === near, log);
    let session = await startSession('mutants');
    for (const mutant of left) {
      const files = tests(mutant);
      const { outcome, isOver } = await testMutant(session, mutant, files);
      if (isOver) session = await startSession('mutants');
      if (files.length > 0 || near) outcomes.set(mutant.number, outcome);
      const text = 'by' in outcome ? outcome.by : 'survives';
      log(
        `${mutant.number} ${mutant.path}:${mutant.mutant.line} ${mutant.mutant.kind}: ${text} (${files.length} files)`,
      );
    }
    session.end();
  }
  return drawn.map((one) => ({ ...one, outcome: outcomes.get(one.number) ?? { survived: 'unreached' } }));
}

/**
 * Runs all tests once, with probes in place of the mutants. Returns a function that tells which files reach a mutant,
 * those first that are likely to notice it soon. Files that fail without any mutant are left out.
 * @param {readonly Drawn[]} drawn
 * @param {(file: string) => boolean} isWanted
 * @param {(line: string) => void} log
 * @returns {Promise<(mutant: Drawn) => FileResult[]>}
 */
async function reachingTests(drawn, isWanted, log) {
  /** @type {Record<string, string>} */
  const sources = {};
  for (const { path, source } of drawn)
    sources[path] ??= withProbes(
      source,
      drawn.filter((one) => one.path === path).map(({ number, mutant }) => ({ id: number, mutant })),
    );
  const session = await startSession('reach');
  const results = await session.run({ sources, files: session.files.filter(isWanted) }, REACH_MS);
  session.end();
  if (results === null) throw new Error('the tests do not end although nothing is changed');
  for (const { file, why } of results.filter(({ hasFailed }) => hasFailed))
    log(`${relative('', file)} fails without mutants, and is left out: ${why}`);
  return ({ path, number }) => {
    const mirror = path.replace(/^src/, 'test').replace(/\.ts$/, '.test.ts');
    return results
      .filter(({ hasFailed, reached }) => !hasFailed && reached.includes(number))
      .sort((a, b) => Number(isMirror(b)) - Number(isMirror(a)) || a.ms - b.ms);
    /** @param {FileResult} result */
    function isMirror({ file }) {
      return relative('', file) === mirror;
    }
  };
}

/**
 * @param {Session} session
 * @param {Drawn} drawn
 * @param {readonly FileResult[]} files
 * @returns {Promise<{ outcome: Tested['outcome'], isOver: boolean }>} `isOver`: the session has ended
 */
async function testMutant(session, { path, source, mutant }, files) {
  if (files.length === 0) return { outcome: { survived: 'unreached' }, isOver: false };
  const limit = Math.max(LIMIT.leastMs, LIMIT.times * files.reduce((sum, { ms }) => sum + ms, 0));
  const request = { sources: { [path]: applied(source, mutant) }, files: files.map(({ file }) => file) };
  const results = await session.run(request, limit);
  if (results === null) return { outcome: { by: 'the time limit' }, isOver: true };
  const failed = results.find(({ hasFailed }) => hasFailed);
  if (failed === undefined) return { outcome: { survived: 'reached' }, isOver: false };
  return { outcome: { by: `${relative('', failed.file)}: ${failed.why}` }, isOver: false };
}
