import { existsSync } from 'node:fs';
import type { Plan } from '../../scenario/plan.js';
import { summaryFile } from '../../store/results-folder.js';

/** True if a sweep has ended, that is, if its summary exists, which is written last. */
export const hasEnded = (resultsPath: string, plan: Plan): boolean =>
  existsSync(summaryFile(resultsPath, plan.sweep));
