import { createRandom, seedOf } from '../fuzz/random.js';
import { mutantsOf } from './mutants-of.js';

/** @typedef {import('./mutants-of.js').Mutant} Mutant */
/** @typedef {{ path: string, source: string }} Source */

/**
 * Draws mutants that have no type errors, the same for the same seed. The files are laid end to end, and cut into parts of
 * equal length: each part gives one mutant of a file in it. In a file each kind of mutant is as likely as any other.
 * @param {readonly Source[]} sources
 * @param {{ mutants: number, seed: string, hasTypeErrors: (path: string, mutant: Mutant) => boolean }} options
 * @returns {{ path: string, mutant: Mutant }[]}
 */
export function sample(sources, { mutants: count, seed, hasTypeErrors }) {
  const random = createRandom(seedOf(seed, 'mutants', count));
  const left = new Map(sources.map(({ path, source }) => [path, mutantsOf(source)]));
  const files = sources.filter(({ path }) => left.get(path)?.length !== 0);
  const length = files.reduce((sum, { source }) => sum + source.length, 0);
  const drawn = [];
  for (let part = 0; part < count; part += 1) {
    let at = fileAt(files, ((part + random.below(1000) / 1000) / count) * length);
    for (let tried = 0; tried < files.length; tried += 1, at = (at + 1) % files.length) {
      const { path } = /** @type {Source} */ (files[at]);
      const mutant = drawOne(left.get(path) ?? [], random, (one) => !hasTypeErrors(path, one));
      if (mutant === null) continue;
      drawn.push({ path, mutant });
      break;
    }
  }
  return drawn;
}

/** @param {readonly Source[]} files @param {number} position */
function fileAt(files, position) {
  let end = 0;
  return files.findIndex(({ source }) => (end += source.length) > position);
}

/**
 * Takes mutants out of the list until one is right.
 * @param {Mutant[]} mutants
 * @param {ReturnType<typeof createRandom>} random
 * @param {(mutant: Mutant) => boolean} isRight
 */
function drawOne(mutants, random, isRight) {
  while (mutants.length > 0) {
    const kind = random.pick([...new Set(mutants.map((mutant) => mutant.kind))]);
    const mutant = random.pick(mutants.filter((one) => one.kind === kind));
    mutants.splice(mutants.indexOf(mutant), 1);
    if (isRight(mutant)) return mutant;
  }
  return null;
}
