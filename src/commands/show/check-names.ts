import { UsageError } from '../../lib/errors/usage-error.js';
import { suggest } from '../../lib/suggest.js';
import type { SweepDocument } from '../../results/records/sweep-document.js';
import { NAMED, type CellFilter } from '../../results/select-cells.js';

/** @throws UsageError if a filter has a name that no cell of the sweep has */
export function checkNames({ cells }: SweepDocument, filter: CellFilter): void {
  for (const [list, field] of NAMED) {
    const known = [...new Set(cells.map((cell) => cell[field]))];
    const unknown = filter[list].find((name) => !known.includes(name));
    if (unknown === undefined) continue;
    const near = suggest(unknown, known);
    const hint = near === null ? `it has ${known.join(', ')}` : `did you mean '${near}'?`;
    throw new UsageError('nothing_selected', `no cell of the sweep has the ${field} '${unknown}'; ${hint}`);
  }
}
