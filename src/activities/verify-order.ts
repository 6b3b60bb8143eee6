import { type OrderFacts, proveSignal, verifyOrderProof, verifySignal } from '#host';
import { originKey } from '#store';
import type { Deps } from './step/deps.js';

/**
 * Whether an update that makes a sweep spend money comes from a command. Checks only a MAC; the workflow checks that
 * `at` is later than that of the last update, which it stores.
 */
export const verifyOrder =
  (deps: Deps) =>
  async ({ proof, ...facts }: OrderFacts & { proof: string }): Promise<boolean> =>
    verifyOrderProof(await originKey(deps), facts, proof);

/** A signal between a run and its sweep, with its proof. */
interface SentSignal {
  sweep: string;
  /** Workflow id of the run. */
  workflowId: string;
  nth: number;
  proof: string;
}

/**
 * For a sweep: returns the proof with which to wake the run; null if the `parked` signal does not come from the run.
 */
export const verifyParked =
  (deps: Deps) =>
  async ({ workflowId, nth, proof }: SentSignal): Promise<string | null> => {
    const key = await originKey(deps);
    return verifySignal(key, { workflowId, nth, kind: 'parked' }, proof)
      ? proveSignal(key, { workflowId, nth, kind: 'wake' })
      : null;
  };

/** For a run: whether the `wake` signal comes from its sweep. */
export const verifyWake =
  (deps: Deps) =>
  async ({ workflowId, nth, proof }: SentSignal): Promise<boolean> =>
    verifySignal(await originKey(deps), { workflowId, nth, kind: 'wake' }, proof);
