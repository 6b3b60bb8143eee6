import { type EarlierResults, follow, NO_EARLIER, type Session, type Signals } from '#client';
import { exitCodeOf, type SweepDocument } from '#decide';
import { ownCommand } from '#host';
import { sweepWorkflowId } from '#protocol';
import type { Plan } from '#scenario';
import { uiPage } from '#sweeps';
import { printSweep, printNotice } from './output.js';
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
