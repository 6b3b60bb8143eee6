/** US dollars without the digits that nobody paid: sums of binary fractions have them. */
export const dollars = (usd: number): number => Number(usd.toFixed(9));

/** US dollars with as many digits as small amounts need; an unknown cost is "n/a". */
export function formatCost(usd: number | null): string {
  if (usd === null) return 'n/a';
  if (usd > 0 && usd < 0.0001) return '<$0.0001';
  return `$${usd.toFixed(usd > 0 && usd < 0.1 ? 4 : 2)}`;
}
