import type { ResultLine } from '#model';

type Ended = Pick<ResultLine, 'outcome' | 'results_dir' | 'starts'>;

export const isDecided = ({ outcome }: Pick<ResultLine, 'outcome'>): boolean =>
  outcome === 'pass' || outcome === 'fail';

/** True of a cell that was not started, because of the budget: no folder was made for it, and no agent was started. */
export const wasNeverStarted = ({ outcome, results_dir, starts }: Ended): boolean =>
  outcome === 'error' && results_dir === null && starts === 0;

/**
 * True of a run that neither passed nor failed, although it may have begun. Only a cell that was never started is known to owe
 * nothing to how its run would have gone. A failed health check, a lost host, a used-up quota and a cancelled run may.
 */
export const endedWithoutResult = (line: Ended): boolean => !isDecided(line) && !wasNeverStarted(line);

/** The starts of a run that ended without a result before the one that counts: with their hosts, or with the agent's work until then. */
export const errorsWithin = ({
  lost_runs = 0,
  begun_anew = 0,
}: Pick<ResultLine, 'lost_runs' | 'begun_anew'>): number => lost_runs + begun_anew;

/** Leaves out lines that a step has written twice. */
export const withoutRepeats = <T extends Pick<ResultLine, 'id' | 'timestamp'>>(lines: readonly T[]): T[] => [
  ...new Map(lines.map((line) => [JSON.stringify([line.id, line.timestamp]), line])).values(),
];
