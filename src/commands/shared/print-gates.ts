import { readLog } from '../../client/sweeps/read-log.js';
import { renderGates } from '../../reports/run-text.js';
import type { Plan } from '../../scenario/plan.js';
import { printNotice, textOptions } from './output.js';

/** Prints the verdict of every gate of a sweep's runs, in the order of its cells. */
export function printGates(resultsPath: string, { sweep, cells }: Plan): void {
  const lines = new Map(
    readLog(resultsPath, printNotice).flatMap((line) => (line.sweep === sweep ? [[line.cell, line]] : [])),
  );
  for (const { id } of cells) {
    const line = lines.get(id);
    if (line !== undefined) process.stdout.write(`\n${renderGates(line, textOptions())}`);
  }
}
