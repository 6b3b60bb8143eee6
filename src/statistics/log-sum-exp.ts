/** Returns the logarithm of the sum of the numbers whose logarithms these are. */
export function logSumExp(logs: readonly number[]): number {
  // loops, because these numbers are computed a million times
  let highest = -Infinity;
  for (const log of logs) if (log > highest) highest = log;
  if (highest === -Infinity) return highest;
  let sum = 0;
  for (const log of logs) sum += Math.exp(log - highest);
  return highest + Math.log(sum);
}
