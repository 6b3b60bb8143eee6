import type { Cell } from './cell.js';

/** The variant of a scenario that defines none. */
export const DEFAULT_VARIANT = 'default';

/** "example_basic mock/default", "example_basic with-guide mock/default #2": a cell in few words. */
export const cellLabel = ({ scenario, variant, agent, model, repetition }: Omit<Cell, 'id'>): string =>
  [
    scenario,
    ...(variant === DEFAULT_VARIANT ? [] : [variant]),
    `${agent}/${model}`,
    ...(repetition === 1 ? [] : [`#${repetition}`]),
  ].join(' ');
