import { UsageError } from '../../lib/errors/usage-error.js';
import { suggest } from '../../lib/suggest.js';
import type { SweepDocument } from '../../results/records/sweep-document.js';
import { NAMED, type CellFilter } from '../../results/select-cells.js';

/** @throws UsageError if a filter has a name that no cell of the sweep has */
export function checkNames({ cells }: SweepDocument, filter: CellFilter): void {
  for (const [list, field] of NAMED)
    checkKnown(
      filter[list],
      field,
      cells.map((cell) => cell[field]),
    );
  checkKnown(
    filter.labels,
    'label',
    cells.flatMap(({ human }) => human?.labels ?? []),
  );
}

function checkKnown(names: readonly string[], what: string, all: readonly string[]): void {
  const known = [...new Set(all)];
  const unknown = names.find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const near = suggest(unknown, known);
  const has = known.length === 0 ? 'it has none' : `it has ${known.join(', ')}`;
  const hint = near === null ? has : `did you mean '${near}'?`;
  throw new UsageError('nothing_selected', `no cell of the sweep has the ${what} '${unknown}'; ${hint}`);
}
