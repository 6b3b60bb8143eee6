import { mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { readTextIfThere } from './read-file.js';
import { writeFileAtomic } from './write-file.js';

/**
 * Values of environment variables that a sweep needs, from the shell of the command that started it: the worker may be
 * older than that shell. The file is the user's alone, goes when the sweep ends, and its content never crosses Temporal.
 */
export const Handover = z.object({
  /** PATH, locale, proxies: for everything that a run starts. */
  base: z.record(z.string(), z.string()),
  /** What `${NAME}` and the agents' keys refer to. */
  values: z.record(z.string(), z.string()),
});
export type Handover = z.infer<typeof Handover>;

const BASE =
  /^(PATH|LANG|LANGUAGE|LC_[A-Z]+|TZ|TERM|USER|LOGNAME|SHELL|SSL_CERT_(FILE|DIR)|NODE_EXTRA_CA_CERTS|(HTTPS?|NO|ALL|FTP)_PROXY|(https?|no|all|ftp)_proxy)$/;

/** The part of an environment that a run may see. */
export function handoverFrom(environment: NodeJS.ProcessEnv, names: Iterable<string>): Handover {
  const pick = (wanted: (name: string) => boolean): Record<string, string> =>
    Object.fromEntries(
      Object.entries(environment).filter(
        (entry): entry is [string, string] => entry[1] !== undefined && wanted(entry[0]),
      ),
    );
  const wanted = new Set(names);
  return { base: pick((name) => BASE.test(name)), values: pick((name) => wanted.has(name)) };
}

export const handoverFile = (stateFolder: string, sweep: string): string =>
  join(stateFolder, 'env', `${sweep}.json`);

/** Hands a sweep's values over, readable for the user alone. */
export async function writeHandover(stateFolder: string, sweep: string, handover: Handover): Promise<void> {
  const file = handoverFile(stateFolder, sweep);
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await writeFileAtomic(file, JSON.stringify(handover), 0o600);
}

/** null on a machine where no command has handed anything over: its own environment counts there. */
export async function readHandover(stateFolder: string, sweep: string): Promise<Handover | null> {
  const file = handoverFile(stateFolder, sweep);
  const text = await readTextIfThere(file);
  if (text === null) return null;
  try {
    return Handover.parse(JSON.parse(text));
  } catch {
    // Without the reason: the parser's quotes the text, and what is thrown here gets into Temporal's history.
    throw new Error(`${file} is broken: cancel the sweep, and run it again`);
  }
}

export const removeHandover = (stateFolder: string, sweep: string): Promise<void> =>
  rm(handoverFile(stateFolder, sweep), { force: true });
