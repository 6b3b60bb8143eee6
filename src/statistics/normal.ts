/** Returns the probability that a standard normal number is larger than z, with full relative precision. */
export function normalTail(z: number): number {
  if (z < 0) return 1 - normalTail(-z);
  return z < 3 ? 0.5 - series(z) : continuedFraction(z);
}

export const normalDensity = (z: number): number => Math.exp(-0.5 * z * z) / Math.sqrt(2 * Math.PI);

/** Returns the probability of a number from 0 to z: Abramowitz and Stegun (1964), 26.2.11. */
function series(z: number): number {
  let [term, total] = [z, z];
  for (let n = 1; Math.abs(term) > 1e-17 * total; n++) {
    term *= (z * z) / (2 * n + 1);
    total += term;
  }
  return total * normalDensity(z);
}

/** Abramowitz and Stegun (1964), 26.2.14, from the inside out. */
function continuedFraction(z: number): number {
  let fraction = z;
  for (let n = 120; n >= 1; n--) fraction = z + n / fraction;
  return normalDensity(z) / fraction;
}

/**
 * Returns the number that a standard normal number exceeds with this probability, by Newton's method on the logarithm
 * of the tail.
 */
export function normalQuantileOfTail(tail: number): number {
  if (!(tail > 0 && tail < 1)) return tail === 0 ? Infinity : tail === 1 ? -Infinity : NaN;
  if (tail > 0.5) return -normalQuantileOfTail(1 - tail);
  // The logarithm of the tail is concave, so from the left of the root each step but the first stays on its right side.
  let z = 0;
  for (let step = 0; step < 100; step++) {
    const at = normalTail(z);
    const change = (Math.log(at / tail) * at) / normalDensity(z);
    z += change;
    if (Math.abs(change) < 1e-14 * Math.max(1, z)) break;
  }
  return z;
}
