import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { readJsonIfThere, writeFileAtomic } from '#host';
import type { CloudSandbox, EnvironmentHandle } from '../environment.js';
import { E2B_VARIABLES, optionsFrom, type E2bOptions } from './service.js';

/** The record of a run's sandbox in its private state. */
export interface SandboxRecord {
  id: string;
  /** PATH in the sandbox; absent until it was asked for. */
  path?: string;
}

const recordFile = ({ journal }: Pick<EnvironmentHandle, 'journal'>): string =>
  join(dirname(journal), 'e2b-sandbox.json');

/** Returns the record of a run's sandbox; null if none was made, or if the file was left empty by a power failure. */
export const readRecord = (handle: Pick<EnvironmentHandle, 'journal'>): Promise<SandboxRecord | null> =>
  readJsonIfThere<SandboxRecord>(recordFile(handle)).catch(() => null);

export const writeRecord = (handle: EnvironmentHandle, record: SandboxRecord): Promise<void> =>
  writeFileAtomic(recordFile(handle), JSON.stringify(record), 0o600);

export const removeRecord = (handle: EnvironmentHandle): Promise<void> => rm(recordFile(handle), { force: true });

/** The file with the key of a run, in its private state on the host: the run's clean-up may outlive its sweep. */
export const accessFile = (state: string): string => join(state, 'e2b-access.json');

/** Keeps the values that a run needs to reach its sandbox, where only the user can read them. */
export async function keepAccess({ access }: CloudSandbox, values: Readonly<Record<string, string>>): Promise<void> {
  const needed = Object.fromEntries(
    E2B_VARIABLES.flatMap((name) => (values[name] === undefined ? [] : [[name, values[name]]])),
  );
  const text = JSON.stringify(needed);
  const known = await readJsonIfThere(access).catch(() => null);
  if (JSON.stringify(known) !== text) await writeFileAtomic(access, text, 0o600);
}

/** Returns how to reach the service; null if nothing was kept. */
export async function readAccess({ access }: CloudSandbox): Promise<E2bOptions | null> {
  const values = await readJsonIfThere<Record<string, string>>(access).catch(() => null);
  return values === null ? null : optionsFrom(values);
}

export const removeAccess = ({ access }: CloudSandbox): Promise<void> => rm(access, { force: true });
