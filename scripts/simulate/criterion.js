/**
 * One situation that is simulated many times. `once` returns what is averaged: mostly 1 or 0.
 * @typedef {{ label: string, once: (random: import('./draw.js').Random) => number }} Cell
 *
 * What must hold: the worst or the mean of the averages of all cells.
 * @typedef {{ what: string, bar: { atMost: number } | { atLeast: number }, of: 'worst' | 'mean', cells: Cell[] }} Criterion
 */
export {};
