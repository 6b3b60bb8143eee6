/** A table that is extended as far as it is needed. */
const logs = [0];

/** Returns ln(n!). From n = 171 on, n! itself is too large for a number. */
function logFactorial(n: number): number {
  for (let next = logs.length; next <= n; next++) logs.push((logs[next - 1] ?? 0) + Math.log(next));
  return logs[n] ?? NaN;
}

/** Returns the logarithm of the number of ways to choose k of n. */
export const logChoose = (n: number, k: number): number => logFactorial(n) - logFactorial(k) - logFactorial(n - k);

/** Returns the logarithm of the sum of the numbers whose logarithms these are. */
export function logSumExp(logs: readonly number[]): number {
  // Loops, because these numbers are computed a million times.
  let highest = -Infinity;
  for (const log of logs) if (log > highest) highest = log;
  if (highest === -Infinity) return highest;
  let sum = 0;
  for (const log of logs) sum += Math.exp(log - highest);
  return highest + Math.log(sum);
}
