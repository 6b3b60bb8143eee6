import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { canonicalJson } from '#lib';
import { readTextIfThere } from '../fs/read-file.js';
import { publishOnce } from '../fs/write-file.js';

/**
 * Proof of origin. Anyone who reaches Temporal's ports can start workflows, send signals and complete activities, but
 * only the user can read the private state. So everything that the command line starts or a step records carries a MAC,
 * with a key that only the private state contains.
 */
type Key = Buffer;

/** The file with the key, in a private state. */
export const keyFile = (stateFolder: string): string => join(stateFolder, 'origin.key');

/** Returns the key of a private state, which is made at the first use. Throws if the key is damaged. */
export async function readOriginKey(stateFolder: string): Promise<Key> {
  let text = await readTextIfThere(keyFile(stateFolder));
  if (text === null) {
    mkdirSync(stateFolder, { recursive: true, mode: 0o700 });
    await publishOnce(keyFile(stateFolder), randomBytes(32).toString('hex'), 0o600);
    text = await readTextIfThere(keyFile(stateFolder));
  }
  if (text === null || !/^[0-9a-f]{64}$/.test(text))
    throw new Error(`${keyFile(stateFolder)} is damaged; delete it and resume the open sweeps`);
  return Buffer.from(text, 'hex');
}

/** Each kind of proof has its own domain, so that no proof can pass for one of another kind. */
const mac = (key: Key, domain: string, ...facts: unknown[]): string =>
  createHmac('sha256', key)
    .update(canonicalJson([domain, ...facts]))
    .digest('hex');

function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** `<id of the order>.<mac>`. Each start of a sweep is a new order, which the runs that it starts share. */
const TOKEN = /^([0-9a-f]{16})\.([0-9a-f]{64})$/;
type Prove = (order: string) => string;

function orderOf(token: string, prove: Prove): string | null {
  const [, order = '', given = ''] = TOKEN.exec(token) ?? [];
  return order !== '' && isSame(prove(order), given) ? order : null;
}

/** The facts that the proof of a sweep covers: everything that decides what is run and spent. */
export interface SweepFacts {
  sweep: string;
  /** SHA-256 of plan.json. */
  planHash: string;
  /** The input of the workflow, except for the proof and what one execution carries over to the next. */
  order: object;
}

const sweepMac =
  (key: Key, { sweep, planHash, order }: SweepFacts): Prove =>
  (id) =>
    mac(key, 'sweep', sweep, planHash, id, order);

/** Creates the proof that a command gives to the sweep that it starts. */
export function proveSweep(key: Key, facts: SweepFacts): string {
  const id = randomBytes(8).toString('hex');
  return `${id}.${sweepMac(key, facts)(id)}`;
}

/** Returns the id of the order in a sweep's proof; null if the proof is invalid. */
export const verifySweepProof = (key: Key, facts: SweepFacts, proof: string): string | null =>
  orderOf(proof, sweepMac(key, facts));

/** The facts that the proof of a run covers. */
export interface RunProofFacts {
  sweep: string;
  planHash: string;
  cell: object;
  /** Contains the round too. */
  workflowId: string;
}

const runMac =
  (key: Key, { sweep, planHash, cell, workflowId }: RunProofFacts): Prove =>
  (id) =>
    mac(key, 'run', sweep, planHash, id, cell, workflowId);

/** Creates the proof of a run, for a sweep with this order. */
export const proveRun = (key: Key, facts: RunProofFacts, order: string): string =>
  `${order}.${runMac(key, facts)(order)}`;

/** Returns the id of the order in a run's proof; null if the proof is invalid. */
export const verifyRunProof = (key: Key, facts: RunProofFacts, proof: string): string | null =>
  orderOf(proof, runMac(key, facts));

/**
 * The facts that the proof of a schedule covers: all of its settings, among them when it fires, and the plan of its
 * sweeps.
 */
export interface ScheduleFacts {
  schedule: string;
  /** SHA-256 of the schedule's file. */
  hash: string;
}

/** Creates the proof that the firings of a schedule carry. Each of its times allows one sweep. */
export const proveSchedule = (key: Key, { schedule, hash }: ScheduleFacts): string =>
  mac(key, 'schedule', schedule, hash);

export const verifyScheduleProof = (key: Key, facts: ScheduleFacts, proof: string): boolean =>
  isSame(proveSchedule(key, facts), proof);

/** Creates the proof that a command ordered one more firing of a schedule. */
export const proveTrigger = (key: Key, { schedule, hash }: ScheduleFacts, order: string): string =>
  mac(key, 'trigger', schedule, hash, order);

export const verifyTriggerProof = (key: Key, facts: ScheduleFacts, order: string, proof: string): boolean =>
  isSame(proveTrigger(key, facts, order), proof);

/**
 * An update that makes a sweep spend money. `at`, in ms since the epoch, is part of the proof. A workflow only accepts
 * updates that are later than the last one it accepted, so a recorded update cannot be sent again.
 */
export interface OrderFacts {
  sweep: string;
  verb: 'resume' | 'goOn';
  at: number;
}

const orderMac = (key: Key, { sweep, verb, at }: OrderFacts): string => mac(key, 'update', sweep, verb, at);

/** Creates the argument of such an update, to be sent now. */
export function proveOrder(
  key: Key,
  facts: Pick<OrderFacts, 'sweep' | 'verb'>,
  at = Date.now(),
): { at: number; proof: string } {
  return { at, proof: orderMac(key, { ...facts, at }) };
}

export const verifyOrderProof = (key: Key, facts: OrderFacts, proof: string): boolean =>
  isSame(orderMac(key, facts), proof);

/** A signal between a run and its sweep. `parked`: the run waits for its provider. `wake`: it gets a slot again. */
export interface SignalFacts {
  workflowId: string;
  kind: 'parked' | 'wake';
  /** Counts these signals in the life of the run, from 1. */
  nth: number;
}

export const proveSignal = (key: Key, { workflowId, kind, nth }: SignalFacts): string =>
  mac(key, 'signal', workflowId, kind, nth);

export const verifySignal = (key: Key, facts: SignalFacts, proof: string): boolean =>
  isSame(proveSignal(key, facts), proof);

/** Signs what a step of a run recorded. `text` is the JSON of an object, which gets the MAC as its last member. */
export const sign = (key: Key, run: string, step: string, text: string): string =>
  `${text.slice(0, -1)},"mac":"${mac(key, 'manifest', run, step, text)}"}`;

/** Returns the signed text; null if its MAC is absent, or not that of this text, run and step. */
export function readSigned(key: Key, run: string, step: string, text: string): string | null {
  const [, body = '', given] = /^(.*),"mac":"([0-9a-f]{64})"\}$/s.exec(text) ?? [];
  const signed = `${body}}`;
  return given !== undefined && isSame(mac(key, 'manifest', run, step, signed), given) ? signed : null;
}
