/** Compares texts by their UTF-16 units, for sorting: the same order on every machine. */
export const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
