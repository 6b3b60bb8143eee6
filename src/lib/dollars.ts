/** US dollars without the digits that nobody paid: sums of binary fractions have them. */
export const dollars = (usd: number): number => Number(usd.toFixed(9));
