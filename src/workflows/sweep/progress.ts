import type { OpenRun, Parked, SweepProgress, SweepStatus } from '#protocol';
import type { SchedulerState } from '../scheduler/state.js';

/** What a sweep answers when it is asked for its progress. */
export function progressOf(
  { open, total, counts, money, limits, untilClear }: SchedulerState,
  status: SweepStatus,
  workflowIdOf: (cell: string) => string,
): SweepProgress {
  const all = [...open].map(([cell, run]) => ({ cell, workflowId: workflowIdOf(cell), run }));
  const parked = all.flatMap(({ cell, workflowId, run }) =>
    run.parked === null ? [] : [{ cell, workflowId, ...withoutProof(run.parked) }],
  );
  const limited = Object.values(limits);
  return {
    status,
    active: all
      .filter(({ run }) => run.parked === null && run.place !== 'wanted')
      .map(({ cell, workflowId, run }) => ({ cell, workflowId, since: run.since, ...hostOf(run) })),
    total: total ?? 0,
    counts: { ...counts },
    ...(parked.length === 0 ? {} : { parked }),
    ...(money === null ? {} : { maxUsd: money.maxUsd, spentUsd: money.spentUsd }),
    ...(limited.length === 0 ? {} : { limits: limited }),
    ...(untilClear === undefined || untilClear.decision === null ? {} : { decision: untilClear.decision }),
  };
}

/** Anyone may query the progress, but only the sweep may wake the run. */
function withoutProof(parked: Parked): Parked {
  const { wakeProof, ...shown } = parked;
  return wakeProof === undefined ? parked : shown;
}

const hostOf = ({ place }: OpenRun): { host?: string | null } =>
  place === undefined ? {} : { host: typeof place === 'object' ? place.name : null };
