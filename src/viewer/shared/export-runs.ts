import type { ListedRun } from '../protocol.js';
import { type Column, textIn } from './columns.js';

/** Returns runs as a table for spreadsheets: the columns that identify a run, and those that are shown. */
export function runsAsCsv(runs: readonly ListedRun[], columns: readonly Column[]): string {
  const lines = [
    ['id', ...columns.map(({ name }) => name)],
    ...runs.map((run) => [run.id, ...columns.map((column) => valueText(column, run))]),
  ];
  return lines.map((line) => `${line.map(field).join(',')}\r\n`).join('');
}

/** Numbers without units and rounding. */
const valueText = (column: Column, run: ListedRun): string =>
  column.kind === 'number' ? String(column.value(run) ?? '') : textIn(column, run);

/** A spreadsheet would take a text that begins like this for a formula, and compute it. */
const FORMULA = /^[=+\-@\t\r]/;

function field(text: string): string {
  const safe = FORMULA.test(text) && Number.isNaN(Number(text)) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Returns runs as JSON: all that is known of each cell, as `show --json` prints it, and why it did not pass. */
export const runsAsJson = (runs: readonly ListedRun[]): string => `${JSON.stringify(runs, null, 2)}\n`;
