import { type OrderFacts, proveSignal, verifyOrderProof, verifySignal } from '#host';
import { originKey } from '#store';
import type { Deps } from '../step/deps.js';

/**
 * True if an update that makes a sweep spend money comes from a command. Checks only a MAC; the workflow checks that
 * `at` is later than that of the last update, which it stores.
 */
export const verifyOrder =
  (deps: Deps) =>
  async ({ proof, ...facts }: OrderFacts & { proof: string }): Promise<boolean> =>
    verifyOrderProof(await originKey(deps), facts, proof);

/** A signal between a run and its sweep, with its proof. */
interface SentSignal {
  /** Workflow id of the run. */
  workflowId: string;
  nth: number;
  proof: string;
}

/**
 * For a sweep: returns the proofs with which to wake runs; null for each `parked` signal that does not come from its
 * run.
 */
export const verifyParked =
  (deps: Deps) =>
  async ({ signals }: { sweep: string; signals: readonly SentSignal[] }): Promise<(string | null)[]> => {
    const key = await originKey(deps);
    return signals.map(({ workflowId, nth, proof }) =>
      verifySignal(key, { workflowId, nth, kind: 'parked' }, proof)
        ? proveSignal(key, { workflowId, nth, kind: 'wake' })
        : null,
    );
  };

/** For a run: whether the `wake` signal comes from its sweep. */
export const verifyWake =
  (deps: Deps) =>
  async ({ workflowId, nth, proof }: SentSignal & { sweep: string }): Promise<boolean> =>
    verifySignal(await originKey(deps), { workflowId, nth, kind: 'wake' }, proof);
