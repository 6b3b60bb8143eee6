import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { resultsIndex } from '../store/results-index.js';
import { appendResult } from '../store/results-log.js';
import { resultsLog, runFiles } from '../store/results-folder.js';
import { STEPS, type RunRef, type RunResult } from '../workflows/protocol.js';
import { publishStep } from './step/publish-step.js';
import { loadRun, type Deps } from './step/run-context.js';

/** Gives a cell the result of a finished run with the same inputs; null when that one is gone meanwhile. */
export const reuseResult =
  (deps: Deps) =>
  async (run: RunRef, from: string): Promise<RunResult | null> => {
    const context = await loadRun(deps, run);
    return publishStep<RunResult | null>(context, STEPS.reuse, async () => {
      const line = resultsIndex(deps.resultsPath).line(from);
      if (line === null) return null;
      await appendResult(resultsLog(deps.resultsPath), {
        ...line,
        // As a cell that was not run: it has no folder of its own, and its agent was not started.
        id: `${run.sweep}/${run.cell.id}`,
        sweep: run.sweep,
        cell: run.cell.id,
        timestamp: new Date().toISOString(),
        attempts: 0,
        cached_from: from,
      });
      // A `clean` that did not know of the new line may have taken the run that it names.
      if (!existsSync(runFiles(join(deps.resultsPath, line.results_dir ?? '')).metrics)) return null;
      return { outcome: line.outcome, message: line.message, costUsd: null, cached: true };
    });
  };
