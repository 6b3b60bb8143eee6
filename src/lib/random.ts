import { sha256 } from './hash.js';

/** Returns a source of numbers from 0 to below 1, the same for the same seed (mulberry32). */
export function randomFrom(seed: string): () => number {
  let state = parseInt(sha256(seed).slice(0, 8), 16);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
