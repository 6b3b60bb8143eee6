import { ApplicationFailure, ApplicationFailureCategory, CancelledFailure } from '@temporalio/common';
import { assertNever, beginningOf } from '#lib/pure';
import type { GateDetail } from '#model';
import type { RunResult } from './run.js';

/*
 * Temporal's Web UI colors activities and workflows by how they close. So that it shows what did not pass, a gate that
 * does not pass fails its activity, and a run that does not pass fails its workflow. Both are results, not faults: the
 * failures carry them as details, are never retried, and are benign, so that they are neither logged nor counted as
 * errors.
 */

export type GateStatus = GateDetail['status'];

/** The end of a gate. The message is that of its verdict, if the gate failed its activity. */
export interface GateEnd {
  status: GateStatus;
  message: string;
}

const GATE_TYPES = { fail: 'GateFailed', error: 'GateError' } as const;
const RUN_TYPES = { fail: 'RunFailed', error: 'RunError' } as const;
const isOneOf = (types: Readonly<Record<string, string>>, { type }: ApplicationFailure): boolean =>
  Object.values(types).some((known) => known === type);

const MESSAGE_LENGTH = 300;

const benign = (type: string, message: string, result: unknown): ApplicationFailure =>
  ApplicationFailure.create({
    type,
    message: beginningOf(message, MESSAGE_LENGTH),
    nonRetryable: true,
    category: ApplicationFailureCategory.BENIGN,
    details: [result],
  });

/** Returns the status of a gate that has passed. @throws ApplicationFailure that `gateEndIn` reads, for any other */
export function passedGate(status: GateStatus, message: string): GateStatus {
  if (status === 'pass') return status;
  throw benign(GATE_TYPES[status], message, status);
}

/** Returns how a gate ended whose activity failed with `passedGate`; null if the error is anything else. */
export function gateEndIn(error: unknown): GateEnd | null {
  const failure = error instanceof ApplicationFailure ? error : (error as { cause?: unknown }).cause;
  if (!(failure instanceof ApplicationFailure) || !isOneOf(GATE_TYPES, failure)) return null;
  const [status] = failure.details as [GateStatus];
  return { status, message: failure.message };
}

/**
 * Returns the result of a run that has passed.
 *
 * @throws ApplicationFailure, which `runResultIn` reads, if it has not; CancelledFailure if it was cancelled
 */
export function passedRun(result: RunResult): RunResult {
  const { outcome, message } = result;
  switch (outcome) {
    case 'pass':
      return result;
    case 'fail':
    case 'error':
      throw benign(RUN_TYPES[outcome], message, result);
    case 'cancelled':
      throw new CancelledFailure(message);
    default:
      return assertNever(outcome);
  }
}

/** Returns the result that a run's workflow has failed with; null if it has none: it was cancelled or terminated. */
export function runResultIn(error: unknown): RunResult | null {
  const { cause } = error as { cause?: unknown };
  if (!(cause instanceof ApplicationFailure) || !isOneOf(RUN_TYPES, cause)) return null;
  const [result] = cause.details as [RunResult];
  return result;
}
