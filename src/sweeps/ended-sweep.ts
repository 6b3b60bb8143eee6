import { existsSync } from 'node:fs';
import type { Plan } from '#scenario';
import { summaryFile } from '#store';

/** True if a sweep has ended, that is, if its summary exists, which is written last. */
export const hasEnded = (resultsPath: string, plan: Plan): boolean =>
  existsSync(summaryFile(resultsPath, plan.sweep));
