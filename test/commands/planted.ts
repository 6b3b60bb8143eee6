import { readdir, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { encodings } from '../../src/lib/redaction/redact-exact.js';

/** Values that are only in the environment of `run`. The second one has several lines, which are printed one by one. */
export const SECRET = 'Zk9$vQ4"mT7/xW2+pR8 hL5';
export const LINES = 'kX3-first-line-of-a-value\nqN6-second-line-of-a-value';
/** A secret for names of files and folders, without quotes and slashes. */
export const PLAIN = 'hB7mQ2zT9wK4xP6v';
/** The key of the judge, which its server may also print. */
export const KEY = 'jD5-key-of-the-judge-rW8';

/** Any of these is a leak, anywhere; of a truncated value, its beginning. */
const forms = [...new Set([SECRET, LINES, ...LINES.split('\n'), PLAIN, KEY].flatMap(encodings)), SECRET.slice(0, 9)];
export const leaksIn = (text: string): string[] => forms.filter((form) => text.includes(form));

/** Every file, folder and symlink with its path, and its content or the destination of the symlink. */
export async function everythingBelow(folder: string): Promise<{ name: string; content: string }[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return Promise.all(
    entries.map(async (entry) => {
      const name = join(entry.parentPath, entry.name);
      if (entry.isSymbolicLink()) return { name, content: await readlink(name) };
      return { name, content: entry.isFile() ? (await readFile(name)).toString('latin1') : '' };
    }),
  );
}
