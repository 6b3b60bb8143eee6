import type { SweepAnswer } from '../protocol.js';
import type { Column } from '../shared/columns.js';
import { runsAsCsv, runsAsJson } from '../shared/export-runs.js';
import { queryOf, type Selection } from '../shared/selection.js';
import { firstOf } from './api.js';

const TYPES = { csv: 'text/csv', json: 'application/json' } as const;

/** The address of a part of the selected runs. */
export function sweepAddress(sweep: string, selection: Selection, part: { from: number; limit: number }): string {
  const query = queryOf(selection);
  return `/api/sweeps/${encodeURIComponent(sweep)}${query}${query === '' ? '?' : '&'}from=${part.from}&limit=${part.limit}`;
}

/** Saves all selected runs in a file, not only those that are drawn. @throws RequestError */
export async function downloadRuns(
  sweep: string,
  selection: Selection,
  columns: readonly Column[],
  format: keyof typeof TYPES,
): Promise<void> {
  const { runs } = await firstOf<SweepAnswer>(sweepAddress(sweep, selection, { from: 0, limit: 1e9 }));
  const text = format === 'csv' ? runsAsCsv(runs, columns) : runsAsJson(runs);
  const url = URL.createObjectURL(new Blob([text], { type: TYPES[format] }));
  const link = document.createElement('a');
  link.href = url;
  link.download = `${sweep}.${format}`;
  link.click();
  URL.revokeObjectURL(url);
}
