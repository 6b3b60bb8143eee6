/**
 * One situation that is simulated many times. `once` returns what is averaged: mostly 1 or 0.
 * @typedef {{ label: string, once: (random: import('./draw.js').Random) => number | Promise<number> }} Cell
 *
 * What must hold: the worst or the mean of the averages of all cells. `isReached`: the bar is a figure that an earlier
 * simulation of the design reached, not a bound that the design requires.
 * @typedef {({ atMost: number } | { atLeast: number }) & { isReached?: true }} Bar
 * `isSlow`: `npm test` leaves it out.
 * @typedef {{ what: string, bar: Bar, of: 'worst' | 'mean', cells: Cell[], isSlow?: true }} Criterion
 */
export {};
