import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { usableSecrets } from '#lib';
import { readTextIfThere } from '../fs/read-file.js';
import { writeFileAtomic } from '../fs/write-file.js';

/**
 * Values of environment variables that a sweep needs, from the shell of the command that started it: the worker may be
 * older than that shell. Only the user can read the file, the end of the sweep removes it, and its contents never cross
 * Temporal.
 */
export const SweepEnv = z.object({
  /** PATH, locale, proxies: for everything that a run starts. */
  base: z.record(z.string(), z.string()),
  /** The values of `${NAME}` and of the agents' keys. */
  values: z.record(z.string(), z.string()),
  /** Values that were replaced while the sweep ran. Agents that were started with them may still show them. */
  replaced: z.array(z.string()).exactOptional(),
});
export type SweepEnv = z.infer<typeof SweepEnv>;

const BASE =
  /^(PATH|LANG|LANGUAGE|LC_[A-Z]+|TZ|TERM|USER|LOGNAME|SHELL|SSL_CERT_(FILE|DIR)|NODE_EXTRA_CA_CERTS|(HTTPS?|NO|ALL|FTP)_PROXY|(https?|no|all|ftp)_proxy)$/;

/** Returns the part of an environment that a run may see. */
export function sweepEnvFrom(environment: NodeJS.ProcessEnv, names: Iterable<string>): SweepEnv {
  const pick = (wanted: (name: string) => boolean): Record<string, string> =>
    Object.fromEntries(
      Object.entries(environment).filter(
        (entry): entry is [string, string] => entry[1] !== undefined && wanted(entry[0]),
      ),
    );
  const wanted = new Set(names);
  return { base: pick((name) => BASE.test(name)), values: pick((name) => wanted.has(name)) };
}

export const sweepEnvFile = (stateFolder: string, sweep: string): string => join(stateFolder, 'env', `${sweep}.json`);

/** Stores a sweep's values in a file that only the user can read. */
export async function writeSweepEnv(stateFolder: string, sweep: string, env: SweepEnv): Promise<void> {
  const file = sweepEnvFile(stateFolder, sweep);
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await writeFileAtomic(file, JSON.stringify(env), 0o600);
}

/**
 * Returns the values of a sweep after some were passed again. Remembers those that were replaced.
 */
export function replaceValues(before: SweepEnv | null, fresh: SweepEnv): SweepEnv {
  const values = { ...before?.values, ...fresh.values };
  const replaced = new Set([
    ...(before?.replaced ?? []),
    ...Object.entries(before?.values ?? {}).flatMap(([name, value]) => (values[name] === value ? [] : [value])),
  ]);
  return {
    base: { ...before?.base, ...fresh.base },
    values,
    ...(replaced.size === 0 ? {} : { replaced: [...replaced] }),
  };
}

/** Returns null on a machine where no command has stored the values; its own environment is used there. */
export async function readSweepEnv(stateFolder: string, sweep: string): Promise<SweepEnv | null> {
  const file = sweepEnvFile(stateFolder, sweep);
  const text = await readTextIfThere(file);
  if (text === null) return null;
  try {
    return SweepEnv.parse(JSON.parse(text));
  } catch {
    // Without the parser's reason, which quotes the text: this message gets into Temporal's history.
    throw new Error(`${file} is damaged; cancel the sweep and run it again`);
  }
}

export const removeSweepEnv = (stateFolder: string, sweep: string): Promise<void> =>
  rm(sweepEnvFile(stateFolder, sweep), { force: true });

/** Variables whose values are not secret. Of others that the user's files refer to, no report may show the value. */
const NOT_SECRET = /^(HOME|USER|LOGNAME|PATH|PWD|SHELL|LANG|TMPDIR|TERM|TZ|CI|E2B_DOMAIN)$/;

/** The stored values that are not secret. */
export interface PublicValues {
  /** Names that every report contains, and what each is the name of. */
  names: ReadonlyMap<string, string>;
  /** Variables that hold the address of a provider. */
  addresses: ReadonlySet<string>;
  /** Folders of fixtures. Reports mention their files by name. */
  fixtures: readonly string[];
}

export const NO_PUBLIC_VALUES: PublicValues = { names: new Map(), addresses: new Set(), fixtures: [] };

/** Returns the stored values that no report may show. */
export const secretsIn = (values: Record<string, string>, known: PublicValues): string[] =>
  Object.entries(values).flatMap(([name, value]) =>
    NOT_SECRET.test(name) || isPlainAddress(name, value, known) || publicName(value, known) !== null ? [] : [value],
  );

/** Returns the variables whose values would be masked if they were not public names, and what each value names. */
export const publicVariables = (values: Record<string, string>, known: PublicValues): [string, string][] =>
  Object.entries(values).flatMap(([name, value]): [string, string][] => {
    const named = publicName(value, known);
    const isMaskable = !NOT_SECRET.test(name) && usableSecrets([value]).length > 0;
    return named === null || !isMaskable ? [] : [[name, named]];
  });

/** Returns what a value is the name of; null if it is not a public name. */
function publicName(value: string, { names, fixtures }: PublicValues): string | null {
  const name = value.trim();
  const named = names.get(name);
  if (named !== undefined) return named;
  if (!/^[^/\0][^\0]{0,200}$/.test(name) || name.split('/').includes('..')) return null;
  const isThere = fixtures
    .flatMap((folder) => [join(folder, name), join(folder, 'initial-state', name)])
    .some((path) => existsSync(path));
  return isThere ? 'a file of the fixture' : null;
}

/**
 * Errors contain the address that was called. One with a password, a query or a long part may be as secret as a key.
 */
function isPlainAddress(name: string, value: string, { addresses }: PublicValues): boolean {
  if (!addresses.has(name) || !/^https?:\/\//.test(value) || !URL.canParse(value)) return false;
  const { username, password, search, hash, pathname } = new URL(value);
  return `${username}${password}${search}${hash}` === '' && pathname.split('/').every((part) => part.length < 16);
}
