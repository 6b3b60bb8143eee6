import { sha256 } from '#lib';

const DIGITS = 12;

/** A number from 0 to below 1 that is the same for the same seed and number of the call. */
export const chanceOf = (seed: string, call: number): number =>
  parseInt(sha256(`${seed}\n${call}`).slice(0, DIGITS), 16) / 16 ** DIGITS;
