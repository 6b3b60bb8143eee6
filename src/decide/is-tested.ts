import type { Outcome, ResultDigest, ResultLine } from '#model';
import { gateTitle } from '#model/pure';
import type { Totals } from './totals.js';

/**
 * True if a run counts in rates, comparisons and verdicts: it passed or failed, and something was checked. Without
 * gates and a judge, a run passes because its agent ends.
 */
export const isTested = ({ outcome, unchecked }: { outcome: Outcome | null; unchecked?: true | undefined }): boolean =>
  (outcome === 'pass' || outcome === 'fail') && unchecked !== true;

/** The runs that count in a rate: those that passed or failed, and in which something was checked. */
export function testedOf({ passed, failed, unchecked }: Pick<Totals, 'passed' | 'failed' | 'unchecked'>): {
  passed: number;
  tested: number;
} {
  const without = unchecked ?? { passed: 0, failed: 0 };
  const counted = passed - without.passed;
  return { passed: counted, tested: counted + failed - without.failed };
}

/** Says why a cell did not pass: the first gate that failed or could not be checked, with what it found. */
export function failureReason({ metrics, message }: Pick<ResultDigest, 'metrics' | 'message'>): string {
  const gate = metrics?.details.find(({ passed }) => !passed);
  return gate === undefined ? message : `${gateTitle(gate)}: ${gate.message}`;
}

type ResultEnd = Pick<ResultLine, 'outcome' | 'results_dir' | 'starts'>;

export const isDecided = ({ outcome }: Pick<ResultLine, 'outcome'>): boolean =>
  outcome === 'pass' || outcome === 'fail';

/** True of a cell that was not started, because of the budget: no folder was made for it, and no agent was started. */
export const wasNeverStarted = ({ outcome, results_dir, starts }: ResultEnd): boolean =>
  outcome === 'error' && results_dir === null && starts === 0;

/**
 * True of a run that neither passed nor failed, although it may have begun. Only a cell that was never started is known
 * to owe nothing to how its run would have gone. A failed health check, a lost host, a used-up quota and a cancelled
 * run may.
 */
export const endedWithoutResult = (line: ResultEnd): boolean => !isDecided(line) && !wasNeverStarted(line);

/**
 * The starts of a run that ended without a result before the one that counts: with their hosts, or with the agent's
 * work until then.
 */
export const errorsWithin = ({ lost_runs = 0, begun_anew = 0 }: Pick<ResultLine, 'lost_runs' | 'begun_anew'>): number =>
  lost_runs + begun_anew;

/** Leaves out lines that a step has written twice. */
export const withoutRepeats = <T extends Pick<ResultLine, 'id' | 'timestamp'>>(lines: readonly T[]): T[] => [
  ...new Map(lines.map((line) => [JSON.stringify([line.id, line.timestamp]), line])).values(),
];
