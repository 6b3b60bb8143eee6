/** Formats a share as a whole percentage: "17". */
export const percent = (share: number): string => String(Math.round(100 * share) || 0);

/** Formats the ends of an interval of shares: "10 and 62". */
export const betweenText = (low: number, high: number): string => `${percent(low)} and ${percent(high)}`;

/** Formats a difference in percentage points, with its sign: "-83". */
export function points(difference: number): string {
  const rounded = Math.round(100 * difference);
  return `${rounded > 0 ? '+' : ''}${rounded}`;
}

/** Formats a level of significance: "0.0098". */
export const levelText = (level: number): string => String(Number(level.toPrecision(2)));

/** Formats a p value in a sentence: "p = 0.012", "p < 0.0001". */
export const pEquals = (p: number, alpha: number): string => `p = ${pText(p, alpha)}`.replace('= <', '< ');

/** Formats a p value with two digits, or with as many as it takes to show on which side of the level it is. */
export function pText(p: number, alpha: number): string {
  if (p < 0.0001) return '<0.0001';
  const digits = [2, 3, 4, 5].find((count) => p === alpha || Number(p.toPrecision(count)) !== alpha) ?? 6;
  return p.toPrecision(digits);
}
