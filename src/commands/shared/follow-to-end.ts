import { exitCodeOf, type SweepDocument } from '../../results/records/sweep-document.js';
import type { Plan } from '../../scenario/plan.js';
import { sweepWorkflowId } from '../../workflows/protocol.js';
import { printSweep, printNotice } from './output.js';
import { ownCommand } from '../../platform/invocation.js';
import type { Session } from '../../client/session.js';
import { uiPage } from '../../client/ui-page.js';
import { follow } from '../../client/follow/follow.js';
import type { Signals } from '../../client/follow/pause-or-cancel-on-signals.js';
import { NO_EARLIER, type EarlierResults } from '../../client/follow/view.js';
import { liveView } from './live-view.js';
import { plainView } from './plain-view.js';
import { catchSignals, reportInterrupted } from './signals.js';

interface FollowParts {
  signals?: Signals;
  earlier?: EarlierResults;
  print?: (document: SweepDocument) => void;
}

/** Follows a sweep, prints its result and returns the exit code. The last part of `run`, `resume` and `retry`. */
export async function followToEnd(
  session: Session,
  plan: Plan,
  resultsPath: string,
  json: boolean,
  {
    signals = catchSignals(() => reportInterrupted(plan.sweep, json)),
    earlier = NO_EARLIER,
    print = (document) => {
      printSweep(document, json);
    },
  }: FollowParts = {},
): Promise<number> {
  const uiUrl = uiPage(session.engine, sweepWorkflowId(plan.sweep));
  const view = process.stderr.isTTY
    ? liveView(session, plan, { uiUrl, earlier: earlier.all })
    : plainView(plan, earlier.all);
  const parts = { session, plan, resultsPath, uiUrl, signals, view, earlier };
  const { document, interrupted } = await follow(parts);
  print(document);
  if (document.status === 'paused') {
    printNotice(
      `paused; continue: ${ownCommand(`resume ${plan.sweep}`)}  cancel: ${ownCommand(`cancel ${plan.sweep}`)}`,
    );
  }
  return interrupted ? 130 : exitCodeOf(document);
}
