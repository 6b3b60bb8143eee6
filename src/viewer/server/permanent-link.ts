import { randomBytes } from 'node:crypto';
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { projectState, readJsonIfThere, writeFileAtomic } from '#host';

/** The parts of the viewer's address that stay the same for a results folder, so that links to its pages stay valid. */
const Link = z.strictObject({
  /** Null: none was chosen yet. */
  port: z.int().min(1).max(65_535).nullable(),
  token: z.string().regex(/^[\w-]{32,}$/),
});
export type Link = z.infer<typeof Link>;

const newLink = (): Link => ({ port: null, token: randomBytes(24).toString('base64url') });

const linkFile = (resultsPath: string): string => join(projectState(resultsPath).folder, 'view.json');

/** A link that others could have read or written, or that is damaged, is replaced by a new one. */
async function readLink(file: string): Promise<Link | null> {
  const stat = lstatSync(file, { throwIfNoEntry: false });
  const isOurs = stat?.isFile() === true && stat.uid === (process.getuid?.() ?? stat.uid) && (stat.mode & 0o077) === 0;
  if (!isOurs) return null;
  const read = Link.safeParse(await readJsonIfThere(file).catch(() => null));
  return read.success ? read.data : null;
}

/** Returns the link of a results folder. `isNew`: a new one, which makes those of before invalid. */
export const permanentLink = async (resultsPath: string, isNew: boolean): Promise<Link> =>
  (isNew ? null : await readLink(linkFile(resultsPath))) ?? newLink();

/** Keeps a link for the next time, so that only this user can read it. */
export const keepLink = (resultsPath: string, link: Link): Promise<void> =>
  writeFileAtomic(linkFile(resultsPath), `${JSON.stringify(link)}\n`, 0o600);
