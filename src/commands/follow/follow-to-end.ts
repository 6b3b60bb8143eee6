import { exitCodeOf } from '../../results/sweep-document.js';
import type { Plan } from '../../scenario/plan.js';
import { sweepWorkflowId } from '../../workflows/protocol.js';
import { printDocument, say } from '../output.js';
import { ownCommand } from '../own-name.js';
import type { Session } from '../session.js';
import { uiPage } from '../ui-page.js';
import { follow } from './follow.js';
import { catchSignals, giveUp } from './signals.js';

/** Follows a sweep, prints what it came to, and gives the exit code: the end of `run` and of `resume`. */
export async function followToEnd(
  session: Session,
  plan: Plan,
  resultsPath: string,
  json: boolean,
  signals = catchSignals(() => giveUp(plan.sweep, json)),
): Promise<number> {
  const uiUrl = uiPage(session.engine, sweepWorkflowId(plan.sweep));
  const { document, interrupted } = await follow({ session, plan, resultsPath, uiUrl, signals });
  printDocument(document, json);
  if (document.status === 'paused') {
    say(
      `paused: ${ownCommand(`resume ${plan.sweep}`)} goes on, ${ownCommand(`cancel ${plan.sweep}`)} ends it`,
    );
  }
  return interrupted ? 130 : exitCodeOf(document);
}
