import type { Cell } from './cell.js';

/** The variant of a scenario that defines none. */
export const DEFAULT_VARIANT = 'default';

/** "example_basic", "example_basic with-guide": a scenario in its variant. */
export const scenarioLabel = ({ scenario, variant }: Pick<Cell, 'scenario' | 'variant'>): string =>
  variant === DEFAULT_VARIANT ? scenario : `${scenario} ${variant}`;

/** "example_basic mock/default", "example_basic with-guide mock/default #2": a cell in few words. */
export const cellLabel = (cell: Omit<Cell, 'id'>): string =>
  [
    scenarioLabel(cell),
    `${cell.agent}/${cell.model}`,
    ...(cell.repetition === 1 ? [] : [`#${cell.repetition}`]),
  ].join(' ');
