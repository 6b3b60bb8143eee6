/**
 * Returns a reproducible source of choices: the same for the same seed, on every machine.
 * @param {number} seed
 */
export function createRandom(seed) {
  let state = seed >>> 0;
  const next = () => {
    // `mulberry32`.
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  /** @param {number} n */
  const below = (n) => Math.floor(next() * n);
  return {
    below,
    /** @param {number} p */
    chance: (p) => next() < p,
    /** @template T @param {readonly T[]} list @returns {T} */
    pick: (list) => /** @type {T} */ (list[below(list.length)]),
    /** @template T @param {number} most @param {(index: number) => T} make */
    times: (most, make) => Array.from({ length: below(most + 1) }, (_, index) => make(index)),
  };
}

/**
 * Returns the seed of one input, so that it can be repeated without the inputs before it.
 * @param {string} seed @param {string} target @param {number} index
 */
export function seedOf(seed, target, index) {
  let hash = 2166136261;
  for (const char of `${seed} ${target} ${index}`) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 16777619);
  return hash >>> 0;
}
