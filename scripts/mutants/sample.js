import { createRandom, seedOf } from '../fuzz/random.js';
import { mutantsOf } from './mutants-of.js';

/**
 * @typedef {import('./mutants-of.js').Mutant} Mutant
 * @typedef {{ path: string, source: string }} Source
 * @typedef {{ path: string, mutant: Mutant }} Drawn
 */

/**
 * Draws mutants that have no type errors, the same for the same seed. The files are laid end to end, and cut into parts
 * of equal length: each part gives one mutant of a file in it. In a file each kind of mutant is as likely as any other.
 * @param {readonly Source[]} sources
 * @param {object} options
 * @param {number} options.mutants
 * @param {string} options.seed
 * @param {(drawn: readonly Drawn[]) => ReadonlySet<string>} options.findTypeErrors gets one mutant of each of some
 *   files, and returns the paths of those that have type errors
 * @returns {Drawn[]}
 */
export function sample(sources, { mutants: count, seed, findTypeErrors }) {
  const left = new Map(sources.map(({ path, source }) => [path, mutantsOf(source)]));
  const files = sources.filter(({ path }) => left.get(path)?.length !== 0);
  const length = files.reduce((sum, { source }) => sum + source.length, 0);
  let waiting = Array.from({ length: files.length === 0 ? 0 : count }, (_, part) => {
    const random = createRandom(seedOf(seed, 'mutants', part));
    const position = ((part + random.below(1000) / 1000) / count) * length;
    return { part, random, at: fileAt(files, position), passed: 0 };
  });
  /** @type {(Drawn | undefined)[]} */
  const drawn = [];
  // Types are checked of many files at once, which takes a tenth of the time.
  while (waiting.length > 0) {
    /** @type {Map<string, Drawn & { part: number }>} */
    const tried = new Map();
    for (const one of waiting) {
      const path = files[one.at]?.path ?? '';
      if (tried.has(path)) continue;
      const mutant = takeOne(left.get(path) ?? [], one.random);
      if (mutant !== null) tried.set(path, { path, mutant, part: one.part });
      else Object.assign(one, { at: (one.at + 1) % files.length, passed: one.passed + 1 });
    }
    const wrong = findTypeErrors([...tried.values()]);
    for (const { path, mutant, part } of tried.values()) if (!wrong.has(path)) drawn[part] = { path, mutant };
    waiting = waiting.filter(({ part, passed }) => drawn[part] === undefined && passed < files.length);
  }
  return drawn.filter((one) => one !== undefined);
}

/** @param {readonly Source[]} files @param {number} position */
function fileAt(files, position) {
  let end = 0;
  return files.findIndex(({ source }) => (end += source.length) > position);
}

/**
 * Takes a mutant out of the list.
 * @param {Mutant[]} mutants
 * @param {ReturnType<typeof createRandom>} random
 */
function takeOne(mutants, random) {
  if (mutants.length === 0) return null;
  const kind = random.pick([...new Set(mutants.map((mutant) => mutant.kind))]);
  const mutant = random.pick(mutants.filter((one) => one.kind === kind));
  mutants.splice(mutants.indexOf(mutant), 1);
  return mutant;
}
