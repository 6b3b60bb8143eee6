import { defined } from '#lib/pure';
import type { CarriedRun, Parked, ProvenOrder } from '#protocol';

/*
 * Anyone who can reach Temporal's port can send a workflow any argument. An error thrown by a handler would fail the
 * workflow task, and an activity that is given a malformed proof would be retried forever. So every argument is checked
 * before it is used. Each function returns null if the argument does not have the expected shape.
 */

type Fields = Readonly<Record<string, unknown>>;

const fieldsOf = (value: unknown): Fields => (typeof value === 'object' && value !== null ? (value as Fields) : {});
const isText = (value: unknown): value is string => typeof value === 'string';
const isTextOrAbsent = (value: unknown): value is string | undefined => value === undefined || isText(value);
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
/** The latest time that a Date can hold, ms since the epoch. */
const LAST_MOMENT = 8.64e15;
const isMoment = (value: unknown): value is number => typeof value === 'number' && value >= 0 && value <= LAST_MOMENT;

/** The proof in the input of a workflow; empty, which proves nothing, if there is none. */
export function proofIn(input: unknown): string {
  const { proof } = fieldsOf(input);
  return isText(proof) ? proof : '';
}

/** The facts that an earlier history of a run has left to this one; null if there was none. */
export function carriedIn(input: unknown): CarriedRun | null {
  const { startedAt, next } = fieldsOf(fieldsOf(input)['carried']);
  const { turn, nth, number } = fieldsOf(next);
  return isMoment(startedAt) && isCount(turn) && isCount(nth) && isCount(number)
    ? { startedAt, next: { turn, nth, number } }
    : null;
}

export function readOrder(argument: unknown): ProvenOrder | null {
  const { at, proof } = fieldsOf(argument);
  return isMoment(at) && isText(proof) ? { at, proof } : null;
}

export interface ParkedSignal {
  cell: string;
  parked: Parked;
  proof: string;
}

export function readParked(argument: unknown): ParkedSignal | null {
  const { cell, parked, proof = '' } = fieldsOf(argument);
  const { nth, why, until, provider, account, message } = fieldsOf(parked);
  if (!isText(cell) || !isText(proof) || !isCount(nth) || !isMoment(until)) return null;
  if (why !== 'busy' && why !== 'limit') return null;
  if (!isTextOrAbsent(provider) || !isTextOrAbsent(account) || !isTextOrAbsent(message)) return null;
  return {
    cell,
    proof,
    parked: {
      nth,
      why,
      until,
      ...defined({ provider, account, message }),
    },
  };
}

export function readWake(argument: unknown): { nth: number; proof: string } | null {
  const { nth, proof = '' } = fieldsOf(argument);
  return isCount(nth) && isText(proof) ? { nth, proof } : null;
}

export function readEnded(argument: unknown): { cell: string } | null {
  const { cell } = fieldsOf(argument);
  return isText(cell) ? { cell } : null;
}
