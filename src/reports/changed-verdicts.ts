import type { SweepCell } from '#decide';
import { renderTable } from '#lib';
import { mark, type Colors } from './terminal.js';

/** Lists the cells of which checking their work again has changed the verdict. Empty if no work was checked again. */
export function changedVerdicts(
  cells: readonly SweepCell[],
  label: (cell: SweepCell) => string,
  colors: Colors,
): string[] {
  const again = cells.filter(({ regraded_from }) => regraded_from !== undefined);
  if (again.length === 0) return [];
  const changed = again.filter(({ outcome, regraded_from }) => outcome !== regraded_from?.outcome);
  return [
    '',
    `checked again: ${again.length} of ${cells.length}, without running agents; ${changed.length === 0 ? 'no verdict has changed' : `changed: ${changed.length}`}`,
    ...renderTable(
      changed.map((cell) => [
        label(cell),
        `${cell.regraded_from?.outcome ?? 'unknown'} → ${mark(cell.outcome, colors)}`,
      ]),
      { indent: '  ' },
    ),
  ];
}
