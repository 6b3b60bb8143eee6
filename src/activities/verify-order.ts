import { proveSignal, verifyOrderProof, verifySignal, type OrderFacts } from '../platform/origin.js';
import { originOf } from '../store/origin.js';
import type { Deps } from './step/deps.js';

/**
 * Whether an update that makes a sweep spend comes from a command. A look at a MAC, and no more: that `at` is later than
 * that of the last update is for the workflow to check, which keeps it.
 */
export const verifyOrder =
  (deps: Deps) =>
  async ({ proof, ...facts }: OrderFacts & { proof: string }): Promise<boolean> =>
    verifyOrderProof((await originOf(deps)).key, facts, proof);

/** A signal between a run and its sweep. */
interface SentSignal {
  sweep: string;
  /** Of the run. */
  workflowId: string;
  nth: number;
  proof: string;
}

/** For a sweep: the proof with which to wake the run up, where it is the run that says that it waits; null where it is not. */
export const verifyParked =
  (deps: Deps) =>
  async ({ workflowId, nth, proof }: SentSignal): Promise<string | null> => {
    const { key } = await originOf(deps);
    return verifySignal(key, { workflowId, nth, kind: 'parked' }, proof)
      ? proveSignal(key, { workflowId, nth, kind: 'wake' })
      : null;
  };

/** For a run: whether it is its sweep that wakes it up. */
export const verifyWake =
  (deps: Deps) =>
  async ({ workflowId, nth, proof }: SentSignal): Promise<boolean> =>
    verifySignal((await originOf(deps)).key, { workflowId, nth, kind: 'wake' }, proof);
