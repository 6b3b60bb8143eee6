import { existsSync } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { ApplicationFailure } from '@temporalio/common';
import type { Agent, LoginFile } from '../../agents/agent.js';
import { RUN_FOLDERS } from '../../environments/run-folders.js';
import { isJsonObject, parseJson, type Json } from '../../lib/json.js';
import { readTextInside } from '../../platform/open-inside.js';
import { readTextIfThere } from '../../platform/read-file.js';
import { writeFileAtomic } from '../../platform/write-file.js';
import { makeOwnFolder } from './make-own-folder.js';

/** What of a run is needed for its agent's login. */
export interface Borrower {
  agent: Agent;
  home: string;
  config: string;
  handle: { root: string };
}

/** Shorter texts in files of credentials are names and kinds. */
const SECRET_LENGTH = 16;

const ownFile = ({ home }: LoginFile): string => join(homedir(), home);
/** As each start was given them. */
const lentFolder = ({ handle }: Borrower): string => join(handle.root, RUN_FOLDERS.login);
/** As the agent has left it, who may have put anything in its place. */
const readOfAgent = (borrower: Borrower, file: LoginFile): string | null =>
  readTextInside(borrower.handle.root, relative(borrower.handle.root, file.at(borrower)));
const lentFile = (borrower: Borrower, start: number, file: LoginFile): string =>
  join(lentFolder(borrower), String(start), file.home);

/** Why an agent that is to use its user's login cannot; null where it can, or needs none. */
export function whyNotLoggedIn({ agent }: Pick<Borrower, 'agent'>): string | null {
  const missing = (agent.login ?? []).find((file) => !existsSync(ownFile(file)));
  return missing === undefined
    ? null
    : `not logged in: there is no ~/${missing.home}; log in with ${agent.name} in a shell of yours, or set auth to "key" in [agents.${agent.name}]`;
}

/** Copies the user's login, and nothing else of HOME, to where a start of the agent finds it. */
export async function lendLogin(borrower: Borrower, start: number): Promise<void> {
  for (const file of borrower.agent.login ?? []) {
    const content = await readTextIfThere(ownFile(file));
    if (content === null)
      throw ApplicationFailure.nonRetryable(whyNotLoggedIn(borrower) ?? 'not logged in', 'NotLoggedIn');
    for (const path of [lentFile(borrower, start, file), file.at(borrower)]) {
      await makeOwnFolder(borrower.handle.root, dirname(path));
      await writeFileAtomic(path, content, 0o600);
    }
  }
}

/**
 * Writes a login that the agent has renewed back to the user's, whose own may be good for nothing now; not over one that has
 * changed meanwhile. Says what it did. Can be repeated.
 */
export async function returnLogin(borrower: Borrower, start: number): Promise<string[]> {
  const notes: string[] = [];
  for (const file of borrower.agent.login ?? []) {
    const lent = await readTextIfThere(lentFile(borrower, start, file));
    const renewed = readOfAgent(borrower, file);
    const own = await readTextIfThere(ownFile(file));
    if (lent === null || renewed === null || renewed === lent || renewed === own) continue;
    // An agent that was killed may have left half of it.
    if (own !== lent || !isJsonObject(parseJson(renewed))) {
      notes.push(`start ${start} of the agent changed its login; ~/${file.home} was left as it is`);
      continue;
    }
    const path = await realpath(ownFile(file)); // it may be a symlink
    await writeFileAtomic(path, renewed, (await stat(path)).mode & 0o777);
    notes.push(`start ${start} of the agent renewed its login, which was written to ~/${file.home}`);
  }
  return notes;
}

/** Tokens in the user's files, in those that were lent, and in what agents have made of them. */
export async function loginSecrets(borrower: Borrower): Promise<string[]> {
  const files = borrower.agent.login ?? [];
  if (files.length === 0) return [];
  const starts = (await readdir(lentFolder(borrower)).catch(() => [])).map(Number);
  const paths = files.flatMap((file) => [
    ownFile(file),
    ...starts.map((start) => lentFile(borrower, start, file)),
  ]);
  const texts = [
    ...(await Promise.all(paths.map(readTextIfThere))),
    ...files.map((file) => readOfAgent(borrower, file)),
  ];
  return [...new Set(texts.flatMap((text) => stringsIn(parseJson(text ?? ''))))].filter(
    (value) => value.length >= SECRET_LENGTH,
  );
}

function stringsIn(value: Json | undefined): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : [];
}
