import { afterAll, beforeAll, expect, test } from 'vitest';
import { createProject, EMPTY_FIXTURE, scenario, type TestProject } from './project.js';

const AGENT = (env: string) => `[agents.mine]\ncommand = "true"\nfree = true\nenv = ${env}\n`;

let project: TestProject;
beforeAll(async () => {
  project = await createProject({
    ...EMPTY_FIXTURE,
    'llm-tool-test-config.toml': `${AGENT('{ A = "${MINE_A}", B = "$${NOT_A_VARIABLE}" }')}
[providers.service]
base_url = "http://127.0.0.1:1"
api_key = "\${SERVICE_KEY}"
free = true
`,
    'fixtures/target.yaml': scenario('target', {
      target: '{binary: cat, env: {ONE: "${MISSING_ONE}", TWO: "x ${MISSING_TWO}"}}',
      gates: ['{type: file_exists, path: a}'],
      steps: ['run: touch a'],
    }),
    'fixtures/plain.yaml': scenario('plain', { gates: ['{type: file_exists, path: a}'], steps: ['run: touch a'] }),
    'fixtures/judged.yaml': scenario('judged', {
      steps: ['run: touch a'],
      gates: ['{type: llm_judge, prompt: it is good}'],
    }),
  });
});
afterAll(() => project.remove());

const refused = async (args: string[], env: Record<string, string> = {}) => {
  const { exitCode, stdout } = await project.cli(['run', ...args, '--json'], env);
  const { error } = JSON.parse(stdout) as {
    error: { code: string; message: string; problems: { file: string; line: number; path: string }[] };
  };
  return { exitCode, ...error };
};

test.each(['', '--dry-run'])(
  '${NAME} in a scenario without a value is found before anything starts %s',
  async (flag) => {
    const { exitCode, code, message, problems } = await refused(['target', ...(flag === '' ? [] : [flag])]);
    expect([exitCode, code]).toEqual([2, 'unset_variable']);
    expect(message).toBe(
      'not set: MISSING_ONE, MISSING_TWO; export them, or name a file that sets them with --env-file',
    );
    expect(problems.map(({ file, path }) => [file, path])).toEqual([
      ['fixtures/target.yaml', 'target.env.ONE'],
      ['fixtures/target.yaml', 'target.env.TWO'],
    ]);
    expect(await project.resultLines()).toEqual([]);
  },
);

test('a value of --env-file counts, and an empty one too', async () => {
  await project.write('.env', 'MISSING_TWO=\n');
  const { document } = await project.run(['target', '--env-file', '.env'], { MISSING_ONE: 'x' });
  expect(document.totals.passed).toBe(1);
});

test('${NAME} of an agent in the config is found at its place; $${NAME} is none', async () => {
  const { message, problems } = await refused(['plain', '--agents', 'mine']);
  expect(message).toBe('not set: MINE_A; export it, or name a file that sets it with --env-file');
  expect(problems).toMatchObject([{ file: 'llm-tool-test-config.toml', line: 4, path: 'agents.mine.env.A' }]);
});

test.each([{}, { SERVICE_KEY: '' }])('the key of a provider that is not set, or empty, is found: %j', async (env) => {
  const { exitCode, message, problems } = await refused(['judged', '--judge-model', 'service/one'], env);
  expect([exitCode, message]).toEqual([2, expect.stringMatching(/^not set: SERVICE_KEY; /)]);
  expect(problems).toMatchObject([{ path: 'providers.service.api_key' }]);
});

test('the keys of a built-in agent and of a model that a gate asks are found', async () => {
  const paid = { LLM_TOOL_TEST_ENABLED: '1', OPENAI_API_KEY: '', ANTHROPIC_API_KEY: '' };
  const agent = await refused(['plain', '--agents', 'codex', '--models', 'gpt-5'], paid);
  expect(agent.message).toMatch(/^not set: OPENAI_API_KEY \(for the agent codex\); export it/);
  const judge = await refused(['judged', '--judge-model', 'anthropic/claude'], paid);
  expect(judge.message).toMatch(/^not set: ANTHROPIC_API_KEY \(for the model anthropic\/claude\); export it/);
});

test('agents that do not take part need nothing', async () => {
  const { document } = await project.run(['plain']);
  expect(document.totals.passed).toBe(1);
});
