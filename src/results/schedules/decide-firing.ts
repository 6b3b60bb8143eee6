import type { Gate } from '../comparison/document.js';
import { exitCodeOfDecision } from '../decision/decision.js';
import type { Firing } from '../records/firing.js';
import { exitCodeOf } from '../records/sweep-document.js';
import type { Totals } from '../totals.js';

/** The exit code of `compare --gate`, which is that of a decision with the same result. No loss is shown either if nothing is. */
export const exitCodeOfGate = (result: Gate['result']): 0 | 1 | 3 | 4 =>
  result === 'not shown' ? 0 : exitCodeOfDecision({ verdict: result });

/**
 * Decides the exit code of a firing that has ended. `failed`: that of `run`. `worse`: that of `compare --gate`;
 * without an earlier sweep, that of `run`.
 */
export function exitCodeOfFiring(
  status: 'completed' | 'cancelled' | 'lost',
  totals: Totals,
  gate: Gate | null,
  failOn: 'failed' | 'worse',
): NonNullable<Firing['exit_code']> {
  if (status === 'lost') return 3;
  if (status === 'completed' && failOn === 'worse' && gate !== null) return exitCodeOfGate(gate.result);
  return exitCodeOf({ status, totals });
}

/** Says how a firing ended, in a sentence. */
export function textOfFiring(firing: Omit<Firing, 'text'>): string {
  const { schedule, sweep, status, totals, verdict, compared_with: before, exit_code: code } = firing;
  const name = `${schedule}${sweep === null ? '' : ` (${sweep})`}`;
  if (status === 'running') return `${name}: running`;
  const result = totals === null ? status : `${status === 'completed' ? '' : `${status}: `}${counts(totals)}`;
  const found = verdict === 'not shown' ? 'not shown to be worse' : verdict;
  const compared = found === null ? '' : `, ${found} compared with ${before ?? ''}`;
  const [reason] = firing.reasons;
  return `${name}: ${result}${compared}${reason === undefined ? '' : `: ${reason}`}; exit code ${code ?? ''}`;
}

const counts = ({ cells, passed, failed, errored, cancelled }: Totals): string =>
  [
    `${passed} of ${cells} passed`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(errored > 0 ? [`${errored} could not be tested`] : []),
    ...(cancelled > 0 ? [`${cancelled} cancelled`] : []),
  ].join(', ');

/** Whether the sweep of a firing can be the base of a comparison: it completed and tested something. */
export const isBaseline = ({ status, sweep, totals }: Firing): boolean =>
  status === 'completed' && sweep !== null && totals !== null && totals.passed + totals.failed > 0;
