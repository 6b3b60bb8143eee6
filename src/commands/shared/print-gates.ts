import { readLog } from '../../client/sweeps/read-log.js';
import { renderGates } from '../../reports/run-text.js';
import { cellLabeler } from '../../results/records/cell-label.js';
import type { Plan } from '../../scenario/plan.js';
import { printNotice, textOptions } from './output.js';

/** Prints the verdict of every gate of a sweep's runs, in the order of its cells. */
export function printGates(resultsPath: string, { sweep, cells }: Plan): void {
  const lines = new Map(
    readLog(resultsPath, printNotice).flatMap((line) => (line.sweep === sweep ? [[line.cell, line]] : [])),
  );
  const label = cellLabeler(cells);
  for (const cell of cells) {
    const line = lines.get(cell.id);
    if (line !== undefined) process.stdout.write(`\n${renderGates(line, label(cell), textOptions())}`);
  }
}
