import { join } from 'node:path';
import { ApplicationFailure } from '@temporalio/common';
import { omit } from '#lib';
import { type ResultLine, STEPS } from '#model';
import type { RunRef, RunResult } from '#protocol';
import { hasRun, resultsIndex } from '#store';
import type { Prepared } from './prepare/build-workspace.js';
import { recordResult } from './report/record-result.js';
import { readStep, runStepOnce } from './step/run-step-once.js';
import type { Deps } from './step/deps.js';
import { loadRun } from './run/load-run.js';

/**
 * Records the result of a finished run with the same inputs as the cell's result. Returns null if that run has been
 * removed.
 * @throws ApplicationFailure (non-retryable) if `from` is not the run that the prepare step found
 */
export const reuseResult =
  (deps: Deps) =>
  async (run: RunRef, from: string): Promise<RunResult | null> => {
    const context = await loadRun(deps, run);
    // If someone else completed the prepare activity, `from` may not be the run that the step found.
    const { reuse = null, errors_before = 0 } = (await readStep<Prepared>(context, STEPS.prepare))?.result ?? {};
    if (reuse !== from) throw ApplicationFailure.nonRetryable(`${from} does not have the same inputs`, 'StepOrder');
    return runStepOnce<RunResult | null>(context, STEPS.reuse, async () => {
      const line = resultsIndex(deps.resultsPath).line(from);
      if (line === null) return null;
      // The cell's own result, of a run that the server lost in a power failure.
      if (line.sweep === run.sweep && line.cell === run.cell.id && line.cached_from === null)
        return { outcome: line.outcome, message: line.message, costUsd: line.cost_usd };
      const recorded = await recordResult(deps, run, reusedLine(run, line, errors_before));
      // A `clean` that had not seen the new line may have removed the run that it names.
      if (!(await hasRun(deps.resultsPath, join(deps.resultsPath, recorded.results_dir ?? '')))) return null;
      return { outcome: recorded.outcome, message: recorded.message, costUsd: null, cached: true };
    });
  };

/** The result of a cell that takes over that of a finished run. */
export function reusedLine(
  { sweep, cell }: Pick<RunRef, 'sweep' | 'cell'>,
  line: ResultLine,
  errorsBefore: number,
): ResultLine {
  const { id, scenario, agent, model, variant, repetition } = cell;
  return {
    ...omit(line, 'errors_before', 'lost_runs', 'begun_anew'),
    ...(errorsBefore === 0 ? {} : { errors_before: errorsBefore }),
    // Like a cell that was not run: it has no folder of its own, and its agent was not started.
    id: `${sweep}/${id}`,
    sweep,
    cell: id,
    scenario_id: scenario,
    agent,
    model,
    variant,
    repetition,
    timestamp: new Date().toISOString(),
    attempts: 0,
    starts: 0,
    cached_from: line.id,
  };
}
