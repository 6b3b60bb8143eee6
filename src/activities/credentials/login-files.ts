import { existsSync } from 'node:fs';
import { mkdir, readdir, realpath, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { ApplicationFailure } from '@temporalio/common';
import type { Agent, LoginFile } from '#agents';
import type { Environment, EnvironmentHandle, StartRequest } from '#environments';
import { fileText } from '#gates';
import { readTextIfThere, removeTree, writeFileAtomic } from '#host';
import { isJsonObject, type Json, parseJson } from '#lib';

/** The parts of a run that its agent's login needs. */
export interface CredentialTarget {
  agent: Agent;
  home: string;
  config: string;
  handle: EnvironmentHandle;
  /** Folder on the host in which the run keeps the copies that it gave to starts of the agent. */
  state: string;
}

/** Shorter texts in credential files are names and kinds, not secrets. */
const SECRET_LENGTH = 16;

const userFile = ({ home }: LoginFile): string => join(homedir(), home);
/** Copies of the login files as each start was given them. */
const copiesFolder = ({ state }: Pick<CredentialTarget, 'state'>): string => join(state, 'login');
/** The login file as the agent left it. The agent may have replaced it with anything. */
const readFromAgent = async (
  environment: Environment,
  target: CredentialTarget,
  file: LoginFile,
): Promise<string | null> => {
  const { root } = target.handle;
  return fileText(await environment.lookInside(target.handle, relative(root, file.at(target)), root));
};
const copyPath = (target: CredentialTarget, start: number, file: LoginFile): string =>
  join(copiesFolder(target), String(start), file.home);

/** Returns why an agent that should use its user's login cannot; null if it can, or needs none. */
export function loginProblem({ agent }: Pick<CredentialTarget, 'agent'>): string | null {
  const missing = (agent.login ?? []).find((file) => !existsSync(userFile(file)));
  return missing === undefined
    ? null
    : `not logged in: there is no ~/${missing.home}; log in with ${agent.adapter ?? agent.name} in your own shell, or set auth to "key" in [agents.${agent.name}]`;
}

/**
 * Copies the user's login files, and nothing else of HOME, for a start of the agent. Keeps what was copied, for
 * `syncCredentials`.
 * @throws ApplicationFailure (non-retryable) if the user is not logged in
 */
export async function copyCredentials(target: CredentialTarget, start: number): Promise<StartRequest['files']> {
  const given = [];
  for (const file of target.agent.login ?? []) {
    const content = await readTextIfThere(userFile(file));
    if (content === null) throw ApplicationFailure.nonRetryable(loginProblem(target) ?? 'not logged in', 'NotLoggedIn');
    await mkdir(dirname(copyPath(target, start, file)), { recursive: true, mode: 0o700 });
    await writeFileAtomic(copyPath(target, start, file), content, 0o600);
    given.push({ path: file.at(target), content });
  }
  return given;
}

/** Removes the copies of the login that the run has kept. */
export const removeLogins = (target: Pick<CredentialTarget, 'state'>): Promise<void> =>
  removeTree(copiesFolder(target));

/**
 * Writes a login that the agent has renewed back to the user's file, which may have become invalid by the renewal. Does
 * not overwrite a file that has changed in the meantime. Returns lines for the report. Can be repeated.
 */
export async function syncCredentials(
  environment: Environment,
  target: CredentialTarget,
  start: number,
): Promise<string[]> {
  const notes: string[] = [];
  for (const file of target.agent.login ?? []) {
    const given = await readTextIfThere(copyPath(target, start, file));
    const renewed = given === null ? null : await readFromAgent(environment, target, file);
    const own = await readTextIfThere(userFile(file));
    if (given === null || renewed === null || renewed === given || renewed === own) continue;
    // A killed agent may have left an incomplete file.
    if (own !== given || !isJsonObject(parseJson(renewed))) {
      notes.push(`start ${start} of the agent changed its login; ~/${file.home} was not changed`);
      continue;
    }
    const path = await realpath(userFile(file)); // it may be a symlink
    await writeFileAtomic(path, renewed, (await stat(path)).mode & 0o777);
    notes.push(`start ${start} of the agent renewed its login; saved it to ~/${file.home}`);
  }
  return notes;
}

/** Returns the tokens in the user's login files, in the copies of them, and in what agents have made of these. */
export async function loginSecrets(environment: Environment, target: CredentialTarget): Promise<string[]> {
  const files = target.agent.login ?? [];
  if (files.length === 0) return [];
  const starts = (await readdir(copiesFolder(target)).catch(() => [])).map(Number);
  const paths = files.flatMap((file) => [userFile(file), ...starts.map((start) => copyPath(target, start, file))]);
  const texts = [
    ...(await Promise.all(paths.map(readTextIfThere))),
    ...(starts.length === 0 ? [] : await Promise.all(files.map((file) => readFromAgent(environment, target, file)))),
  ];
  return [...new Set(texts.flatMap((text) => stringsIn(parseJson(text ?? ''))))].filter(
    (value) => value.length >= SECRET_LENGTH,
  );
}

function stringsIn(value: Json | undefined): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : [];
}
