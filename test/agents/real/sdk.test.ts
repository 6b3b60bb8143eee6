import { copyFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createProject, openRun, REPOSITORY, type TestProject } from '../../commands/project.js';
import { provideSdk } from '../clis.js';
import { startModelServer, type ModelServer } from '../model-server/server.js';

const usage = { input: 100, cached: 20, output: 10, reasoning: 3 };
const KEY = 'key-of-the-test-0123456789';
const AGENTS = [
  { agent: 'claude', model: 'anthropic/claude-sonnet-4-5', cost: 'reported' },
  { agent: 'codex', model: 'openai/gpt-5.5', cost: 'list' },
] as const;

describe.each(AGENTS)('the SDK of $agent in a module', ({ agent, model, cost }) => {
  let project: TestProject;
  let server: ModelServer;
  let env: Record<string, string>;

  beforeAll(async () => {
    project = await createProject({
      'llm-tool-test-config.toml': `[agents.sdk]\nmodule = "agent.mjs"\nmodels = ["${model}"]\n`,
      'talk.scenario.yaml': `name: talk
agent: sdk
run:
  - input: first message
    evaluations: [{ type: string_contains, value: One is done }]
  - input: second message
    evaluations: [{ type: string_contains, value: Both are done }]
evaluations: [{ type: file_contains, path: out.txt, value: "one\\ntwo" }]
`,
      'key.scenario.yaml':
        'name: key\nagent: sdk\nrun: [{ input: task key }]\nevaluations: [{ type: file_exists, path: a }]\n',
    });
    await copyFile(join(REPOSITORY, `fixtures/sdk_agents/${agent}.mjs`), join(project.folder, 'agent.mjs'));
    await symlink(await provideSdk(agent), join(project.folder, 'node_modules'));
    server = await startModelServer([
      // The steps are counted by results of tools, of which the session of the first message has two.
      {
        when: 'second message',
        steps: [
          { say: 'The session was lost.' },
          { say: 'Lost.' },
          { run: 'echo two >> out.txt', usage },
          { say: 'Both are done.', usage },
        ],
      },
      {
        when: 'first message',
        steps: [
          { run: 'cat missing.txt', usage },
          { run: 'echo one >> out.txt', usage },
          { say: 'One is done.', usage },
        ],
      },
      { when: 'task key', steps: [{ say: 'no' }], faults: [{ error: 'bad_key' }] },
    ]);
    env = { LLM_TOOL_TEST_ENABLED: '1', ANTHROPIC_API_KEY: KEY, OPENAI_API_KEY: KEY };
    for (const maker of ['ANTHROPIC', 'OPENAI']) env[`${maker}_BASE_URL`] = server.url;
  });
  afterAll(async () => {
    await server.close();
    await project.remove();
  });

  test('reports calls with exit codes, tokens and cost, and continues its session', async () => {
    const { document, stderr } = await project.run(['talk.scenario.yaml'], env);
    const { run: record, text } = await openRun(document);
    expect([record.outcome, record.message], stderr).toEqual(['pass', '3/3 gates passed']);
    expect(record.agent).toMatchObject({ ending: 'done', completed: true, starts: 2, cost_source: cost });
    const events = (await text('artifacts/events.jsonl'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Event);
    expect(events.flatMap(({ type, exit_code: code }) => (type === 'tool_result' ? [code] : []))).toEqual([1, 0, 0]);
    expect(events.filter(({ type }) => type === 'unknown')).toEqual([]);
    expect(record.agent?.output_problems).toBeUndefined();

    const asked = server.requests.filter(({ script }) => script < 2);
    expect(asked.every(({ key }) => key === KEY)).toBe(true);
    const { input, output, reasoning, cache_read: read } = record.agent?.token_usage ?? {};
    expect([asked.length, input, read, (output ?? 0) + (reasoning ?? 0)]).toEqual([5, 500, 100, 65]);
    expect(record.agent?.cost_usd).toBeGreaterThan(0);
    expect(await text('artifacts/run.json')).not.toContain(KEY);

    const exported = await project.cli(['report', record.run_id, '--format', 'atif'], env);
    const { steps } = JSON.parse(exported.stdout) as { steps: { source: string; tool_calls?: object[] }[] };
    expect(steps.filter(({ source }) => source === 'user')).toHaveLength(2);
    expect(steps.flatMap(({ tool_calls: calls = [] }) => calls)).toHaveLength(3);
  }, 300_000);

  test('whose key is refused is an error that says so', async () => {
    const { document } = await project.run(['key.scenario.yaml'], env);
    const { run: record } = await openRun(document);
    expect(record).toMatchObject({ outcome: 'error', agent: { ending: 'unable' } });
    expect(record.message).toMatch(/key was refused|401|authenticat/i);
  }, 300_000);
});

interface Event {
  type: string;
  exit_code?: number | null;
}
