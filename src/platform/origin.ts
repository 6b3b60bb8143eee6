import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { canonicalJson } from '../lib/canonical-json.js';
import { parseJson } from '../lib/json.js';
import { readTextIfThere } from './fs/read-file.js';
import { publishOnce } from './fs/write-file.js';

/**
 * Proof of origin. Whoever reaches Temporal's ports can start workflows, send signals and complete activities; whoever
 * can read the private state is the user. So what the command line starts, and what a step leaves, carries a MAC with a
 * key that only the private state holds.
 */
export interface Origin {
  key: Buffer;
  /** Sweeps that were open when the key was made, with the SHA-256 of their plans: an older build has started them, without a proof. */
  before: Readonly<Record<string, string>>;
}

const keyFile = (stateFolder: string): string => join(stateFolder, 'origin.key');
const beforeFile = (stateFolder: string): string => join(stateFolder, 'origin-before.json');

/**
 * The key of a private state, made at the first use. `openSweeps` is asked then only: what it gives is exempt, and
 * nothing later is.
 */
export async function readOrigin(
  stateFolder: string,
  openSweeps: () => Record<string, string>,
): Promise<Origin> {
  let text = await readTextIfThere(keyFile(stateFolder));
  if (text === null) {
    mkdirSync(stateFolder, { recursive: true, mode: 0o700 });
    // The list first: once there is a key, no sweep can be added to it.
    await publishOnce(beforeFile(stateFolder), JSON.stringify(openSweeps()), 0o600);
    await publishOnce(keyFile(stateFolder), randomBytes(32).toString('hex'), 0o600);
    text = await readTextIfThere(keyFile(stateFolder));
  }
  if (text === null || !/^[0-9a-f]{64}$/.test(text))
    throw new Error(`${keyFile(stateFolder)} is damaged; delete it and resume the open sweeps`);
  const before = parseJson((await readTextIfThere(beforeFile(stateFolder))) ?? '{}');
  return { key: Buffer.from(text, 'hex'), before: before as Record<string, string> };
}

type Key = Origin['key'];

/** One domain for each thing that is proved, so that no proof can pass for another. */
const mac = (key: Key, domain: string, ...facts: unknown[]): string =>
  createHmac('sha256', key)
    .update(canonicalJson([domain, ...facts]))
    .digest('hex');

function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** `<id of the order>.<mac>`: each start of a sweep is an order of its own, and so are the runs that it starts. */
const TOKEN = /^([0-9a-f]{16})\.([0-9a-f]{64})$/;
type Prove = (order: string) => string;

function orderOf(token: string, prove: Prove): string | null {
  const [, order = '', given = ''] = TOKEN.exec(token) ?? [];
  return order !== '' && isSame(prove(order), given) ? order : null;
}

/** What a start of a sweep is proved over: all that decides what is run and spent. */
export interface SweepFacts {
  sweep: string;
  /** SHA-256 of plan.json. */
  planHash: string;
  /** All that the workflow is started with, other than the proof and what is carried over. */
  order: object;
}

const sweepMac =
  (key: Key, { sweep, planHash, order }: SweepFacts): Prove =>
  (id) =>
    mac(key, 'sweep', sweep, planHash, id, order);

/** The proof that a command gives to the sweep that it starts. */
export function proveSweep(key: Key, facts: SweepFacts): string {
  const id = randomBytes(8).toString('hex');
  return `${id}.${sweepMac(key, facts)(id)}`;
}

/** The id of the order that a sweep's proof names; null where it proves nothing. */
export const verifySweepProof = (key: Key, facts: SweepFacts, proof: string): string | null =>
  orderOf(proof, sweepMac(key, facts));

/** What a run is proved over. */
export interface RunFacts {
  sweep: string;
  planHash: string;
  cell: object;
  /** Names the round, too. */
  workflowId: string;
}

const runMac =
  (key: Key, { sweep, planHash, cell, workflowId }: RunFacts): Prove =>
  (id) =>
    mac(key, 'run', sweep, planHash, id, cell, workflowId);

/** The proof of a run that the sweep with that order may start. */
export const proveRun = (key: Key, facts: RunFacts, order: string): string =>
  `${order}.${runMac(key, facts)(order)}`;

/** The id of the order that a run's proof names; null where it proves nothing. */
export const verifyRunProof = (key: Key, facts: RunFacts, proof: string): string | null =>
  orderOf(proof, runMac(key, facts));

/**
 * An update that makes a sweep spend. `at`, in ms since the epoch, is part of the proof: a workflow that takes none that is
 * not later than the last one it took cannot be sent a recorded one again.
 */
export interface OrderFacts {
  sweep: string;
  verb: 'resume' | 'goOn';
  at: number;
}

const orderMac = (key: Key, { sweep, verb, at }: OrderFacts): string => mac(key, 'update', sweep, verb, at);

/** The argument of such an update, as a command sends it now. */
export function proveOrder(
  key: Key,
  facts: Pick<OrderFacts, 'sweep' | 'verb'>,
  at = Date.now(),
): { at: number; proof: string } {
  return { at, proof: orderMac(key, { ...facts, at }) };
}

export const verifyOrderProof = (key: Key, facts: OrderFacts, proof: string): boolean =>
  isSame(orderMac(key, facts), proof);

/** A signal between a run and its sweep: `parked`, the run waits for its provider; `wake`, its sweep has a slot for it again. */
export interface SignalFacts {
  workflowId: string;
  kind: 'parked' | 'wake';
  /** The which time it is in the life of the run, from 1. */
  nth: number;
}

export const proveSignal = (key: Key, { workflowId, kind, nth }: SignalFacts): string =>
  mac(key, 'signal', workflowId, kind, nth);

export const verifySignal = (key: Key, facts: SignalFacts, proof: string): boolean =>
  isSame(proveSignal(key, facts), proof);

/** What was left by a step of a run, signed: `text` is the JSON of an object, which gets the MAC as its last member. */
export const sign = (key: Key, run: string, step: string, text: string): string =>
  `${text.slice(0, -1)},"mac":"${mac(key, 'manifest', run, step, text)}"}`;

/** What was signed; `unsigned` where there is no MAC, `altered` where it is not that of this text, run and step. */
export function readSigned(
  key: Key,
  run: string,
  step: string,
  text: string,
): { status: 'signed'; text: string } | { status: 'unsigned' | 'altered' } {
  const [, body = '', given] = /^(.*),"mac":"([0-9a-f]{64})"\}$/s.exec(text) ?? [];
  if (given === undefined) return { status: 'unsigned' };
  const signed = `${body}}`;
  return isSame(mac(key, 'manifest', run, step, signed), given)
    ? { status: 'signed', text: signed }
    : { status: 'altered' };
}
