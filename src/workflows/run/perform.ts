import {
  CancellationScope,
  CancelledFailure,
  isCancellation,
  patched,
  setCurrentDetails,
} from '@temporalio/workflow';
import type { StepFailure } from '../protocol.js';
import { rootCauseMessage } from '../root-message.js';
import { runDetails, summaryOf, type StepLine } from '../ui.js';
import { activities, inProcess, ONCE, STEP, type StepOptions } from './options.js';

/** A step by its name, as people see it, and with what it is performed other than most are. */
interface Planned extends Pick<StepOptions, 'startToCloseTimeout' | 'retry'> {
  step: string;
  title: string;
}

/** Performs the steps of a run, and keeps what is to be said of them. */
export interface Performer {
  /** Steps that failed for good. */
  failures: StepFailure[];
  /** The step under way; null between two. */
  current: () => string | null;
  /** Performs one step; null when it failed for good. Cancellation passes through. */
  perform: <R>(planned: Planned, doing: (options: StepOptions) => Promise<R>) => Promise<R | null>;
  /**
   * Performs a step within the workflow task, or as an activity where it is too much for that, which only the step can
   * tell, or where it has failed.
   */
  performEither: <R>(
    planned: Planned,
    call: (steps: typeof inProcess | typeof activities, options: StepOptions) => Promise<R | null>,
    isLocal?: boolean,
  ) => Promise<R | null>;
}

/** `isLocal`: whether steps that are over in moments are performed within the workflow task. */
export function createPerformer(isLocal: boolean): Performer {
  const failures: StepFailure[] = [];
  const lines: StepLine[] = [];

  const perform: Performer['perform'] = async ({ step, title, ...own }, doing) => {
    const summary = summaryOf(title);
    const line: StepLine = { step, summary, status: 'running' };
    lines.push(line);
    setCurrentDetails(runDetails(lines));
    try {
      const result = await doing({ ...STEP, ...own, summary });
      line.status = 'done';
      return result;
    } catch (error) {
      line.status = 'failed';
      if (isCancellation(error)) throw error;
      failures.push({ step, message: rootCauseMessage(error) });
      // A cancelled step may also end by what broke on its way: its worker died, its agent could not be killed.
      if (CancellationScope.current().consideredCancelled)
        throw new CancelledFailure('the run was cancelled');
      return null;
    } finally {
      setCurrentDetails(runDetails(lines));
    }
  };
  return {
    failures,
    current: () => {
      const last = lines.at(-1);
      return last?.status === 'running' ? last.step : null;
    },
    perform,
    performEither: (planned, call, local = isLocal) =>
      perform(planned, async (options) => {
        const done = local ? await attempt(() => call(inProcess, { ...options, retry: ONCE })) : null;
        return done ?? call(activities, options);
      }),
  };
}

/** What a step gives, null where it fails. Cancellation passes through, as do failures in histories of older builds. */
async function attempt<R>(doing: () => Promise<R>): Promise<R | null> {
  try {
    return await doing();
  } catch (error) {
    if (isCancellation(error) || !patched('failed-in-process')) throw error;
    return null;
  }
}
