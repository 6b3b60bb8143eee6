import { sha256 } from './hash.js';

/** Returns a source of numbers from 0 to below 1, the same for the same seed. */
export const randomFrom = (seed: string): (() => number) => mulberry32(parseInt(sha256(seed).slice(0, 8), 16));

/** The generator mulberry32 of T. Ettinger, from a state of 32 bits. */
export function mulberry32(from: number): () => number {
  let state = from;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
