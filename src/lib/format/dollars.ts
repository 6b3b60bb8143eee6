/** US dollars without the digits that nobody paid: sums of binary fractions have them. */
export const dollars = (usd: number): number => Number(usd.toFixed(9));

/** US dollars with as many digits as small amounts need; an unknown cost is "n/a". */
export function formatCost(usd: number | null): string {
  if (usd === null) return 'n/a';
  if (usd > 0 && usd < 0.0001) return '<$0.0001';
  return `$${usd.toFixed(usd > 0 && usd < 0.1 ? 4 : 2)}`;
}

/** A cost, or what is known of it: "at least $0.0240" where it is not known as a whole. */
export const formatKnownCost = (usd: number | null, atLeast?: number, words = 'at least '): string =>
  usd === null && atLeast !== undefined ? `${words}${formatCost(atLeast)}` : formatCost(usd);

/** The same in a column: ">$0.0240". */
export const shortKnownCost = (usd: number | null, atLeast?: number): string =>
  formatKnownCost(usd, atLeast, '>');
