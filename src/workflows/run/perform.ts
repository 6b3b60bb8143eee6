import { CancellationScope, CancelledFailure, isCancellation, setCurrentDetails } from '@temporalio/workflow';
import type { RunLimits } from '#lib/pure';
import type { RunResult, StepFailure } from '#protocol';
import { rootCauseMessage, runDetails, summaryOf, type StepLine } from '../ui.js';
import { type Noting, withinTask } from '../calls.js';
import { activities, inProcess, stepOptions, type StepOptions, type StepRetry } from './options.js';

/** A step: its name, the title that people see, and the options in which it differs from most steps. */
interface Planned<R> extends Pick<StepOptions, 'startToCloseTimeout'> {
  retry?: StepRetry;
  step: string;
  title: string;
  /** The problem, if the step ended normally but with a bad result; else null. */
  complaint?: (result: R) => string | null;
}

type EitherCall<R> = (steps: typeof inProcess | typeof activities, options: StepOptions) => Promise<R | null>;

/** Performs the steps of a run, and records which one is running and which have failed. */
export interface Performer {
  limits: RunLimits;
  noting: Noting;
  /** Steps that failed for good. */
  failures: StepFailure[];
  /** Name of the current step; null between steps. */
  current: () => string | null;
  /** Shows the result above the steps. */
  conclude: (result: RunResult) => void;
  /** Performs one step. Returns null if it failed for good; rethrows cancellation. */
  perform: <R>(planned: Planned<R>, call: (options: StepOptions) => Promise<R | null>) => Promise<R | null>;
  /**
   * Performs a step within the workflow task; as an activity if `isLocal` is false, if the step returns null because it
   * is too large for a workflow task, or if it failed there.
   */
  performEither: <R>(planned: Planned<R>, call: EitherCall<R>, isLocal?: boolean) => Promise<R | null>;
}

/** `isSparse`: whether steps that the server hands out send few heartbeats. */
export function createPerformer(isSparse: boolean, limits: RunLimits): Performer {
  const failures: StepFailure[] = [];
  const lines: StepLine[] = [];
  const troubles: Noting['troubles'] = new Map();
  const show = (result: RunResult | null = null): void => setCurrentDetails(runDetails(lines, troubles, result));

  const perform: Performer['perform'] = async ({ step, title, complaint, retry, ...own }, call) => {
    const summary = summaryOf(title);
    const line: StepLine = { step, summary, status: 'running' };
    lines.push(line);
    show();
    try {
      const result = await call({ ...stepOptions(limits, isSparse, retry), ...own, summary });
      const bad = result === null ? null : (complaint?.(result) ?? null);
      line.status = bad === null ? 'done' : 'failed';
      if (bad !== null) line.summary = `${summary}: ${bad}`;
      return result;
    } catch (error) {
      line.status = 'failed';
      if (isCancellation(error)) throw error;
      failures.push({ step, message: rootCauseMessage(error) });
      // A cancelled step may also end with another error: its worker died, or its agent could not be killed.
      if (CancellationScope.current().consideredCancelled) throw new CancelledFailure('the run was cancelled');
      return null;
    } finally {
      show();
    }
  };
  return {
    limits,
    noting: { troubles, show },
    failures,
    current: () => {
      const last = lines.at(-1);
      return last?.status === 'running' ? last.step : null;
    },
    perform,
    conclude: show,
    performEither: <R>(planned: Planned<R>, call: EitherCall<R>, isLocal = true) =>
      perform(planned, async (options) => {
        const done = isLocal ? await attempt(() => call(inProcess, { ...options, ...withinTask(limits) })) : null;
        return done ?? call(activities, options);
      }),
  };
}

/** Returns a step's result, or null if it fails. Rethrows cancellation. */
async function attempt<R>(call: () => Promise<R>): Promise<R | null> {
  try {
    return await call();
  } catch (error) {
    if (isCancellation(error)) throw error;
    return null;
  }
}
