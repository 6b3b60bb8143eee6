import type { Cell } from './cell.js';

/** The variant of a scenario that defines none. */
export const DEFAULT_VARIANT = 'default';

/** Formats a scenario with its variant: "example_basic", "example_basic with-guide". */
export const scenarioLabel = ({ scenario, variant }: Pick<Cell, 'scenario' | 'variant'>): string =>
  variant === DEFAULT_VARIANT ? scenario : `${scenario} ${variant}`;

/** Formats what repetitions have in common: "example_basic with-guide mock/default". */
export const configurationLabel = (cell: Omit<Cell, 'id' | 'repetition'>): string =>
  `${scenarioLabel(cell)} ${cell.agent}/${cell.model}`;

/**
 * Formats a cell: "example_basic mock/default", "example_basic with-guide mock/default #2". `#1` is shown only if the
 * cells of its sweep are known to be repeated.
 */
export const cellLabel = (cell: Omit<Cell, 'id'>, isRepeated = cell.repetition > 1): string =>
  [configurationLabel(cell), ...(isRepeated ? [`#${cell.repetition}`] : [])].join(' ');

/** Returns a function that formats the cells of a sweep alike: all with their repetition, or none. */
export function cellLabeler(cells: readonly Pick<Cell, 'repetition'>[]): (cell: Omit<Cell, 'id'>) => string {
  const isRepeated = cells.some(({ repetition }) => repetition > 1);
  return (cell) => cellLabel(cell, isRepeated);
}
