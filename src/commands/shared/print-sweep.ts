import { exitCodeOf } from '#decide';
import type { Plan } from '#scenario';
import { sweepDocument } from '#sweeps';
import { printSweep, printNotice } from './output.js';

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
