import { existsSync } from 'node:fs';
import { mkdir, readdir, realpath, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { ApplicationFailure } from '@temporalio/common';
import type { Agent, LoginFile } from '../../agents/agent.js';
import type { Environment, EnvironmentHandle, StartRequest } from '../../environments/environment.js';
import { fileText } from '../../gates/gate.js';
import { isJsonObject, parseJson, type Json } from '../../lib/json.js';
import { readTextIfThere } from '../../platform/fs/read-file.js';
import { removeTree } from '../../platform/fs/tree.js';
import { writeFileAtomic } from '../../platform/fs/write-file.js';

/** What of a run is needed for its agent's login. */
export interface CredentialTarget {
  agent: Agent;
  home: string;
  config: string;
  handle: EnvironmentHandle;
  /** Folder of the host where the run remembers what it has lent. */
  state: string;
}

/** Shorter texts in files of credentials are names and kinds. */
const SECRET_LENGTH = 16;

const ownFile = ({ home }: LoginFile): string => join(homedir(), home);
/** As each start was given them. */
const lentFolder = ({ state }: Pick<CredentialTarget, 'state'>): string => join(state, 'login');
/** As the agent has left it, who may have put anything in its place. */
const readOfAgent = async (
  environment: Environment,
  borrower: CredentialTarget,
  file: LoginFile,
): Promise<string | null> => {
  const { root } = borrower.handle;
  return fileText(await environment.look(borrower.handle, relative(root, file.at(borrower)), root));
};
const lentFile = (borrower: CredentialTarget, start: number, file: LoginFile): string =>
  join(lentFolder(borrower), String(start), file.home);

/** Why an agent that is to use its user's login cannot; null where it can, or needs none. */
export function whyNotLoggedIn({ agent }: Pick<CredentialTarget, 'agent'>): string | null {
  const missing = (agent.login ?? []).find((file) => !existsSync(ownFile(file)));
  return missing === undefined
    ? null
    : `not logged in: there is no ~/${missing.home}; log in with ${agent.name} in your own shell, or set auth to "key" in [agents.${agent.name}]`;
}

/** Copies of the user's login, and of nothing else of HOME, for a start of the agent; what was lent is remembered. */
export async function copyCredentials(
  borrower: CredentialTarget,
  start: number,
): Promise<StartRequest['files']> {
  const lent = [];
  for (const file of borrower.agent.login ?? []) {
    const content = await readTextIfThere(ownFile(file));
    if (content === null)
      throw ApplicationFailure.nonRetryable(whyNotLoggedIn(borrower) ?? 'not logged in', 'NotLoggedIn');
    await mkdir(dirname(lentFile(borrower, start, file)), { recursive: true, mode: 0o700 });
    await writeFileAtomic(lentFile(borrower, start, file), content, 0o600);
    lent.push({ path: file.at(borrower), content });
  }
  return lent;
}

/** Removes what the run remembers of lent logins. */
export const forgetLogins = (borrower: Pick<CredentialTarget, 'state'>): Promise<void> =>
  removeTree(lentFolder(borrower));

/**
 * Writes a login that the agent has renewed back to the user's, whose own may be good for nothing now; not over one that has
 * changed meanwhile. Says what it did. Can be repeated.
 */
export async function syncCredentials(
  environment: Environment,
  borrower: CredentialTarget,
  start: number,
): Promise<string[]> {
  const notes: string[] = [];
  for (const file of borrower.agent.login ?? []) {
    const lent = await readTextIfThere(lentFile(borrower, start, file));
    const renewed = lent === null ? null : await readOfAgent(environment, borrower, file);
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
export async function loginSecrets(environment: Environment, borrower: CredentialTarget): Promise<string[]> {
  const files = borrower.agent.login ?? [];
  if (files.length === 0) return [];
  const starts = (await readdir(lentFolder(borrower)).catch(() => [])).map(Number);
  const paths = files.flatMap((file) => [
    ownFile(file),
    ...starts.map((start) => lentFile(borrower, start, file)),
  ]);
  const texts = [
    ...(await Promise.all(paths.map(readTextIfThere))),
    ...(starts.length === 0
      ? []
      : await Promise.all(files.map((file) => readOfAgent(environment, borrower, file)))),
  ];
  return [...new Set(texts.flatMap((text) => stringsIn(parseJson(text ?? ''))))].filter(
    (value) => value.length >= SECRET_LENGTH,
  );
}

function stringsIn(value: Json | undefined): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : [];
}
