import type { WorkflowHandle } from '@temporalio/client';
import { UPDATES } from '../../workflows/protocol.js';
import type { View } from './view.js';

/**
 * The first SIGINT or SIGTERM pauses the sweep, the second cancels it; with CI set the first one cancels. A closed
 * terminal (SIGHUP) ends the command only.
 */
export function listenForSignals(
  handle: WorkflowHandle,
  view: View,
): { interrupted: () => boolean; stop: () => void } {
  let received = 0;
  const onSignal = (): void => {
    received += 1;
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
  };
  const onHangUp = (): void => process.exit(129);
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  process.on('SIGHUP', onHangUp);
  return {
    interrupted: () => received > 0,
    stop: () => {
      process.off('SIGINT', onSignal);
      process.off('SIGTERM', onSignal);
      process.off('SIGHUP', onHangUp);
    },
  };
}
