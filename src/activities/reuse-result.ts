import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ApplicationFailure } from '@temporalio/common';
import { resultsIndex } from '../store/results-index.js';
import { appendResult } from '../store/results-log.js';
import { resultsLog, runFiles } from '../store/results-folder.js';
import { STEPS, type RunRef, type RunResult } from '../workflows/protocol.js';
import type { Prepared } from './prepare/build-workspace.js';
import { runStepOnce, readStep } from './step/run-step-once.js';
import type { Deps } from './step/deps.js';
import { loadRun } from './step/run-context.js';

/** Gives a cell the result of a finished run with the same inputs; null when that one is gone meanwhile. */
export const reuseResult =
  (deps: Deps) =>
  async (run: RunRef, from: string): Promise<RunResult | null> => {
    const context = await loadRun(deps, run);
    // What a completion that is not ours names is not what was looked up.
    if ((await readStep<Prepared>(context, STEPS.prepare))?.result.reuse !== from)
      throw ApplicationFailure.nonRetryable(`${from} is not the result of the same inputs`, 'StepOrder');
    return runStepOnce<RunResult | null>(context, STEPS.reuse, async () => {
      const { id: cell, scenario, agent, model, variant, repetition } = run.cell;
      const line = resultsIndex(deps.resultsPath).line(from);
      if (line === null) return null;
      // Its own, of a run that the server has forgotten in a loss of power.
      if (line.sweep === run.sweep && line.cell === run.cell.id && line.cached_from === null)
        return { outcome: line.outcome, message: line.message, costUsd: line.cost_usd };
      await appendResult(resultsLog(deps.resultsPath), {
        ...line,
        // As a cell that was not run: it has no folder of its own, and its agent was not started.
        id: `${run.sweep}/${cell}`,
        sweep: run.sweep,
        // Not those of the line: an older build has redacted names.
        ...{ cell, scenario_id: scenario, agent, model, variant, repetition },
        timestamp: new Date().toISOString(),
        attempts: 0,
        starts: 0,
        cached_from: from,
      });
      // A `clean` that did not know of the new line may have taken the run that it names.
      if (!existsSync(runFiles(join(deps.resultsPath, line.results_dir ?? '')).metrics)) return null;
      return { outcome: line.outcome, message: line.message, costUsd: null, cached: true };
    });
  };
