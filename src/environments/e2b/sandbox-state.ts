import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { readJsonIfThere, writeFileAtomic } from '#host';
import type { CloudSandbox } from '../machine/settings.js';
import { E2B_VARIABLES, optionsFrom, type E2bOptions } from './service.js';

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
