import { existsSync } from 'node:fs';
import { exitCodeOf } from '../../results/sweep-document.js';
import type { Plan } from '../../scenario/plan.js';
import { summaryFile } from '../../store/results-folder.js';
import { printDocument, say } from '../output.js';
import { sweepDocument } from './sweep-document.js';

/** Its summary is written last of all. */
export const hasEnded = (resultsPath: string, plan: Plan): boolean =>
  existsSync(summaryFile(resultsPath, plan.sweep));

/** There is nothing to steer, and nothing wrong with that. */
export async function sayEnded(resultsPath: string, plan: Plan, json: boolean): Promise<number> {
  say(`${plan.sweep} has ended already`);
  await showEnded(resultsPath, plan, json);
  return 0;
}

/** Prints what an ended sweep came to, and gives its exit code. */
export async function showEnded(resultsPath: string, plan: Plan, json: boolean): Promise<number> {
  const document = await sweepDocument(resultsPath, plan);
  printDocument(document, json);
  return exitCodeOf(document);
}
