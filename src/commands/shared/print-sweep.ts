import { exitCodeOf } from '#decide';
import { cellLabeler } from '#model';
import { renderGates } from '#reports';
import type { Plan } from '#scenario';
import { readLog, sweepDocument } from '#sweeps';
import { printNotice, printSweep, textOptions } from './output.js';

/** Prints the result of a sweep that has ended, and returns its exit code. */
export async function printEndedSweep(resultsPath: string, plan: Plan, json: boolean): Promise<number> {
  const document = await sweepDocument(resultsPath, plan, printNotice);
  printSweep(document, json);
  return exitCodeOf(document);
}

/** Like `printEndedSweep`, for a verb that had nothing to do. Returns 0, because that is not an error. */
export async function printAlreadyEnded(resultsPath: string, plan: Plan, json: boolean): Promise<number> {
  printNotice(`${plan.sweep} has already ended`);
  await printEndedSweep(resultsPath, plan, json);
  return 0;
}

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
