import { normalQuantileOfTail } from './normal.js';

/** Returns the probability that a number of Student's t distribution is larger than t. */
export function tTail(t: number, df: number): number {
  const outside = incompleteBeta(df / (df + t * t), df / 2, 0.5);
  return t > 0 ? outside / 2 : 1 - outside / 2;
}

/** Returns the number that a number of Student's t distribution exceeds with this probability (at most 1/2). */
export function tQuantileOfTail(tail: number, df: number): number {
  let [low, high] = [0, Math.max(1, normalQuantileOfTail(tail))];
  while (tTail(high, df) > tail) [low, high] = [high, high * 2];
  for (let step = 0; step < 200 && high - low > 1e-13 * high; step++) {
    const middle = (low + high) / 2;
    if (tTail(middle, df) > tail) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** Regularised incomplete beta function, by the continued fraction of Abramowitz and Stegun (1964), 26.5.8. */
function incompleteBeta(x: number, a: number, b: number): number {
  if (x <= 0 || x >= 1) return x <= 0 ? 0 : 1;
  // The fraction converges fast only on this side of the mean.
  if (x > (a + 1) / (a + b + 2)) return 1 - incompleteBeta(1 - x, b, a);
  const front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log(1 - x));
  return (front * betaFraction(x, a, b)) / a;
}

/** Evaluates the fraction with the method of Lentz (1976). */
function betaFraction(x: number, a: number, b: number): number {
  const TINY = 1e-300;
  const notZero = (value: number): number => (Math.abs(value) < TINY ? TINY : value);
  let c = 1;
  let d = 1 / notZero(1 - ((a + b) * x) / (a + 1));
  let value = d;
  for (let m = 1; m < 1000; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    let change = 1;
    for (const step of [even, odd]) {
      d = 1 / notZero(1 + step * d);
      c = notZero(1 + step / c);
      change = d * c;
      value *= change;
    }
    if (Math.abs(change - 1) < 1e-15) break;
  }
  return value;
}

/**
 * Returns ln Γ(x) for x > 0: Stirling's series, after the recurrence has made x large (Abramowitz and Stegun, 6.1.40).
 */
function logGamma(x: number): number {
  let [large, product] = [x, 1];
  while (large < 15) {
    product *= large;
    large += 1;
  }
  const inverse = 1 / (large * large);
  const series = (1 / 12 - inverse * (1 / 360 - inverse * (1 / 1260 - inverse / 1680))) / large;
  return (large - 0.5) * Math.log(large) - large + 0.5 * Math.log(2 * Math.PI) + series - Math.log(product);
}
