/**
 * Returns the p values of several tests, adjusted so that the chance of any false alarm among them stays below the
 * level that each is compared with; in the given order. S. Holm, "A simple sequentially rejective multiple test
 * procedure", Scandinavian Journal of Statistics 6 (1979) 65-70.
 */
export function holm(ps: readonly number[]): number[] {
  const adjusted = new Array<number>(ps.length);
  let highest = 0;
  for (const [rank, { p, at }] of ps
    .map((p, at) => ({ p, at }))
    .sort((a, b) => a.p - b.p)
    .entries()) {
    highest = Math.max(highest, Math.min(1, p * (ps.length - rank)));
    adjusted[at] = highest;
  }
  return adjusted;
}
