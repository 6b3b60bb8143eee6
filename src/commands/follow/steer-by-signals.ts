import { reasonOf } from '../failure.js';
import type { Session } from '../session.js';
import { updateSweep } from '../sweeps/update-sweep.js';
import type { Signals } from './signals.js';
import type { View } from './view.js';

/** The first signal pauses the sweep, the second cancels it; with CI set the first one cancels. */
export function steerBySignals(signals: Signals, session: Session, sweep: string, view: View): void {
  signals.each((received) => {
    const cancels = received > 1 || (process.env['CI'] ?? '') !== '';
    if (cancels) view.note('cancelling', 'cancelling: agents are killed');
    else view.note('pausing', 'pausing: running agents finish, no new cell starts; Ctrl-C again cancels');
    updateSweep(session, sweep, cancels ? 'cancel' : 'pause').catch((error: unknown) => {
      const reason = error instanceof Error ? reasonOf(error) : String(error);
      view.note('running', `the sweep did not take it: ${reason}`);
    });
  });
}
