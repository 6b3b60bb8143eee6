import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import {
  copyCredentials,
  loginSecrets,
  syncCredentials,
  loginProblem,
  type CredentialTarget,
} from '../../src/activities/credentials/login-files.js';
import { local } from '../../src/environments/local.js';
import { writeOwnFiles } from '../../src/environments/own-files.js';
import { knownAgents } from '../../src/agents/known-agents.js';
import { newFolder, setEnv } from '../host/temporary.js';

const tokens = (name: string): string => JSON.stringify({ mode: 'x', tokens: { id: `${name}-token-of-20-chars` } });

interface Logged {
  borrower: CredentialTarget;
  /** The file of the user, and the copy of the agent. */
  own: string;
  copy: string;
}

async function loggedIn(content: string | null = tokens('first')): Promise<Logged> {
  const root = await newFolder();
  setEnv({ HOME: join(root, 'user') });
  const agent = knownAgents({ codex: { args: [], models: [], env: {}, auth: 'login' } }).get('codex');
  if (agent === undefined) throw new Error('no codex');
  const borrower = {
    agent,
    home: join(root, 'run/home'),
    config: join(root, 'run/config'),
    state: join(root, 'run'),
    handle: {
      type: 'local' as const,
      root: join(root, 'run'),
      workspace: join(root, 'run/fixture'),
      journal: join(root, 'run/agent'),
      mark: 'run',
      hidden: [],
      project: null,
    },
  };
  const own = join(root, 'user/.codex/auth.json');
  mkdirSync(dirname(own), { recursive: true });
  writeFileSync(join(dirname(own), 'history.jsonl'), 'private');
  if (content !== null) writeFileSync(own, content, { mode: 0o640 });
  return { borrower, own, copy: join(borrower.config, 'auth.json') };
}

/** Lends the login to the first start: puts a copy where the agent expects it. */
const lend = async (to: CredentialTarget): Promise<void> => writeOwnFiles(to.handle.root, await copyCredentials(to, 1));

const read = (file: string): string => readFileSync(file, 'utf8');
const modeOf = (file: string): number => statSync(file).mode & 0o777;

it('gives the agent a private copy of the credentials file, and nothing else', async () => {
  const { borrower, own, copy } = await loggedIn();
  expect(loginProblem(borrower)).toBeNull();
  await lend(borrower);
  expect(read(copy)).toBe(read(own));
  expect(modeOf(copy)).toBe(0o600);
  expect(existsSync(join(borrower.config, 'history.jsonl'))).toBe(false);
});

it('says what to do if the user is not logged in', async () => {
  const { borrower } = await loggedIn(null);
  expect(loginProblem(borrower)).toBe(
    'not logged in: there is no ~/.codex/auth.json; log in with codex in your own shell, or set auth to "key" in [agents.codex]',
  );
  await expect(copyCredentials(borrower, 1)).rejects.toThrow('not logged in: there is no ~/.codex/auth.json');
});

it('leaves the login of the user alone if the agent did not change its copy', async () => {
  const { borrower, own } = await loggedIn();
  await lend(borrower);
  const before = statSync(own);
  expect(await syncCredentials(local, borrower, 1)).toEqual([]);
  expect(statSync(own)).toMatchObject({ ino: before.ino, mtimeMs: before.mtimeMs });
});

it('writes a renewed login back once, keeping the mode and the symlink of the file', async () => {
  const { borrower, own, copy } = await loggedIn();
  const real = `${own}.real`;
  writeFileSync(real, read(own));
  chmodSync(real, 0o640);
  rmSync(own);
  symlinkSync(real, own);
  await lend(borrower);
  writeFileSync(copy, tokens('second'));
  expect(await syncCredentials(local, borrower, 1)).toEqual([
    'start 1 of the agent renewed its login; saved it to ~/.codex/auth.json',
  ]);
  expect(read(real)).toBe(tokens('second'));
  expect(modeOf(real)).toBe(0o640);
  expect(statSync(own).ino).toBe(statSync(real).ino);
  expect(await syncCredentials(local, borrower, 1)).toEqual([]);
});

it.each([
  ['that has changed in the meantime', tokens('mine'), tokens('second')],
  ['with half a file', null, tokens('second').slice(0, 20)],
  ['with JSON that is not an object', null, '[]'],
])('does not overwrite a login %s', async (_, changed, renewed) => {
  const { borrower, own, copy } = await loggedIn();
  await lend(borrower);
  if (changed !== null) writeFileSync(own, changed);
  writeFileSync(copy, renewed);
  expect(await syncCredentials(local, borrower, 1)).toEqual([
    'start 1 of the agent changed its login; ~/.codex/auth.json was not changed',
  ]);
  expect(read(own)).toBe(changed ?? tokens('first'));
});

it('knows the tokens of the login as it was lent, as it is now, and as the agent renewed it', async () => {
  const { borrower, own, copy } = await loggedIn();
  expect(await loginSecrets(local, borrower)).toEqual(['first-token-of-20-chars']);
  await lend(borrower);
  writeFileSync(copy, tokens('second'));
  writeFileSync(own, tokens('third'));
  expect((await loginSecrets(local, borrower)).sort()).toEqual(
    ['first', 'second', 'third'].map((name) => `${name}-token-of-20-chars`),
  );
});

it('does nothing for an agent without a login', async () => {
  const { borrower, copy } = await loggedIn();
  const other = { ...borrower, agent: { ...borrower.agent, login: null } };
  await lend(other);
  expect(existsSync(copy)).toBe(false);
  expect([await syncCredentials(local, other, 1), await loginSecrets(local, other), loginProblem(other)]).toEqual([
    [],
    [],
    null,
  ]);
});
