import { ApplicationFailure } from '@temporalio/workflow';
import type { OpenRun, RunResult } from '#protocol';
import type { Cost } from '../scheduler/money.js';
import type { SweepEvent } from '../scheduler/events.js';

/** The end of a run whose workflow failed, was terminated or was cancelled. */
export function endWithoutResult(
  { page, since }: Pick<OpenRun, 'page' | 'since'>,
  cancelled: boolean,
  message: string,
  cost: Cost,
): SweepEvent {
  const cell = page.cell.id;
  if (cancelled) return { type: 'ended', cell, outcome: 'cancelled', cost };
  const lost = {
    cell,
    message: `the run's workflow did not complete: ${message}`,
    since,
    ...(page.redo === undefined ? {} : { redo: page.redo }),
  };
  return { type: 'ended', cell, outcome: 'error', cost, lost };
}

/** Cost of the agent of a run that could not write its report, from the details of the run's error. */
export function spentOf(error: unknown): Cost {
  const { cause } = error as Error;
  const [known] = cause instanceof ApplicationFailure ? (cause.details ?? []) : [];
  return { costUsd: null, ...(known as Partial<Pick<RunResult, 'costUsd' | 'knownUsd'>> | undefined) };
}
