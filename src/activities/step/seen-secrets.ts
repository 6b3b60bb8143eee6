import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { readTextIfThere, writeFileAtomic } from '#host';
import { parseJson } from '#lib';

const secretsFile = (state: string): string => join(state, 'seen-secrets.json');

/**
 * Returns the secrets that steps of a run have been given so far, and remembers these ones: a key can be replaced while
 * the run goes on, and its agent may have shown the old one. `state`: the run's private folder.
 */
export async function seenSecrets(state: string, secrets: readonly string[]): Promise<string[]> {
  const text = await readTextIfThere(secretsFile(state));
  const seen = z.array(z.string()).safeParse(parseJson(text ?? '')).data ?? [];
  const all = [...new Set([...seen, ...secrets])];
  if (all.length > seen.length) await writeFileAtomic(secretsFile(state), JSON.stringify(all), 0o600);
  return all;
}

/** Removes them, once nothing of the run is written any more. */
export const forgetSecrets = (state: string): Promise<void> => rm(secretsFile(state), { force: true });
