import { cellLabeler } from '#model';
import { renderGates } from '#reports';
import type { Plan } from '#scenario';
import { readLog } from '#sweeps';
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
