import { reasonOf } from '../ask-server.js';
import type { Session } from '../session.js';
import { updateSweep } from '../update-sweep.js';
import type { View } from './view.js';

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
    else
      view.note(
        'pausing',
        'pausing: running agents finish, no new cells start; press Ctrl-C again to cancel',
      );
    updateSweep(session, sweep, cancels ? 'cancel' : 'pause').catch((error: unknown) => {
      const reason = error instanceof Error ? reasonOf(error) : String(error);
      view.note('running', `could not pause or cancel: ${reason}`);
    });
  });
}
