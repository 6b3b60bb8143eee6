import type { WorkflowHandle } from '@temporalio/client';
import { UPDATES } from '../../workflows/protocol.js';
import type { View } from './view.js';

/** Signals of a command that follows a sweep. */
export interface Signals {
  interrupted(): boolean;
  /** Calls with how often a signal has come, also for those that came before. */
  each(act: (received: number) => void): void;
  stop(): void;
}

/**
 * Takes SIGINT and SIGTERM from now on: from before a sweep starts, so that none is lost while it does. A closed terminal
 * (SIGHUP) ends the command only.
 */
export function catchSignals(): Signals {
  let received = 0;
  let act: ((received: number) => void) | null = null;
  const onSignal = (): void => {
    received += 1;
    act?.(received);
  };
  const onHangUp = (): void => process.exit(129);
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  process.on('SIGHUP', onHangUp);
  return {
    interrupted: () => received > 0,
    each(acting) {
      act = acting;
      for (let nth = 1; nth <= received; nth++) acting(nth);
    },
    stop() {
      process.off('SIGINT', onSignal);
      process.off('SIGTERM', onSignal);
      process.off('SIGHUP', onHangUp);
    },
  };
}

/** The first signal pauses the sweep, the second cancels it; with CI set the first one cancels. */
export function steerBySignals(signals: Signals, handle: WorkflowHandle, view: View): void {
  signals.each((received) => {
    const cancels = received > 1 || (process.env['CI'] ?? '') !== '';
    if (cancels) view.note('cancelling', 'cancelling: agents are killed');
    else view.note('pausing', 'pausing: running agents finish, no new cell starts; Ctrl-C again cancels');
    handle.executeUpdate(cancels ? UPDATES.cancel : UPDATES.pause).catch((error: unknown) => {
      // Temporal's own message says only that an update failed.
      const reason = error instanceof Error && error.cause instanceof Error ? error.cause : error;
      view.note(
        'running',
        `the sweep did not take it: ${reason instanceof Error ? reason.message : String(reason)}`,
      );
    });
  });
}
