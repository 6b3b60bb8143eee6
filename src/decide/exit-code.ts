import type { Gate } from './comparison/gate.js';
import type { Decision } from './decision/decision.js';
import type { SweepDocument } from './documents/sweep-document.js';
import type { Totals } from './totals.js';

type Verdict = Gate['result'] | Decision['verdict'];

/** The facts that decide an exit code: a sweep, and the verdict that counts in place of the outcomes of its cells. */
interface EndedSweep {
  status: SweepDocument['status'] | 'lost';
  totals: Totals;
  decision?: { verdict: Verdict } | undefined;
}

const OF_VERDICT = {
  better: 0,
  'not worse': 0,
  equivalent: 0,
  'not shown': 0,
  worse: 1,
  'not tested': 3,
  undecided: 4,
} as const satisfies Record<Verdict, number>;

/**
 * Returns the exit code of a verdict, or of a sweep, by the first condition that holds: 3 if it was lost, 130 if it was
 * paused or cancelled as a whole, that of its verdict if one counts, 1 if a cell failed, 3 if a cell ended with an
 * error, 0 otherwise. A cell that was cancelled by itself (in the Web UI, for example) was not tested, and hides no
 * failure of another cell. Cells without a result count as not tested only if the sweep is `completed`.
 */
export function exitCodeOf(ended: Verdict | EndedSweep): 0 | 1 | 3 | 4 | 130 {
  if (typeof ended === 'string') return OF_VERDICT[ended];
  const { status, totals, decision } = ended;
  if (status === 'lost') return 3;
  if (status === 'paused' || status === 'cancelled') return 130;
  if (decision !== undefined) return OF_VERDICT[decision.verdict];
  if (totals.failed > 0) return 1;
  if (totals.errored > 0 || totals.cancelled > 0) return 3;
  return status === 'completed' && totals.passed < totals.cells ? 3 : 0;
}
