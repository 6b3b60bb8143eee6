/** Rounds US dollars to nine digits, which removes the rounding errors of binary fractions. */
export const dollars = (usd: number): number => Number(usd.toFixed(9));

/** Formats US dollars, with more digits for small amounts; "n/a" if the cost is unknown. */
export function formatCost(usd: number | null): string {
  if (usd === null) return 'n/a';
  if (usd > 0 && usd < 0.0001) return '<$0.0001';
  return `$${usd.toFixed(usd > 0 && usd < 0.1 ? 4 : 2)}`;
}

/** Formats a cost, or its known part: "at least $0.0240". */
export const formatKnownCost = (usd: number | null, atLeast?: number, words = 'at least '): string =>
  usd === null && atLeast !== undefined ? `${words}${formatCost(atLeast)}` : formatCost(usd);

/** Formats the same for a column: ">$0.0240". */
export const shortKnownCost = (usd: number | null, atLeast?: number): string =>
  formatKnownCost(usd, atLeast, '>');
