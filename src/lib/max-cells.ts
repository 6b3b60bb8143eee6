/** The most cells of a sweep: more is a typing error. */
export const MAX_CELLS = 1_000_000;
