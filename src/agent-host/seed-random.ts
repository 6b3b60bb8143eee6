import { sha256 } from '../lib/hash.js';

/**
 * Makes `Math.random` return the same numbers in each run of a cell (mulberry32). ElizaOS shuffles parts of prompts with
 * it, and a prompt that changes from run to run would make runs differ for no reason.
 */
export function seedRandom(seed: string): void {
  let state = parseInt(sha256(seed).slice(0, 8), 16);
  Math.random = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
