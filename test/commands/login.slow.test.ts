import { mkdtemp, readFile, rm, mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { everythingBelow } from './planted.js';
import { createProject, EMPTY_FIXTURE, openRun, scenario, type TestProject } from './project.js';

const FIRST = 'login-token-before-3f9a';
const SECOND = 'login-token-renewed-77c1';
const login = (token: string): string => JSON.stringify({ tokens: { access_token: token } });

/** Prints its login, old and new, everywhere an agent can print, and renews it. */
const FAKE_CODEX = `#!/bin/sh
say() { printf '%s\\n' "$1"; }
auth=$CODEX_HOME/auth.json
first=$(cat "$auth")
printf '%s' '${login(SECOND)}' >"$auth"
cp "$auth" leaked.json
say '{"type":"thread.started","thread_id":"t"}'
say '{"type":"item.completed","item":{"id":"i","type":"agent_message","text":"${FIRST} ${SECOND}"}}'
echo "$first" "\${OPENAI_API_KEY-no key}" "\${CODEX_PROVIDER_KEY-no key}" >&2
[ -e "$HOME/.codex" ] && echo found >found
say '{"type":"turn.completed","usage":{"input_tokens":1,"output_tokens":1}}'
`;

let project: TestProject;
let home: string;

beforeAll(async () => {
  project = await createProject(
    {
      ...EMPTY_FIXTURE,
      'llm-tool-test-config.toml': '[agents.codex]\ncommand = "./fake-codex"\nauth = "login"\n',
      'fixtures/a.yaml': scenario('a'),
    },
    { ownEngine: true },
  );
  await project.write('fake-codex', FAKE_CODEX, 0o755);
  home = await mkdtemp(join(tmpdir(), 'llm-tool-test-home-'));
});
afterAll(async () => {
  await project.remove();
  await rm(home, { recursive: true, force: true });
});

const run = () =>
  project.run(['a', '--agents', 'codex'], {
    HOME: home,
    LLM_TOOL_TEST_ENABLED: '1',
    OPENAI_API_KEY: 'not-for-who-has-logged-in',
  });

it('an agent set to use a login that does not exist makes the run an error that says what to do', async () => {
  const { exitCode, document } = await run();
  expect(exitCode).toBe(3);
  expect(document.cells[0]).toMatchObject({
    outcome: 'error',
    message: expect.stringMatching(
      /^not logged in: there is no ~\/\.codex\/auth\.json; log in with codex .*set auth to "key" in \[agents\.codex\]$/,
    ) as string,
  });
});

it('an agent without its key is refused with a message that suggests the login', async () => {
  const { exitCode, stderr } = await project.cli(['run', 'a', '--agents', 'gemini'], {
    HOME: home,
    LLM_TOOL_TEST_ENABLED: '1',
    GEMINI_API_KEY: '',
    GOOGLE_GENERATIVE_AI_API_KEY: '',
  });
  expect(exitCode).toBe(2);
  expect(stderr).toMatch(/not set: GOOGLE_GENERATIVE_AI_API_KEY .*set auth to "login" in \[agents\.gemini\]/);
});

it('an agent uses and renews the login in a private HOME, and no token is in any result', async () => {
  await mkdir(join(home, '.codex'));
  await writeFile(join(home, '.codex', 'auth.json'), login(FIRST), { mode: 0o600 });
  const { exitCode, document } = await run();
  expect(exitCode).toBe(0);
  const { run: record, text } = await openRun(document);
  expect(record.agent).toMatchObject({
    ending: 'done',
    login: true,
    history: ['start 1 of the agent renewed its login; saved it to ~/.codex/auth.json'],
  });
  expect(await text('report.md')).toContain("Login: the user's own, no key");
  expect(await text('artifacts/transcript.human.txt')).not.toContain('login-token');
  expect(await readFile(join(home, '.codex', 'auth.json'), 'utf8')).toBe(login(SECOND));
  expect(await text('fixture/leaked.json')).not.toContain('login-token');
  await expect(text('fixture/found')).rejects.toThrow('ENOENT');
  for (const { name, content } of await everythingBelow(project.results))
    for (const token of [FIRST, SECOND]) expect(content.includes(token), `${token} in ${name}`).toBe(false);
});
