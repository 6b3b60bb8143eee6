import { cellLabeler, type ResultLine } from '#model';
import type { SweepProgress, SweepStatus } from '#protocol';
import type { LiveState } from '#reports';
import type { Plan } from '#scenario';
import { reasonOf } from '../call-server.js';
import type { Session } from '../session.js';
import { updateSweep } from '../update-sweep.js';

/** Results that a sweep had before the round that is shown, by id. */
export interface EarlierResults {
  all: ReadonlySet<string>;
  /** The results of cells that are run again. */
  replaced: ReadonlySet<string>;
}

export const NO_EARLIER: EarlierResults = { all: new Set(), replaced: new Set() };

/** The state that a view shows. */
interface Snapshot {
  /** Null if it was not queried, or no worker answers. */
  progress: SweepProgress | null;
  /** The reason why the work is blocked, for example by a full disk. Null if it is not. */
  waiting: string | null;
  /** Finished runs of the sweep, in the order written, without earlier ones of cells that are run again. */
  results: readonly ResultLine[];
  /** The sweep has ended with this status. Absent while it has not. */
  ended?: SweepStatus;
}

/** Shows a sweep while it runs. */
export interface View {
  /** The interval at which the view needs `progress`, which costs a query each time. */
  progressEveryMs: number;
  show(snapshot: Snapshot): Promise<void>;
  /**
   * Shows what is happening about a pause or cancellation that the user requested. `running`: it did not succeed.
   */
  note(status: LiveState['status'], text: string): void;
  /** Shows why the server cannot be queried. Null when it answers again. */
  away(text: string | null): void;
  done(): void;
}

/** Returns a function that formats the cell of a result in a sweep of these cells. */
export function resultLabeler(cells: Plan['cells']): (line: ResultLine) => string {
  const label = cellLabeler(cells);
  return (line) => label({ ...line, scenario: line.scenario_id });
}

/** The signals that a command receives while it follows a sweep. */
export interface Signals {
  interrupted(): boolean;
  /** Calls `act` for each signal, including earlier ones, with the number of signals received so far. */
  each(act: (received: number) => void): void;
  stop(): void;
}

/** Pauses the sweep at the first signal, and cancels it at the second. If CI is set, the first signal cancels. */
export function pauseOrCancelOnSignals(signals: Signals, session: Session, sweep: string, view: View): void {
  signals.each((received) => {
    const cancels = received > 1 || (process.env['CI'] ?? '') !== '';
    if (cancels) view.note('cancelling', 'cancelling: killing agents');
    else view.note('pausing', 'pausing: running agents finish, no new cells start; press Ctrl-C again to cancel');
    updateSweep(session, sweep, cancels ? 'cancel' : 'pause').catch((error: unknown) => {
      const reason = error instanceof Error ? reasonOf(error) : String(error);
      view.note('running', `could not pause or cancel: ${reason}`);
    });
  });
}
