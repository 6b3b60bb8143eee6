import { suggest } from '../lib/suggest.js';
import { UsageError } from '../lib/errors/usage-error.js';
import type { Cell } from '../results/records/cell.js';
import { cellLabel } from '../results/records/cell-label.js';

/** This many known cells are named in the message about an unknown one. */
const NAMED = 3;

/**
 * Returns the cells that `--cell` names, in their order, or all of them if it names none. A name is the id of a cell, or
 * its label as printed: `notes/mock/default/default/2` or `notes mock/default #2`.
 *
 * @throws UsageError for a name that no cell has
 */
export function chooseCells(cells: readonly Cell[], wanted: readonly string[]): Cell[] {
  if (wanted.length === 0) return [...cells];
  const ids = new Map(cells.flatMap((cell) => namesOf(cell).map((name) => [name, cell.id] as const)));
  const chosen = new Set<string>();
  for (const name of wanted) {
    const id = ids.get(name);
    if (id === undefined) throw unknownCell(name, cells);
    chosen.add(id);
  }
  return cells.filter(({ id }) => chosen.has(id));
}

/** What a cell can be called. Listings omit `#1` if no cell is repeated. */
const namesOf = (cell: Cell): string[] => [cell.id, cellLabel(cell), cellLabel(cell, true)];

function unknownCell(name: string, cells: readonly Cell[]): UsageError {
  const known = cells.map(({ id }) => id);
  const near =
    suggest(name, known) ??
    suggest(
      name,
      cells.map((cell) => cellLabel(cell)),
    );
  const rest = known.length > NAMED ? ` and ${known.length - NAMED} more` : '';
  return new UsageError(
    'unknown_cell',
    `no cell '${name}'${near === null ? '.' : `; did you mean '${near}'?`} Cells: ${known.slice(0, NAMED).join(', ')}${rest}`,
  );
}
