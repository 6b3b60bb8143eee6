import { randomFrom } from '../lib/random.js';

/**
 * Makes `Math.random` return the same numbers in each run of a cell. ElizaOS shuffles parts of prompts with it, and a prompt that changes
 * from run to run would make runs differ for no reason.
 */
export function seedRandom(seed: string): void {
  Math.random = randomFrom(seed);
}
