import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { rm } from 'node:fs/promises';
import type { z } from 'zod';
import { publishOnce, readTextIfThere, writeFileAtomic } from '#host';
import { parseJson } from '#lib';
import { isCurrent, limitReported, mergeLimits, NotedLimit, permissionFor, Probe } from '#model';
import type { SharedStore } from './shared/shared-store.js';

/**
 * The limits that accounts of providers have reached, for all sweeps of an engine, or for all hosts of shared results.
 * Without them, each sweep and host would have to reach a limit to know it. So if they cannot be read or written,
 * agents are started: nothing here rejects.
 */
export interface ProviderLimits {
  /**
   * Returns until when an agent of the account must wait (ms since the epoch), or null if it may start. If it is
   * unknown when the limit ends, one agent may start to find out, before the others. `waitedUntil`: the time until
   * which the agent has waited already; null if it has not.
   */
  admit: (account: string, waitedUntil: number | null) => Promise<number | null>;
  /** Returns when the account's limit ends (ms since the epoch); null if it has none. */
  current: (account: string) => Promise<number | null>;
  /** Notes that an agent has reached the limit. `at`: when it ends, ms since the epoch; null if that is unknown. */
  note: (account: string, at: number | null) => Promise<void>;
  /** Forgets the limit, because a user has asked to try again. */
  forget: (account: string) => Promise<void>;
}

type LimitStore = Pick<SharedStore, 'get' | 'put' | 'putOnce' | 'remove'>;

/** The limits of an engine, in its private folder. */
export const localLimits = (stateFolder: string): ProviderLimits =>
  providerLimits(privateFolder(join(stateFolder, 'limits')), '');

/** The limits of all hosts of shared results. */
export const sharedLimits = (store: LimitStore): ProviderLimits => providerLimits(store, '.shared/limits/');

/** For how long a host believes that an account has no limit, ms. That it has one is looked up each time. */
const BELIEVED_MS = 5000;

function providerLimits(store: LimitStore, prefix: string, now = () => Date.now()): ProviderLimits {
  /** When each account was last seen without a limit. */
  const unlimited = new Map<string, number>();
  const limitName = (account: string): string => `${prefix}${objectName(account)}.json`;
  const probeName = ({ account, until }: NotedLimit): string =>
    `${prefix}${objectName(account)}.probe-${Date.parse(until)}.json`;

  async function read<T>(name: string, schema: z.ZodType<T>): Promise<T | null> {
    const text = await store.get(name);
    return schema.safeParse(text === null ? null : parseJson(text.toString())).data ?? null;
  }
  async function limitOf(account: string): Promise<NotedLimit | null> {
    const limit = await read(limitName(account), NotedLimit);
    if (limit === null) unlimited.set(account, now());
    else unlimited.delete(account);
    return limit;
  }
  const isBelievedUnlimited = (account: string): boolean => now() - (unlimited.get(account) ?? -Infinity) < BELIEVED_MS;

  async function admit(account: string, waitedUntil: number | null): Promise<number | null> {
    if (waitedUntil === null && isBelievedUnlimited(account)) return null;
    const limit = await limitOf(account);
    if (limit === null) return null;
    const ask = async () => permissionFor(limit, await read(probeName(limit), Probe), { now: now(), waitedUntil });
    const permission = await ask();
    if (permission !== 'probe') return permission === 'start' ? null : permission.until;
    const probe: Probe = { schema_version: 1, at: new Date(now()).toISOString(), by: randomUUID() };
    if (await store.putOnce(probeName(limit), JSON.stringify(probe))) return null;
    const later = await ask();
    return typeof later === 'string' ? null : later.until;
  }

  return {
    admit: (account, waitedUntil) => unless(null, () => admit(account, waitedUntil)),
    current: (account) =>
      unless(null, async () => {
        if (isBelievedUnlimited(account)) return null;
        const limit = await limitOf(account);
        return limit === null || !isCurrent(limit, now()) ? null : Date.parse(limit.until);
      }),
    note: (account, at) =>
      unless(undefined, async () => {
        const before = await limitOf(account);
        const limit = mergeLimits(before, limitReported(account, at, now()), now());
        await store.put(limitName(account), JSON.stringify(limit));
        unlimited.delete(account);
        if (before !== null && before.until !== limit.until) await store.remove(probeName(before));
      }),
    forget: (account) =>
      unless(undefined, async () => {
        const limit = await limitOf(account);
        if (limit === null) return;
        await store.remove(limitName(account));
        await store.remove(probeName(limit));
      }),
  };
}

async function unless<T>(otherwise: T, perform: () => Promise<T>): Promise<T> {
  try {
    return await perform();
  } catch {
    return otherwise;
  }
}

/** Accounts contain names of providers, which may be anything. Different accounts have different names. */
const objectName = (account: string): string =>
  [...Buffer.from(account)]
    .map((byte) => {
      const character = String.fromCharCode(byte);
      return /[A-Za-z0-9-]/.test(character) ? character : `_${byte.toString(16).padStart(2, '0')}`;
    })
    .join('');

const privateFolder = (folder: string): LimitStore => ({
  get: async (name) => {
    const text = await readTextIfThere(join(folder, name));
    return text === null ? null : Buffer.from(text);
  },
  put: (name, data) => writeFileAtomic(join(folder, name), data, 0o600),
  putOnce: (name, data) => publishOnce(join(folder, name), data.toString(), 0o600),
  remove: (name) => rm(join(folder, name), { force: true }),
});
