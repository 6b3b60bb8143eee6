import type { GateDetail } from '#model';
import type { Manifest } from '../step/run-step-once.js';

/** The steps in which a gate was checked: one, or one for each turn of a conversation. */
export interface CheckedGate {
  /** Index of the scenario's step after which it is checked; null: after all steps. */
  after: number | null;
  checks: { name: string; turn: number | null; left: Manifest<GateDetail> | null }[];
}

/**
 * Combines the results of a gate in all turns: the first error, else the first failure, else the last pass. Null if it
 * was not checked.
 */
export function combineTurns(
  results: readonly { turn: number | null; detail: GateDetail }[],
): GateDetail | null {
  const [first] = results;
  if (first === undefined || first.turn === null) return first?.detail ?? null;
  const by = (status: GateDetail['status']) => results.find(({ detail }) => detail.status === status);
  const decisive = by('error') ?? by('fail') ?? results.at(-1) ?? first;
  const { status, message } = decisive.detail;
  const when =
    status === 'pass'
      ? `passed after each of ${results.length} turns`
      : `after turn ${decisive.turn ?? 0}: ${message}`;
  return {
    ...decisive.detail,
    message: when,
    detail: results.map(({ turn, detail }) => ({
      turn,
      status: detail.status,
      message: detail.message,
      detail: detail.detail,
    })),
    duration_ms: results.reduce((sum, { detail }) => sum + detail.duration_ms, 0),
  };
}
