import { existsSync } from 'node:fs';
import type { Plan } from '../../scenario/plan.js';
import { summaryFile } from '../../store/results-folder.js';

/** Whether a sweep has ended: its summary is written last. */
export const hasEnded = (resultsPath: string, plan: Plan): boolean =>
  existsSync(summaryFile(resultsPath, plan.sweep));
