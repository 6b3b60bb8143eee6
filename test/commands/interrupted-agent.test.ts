import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createProject, EMPTY_FIXTURE, openRun, scenario, type TestProject } from './project.js';

let project: TestProject;
const ENV = {
  LLM_TOOL_TEST_ENABLED: '1',
  ANTHROPIC_API_KEY: 'key-of-the-test',
  OPENAI_API_KEY: 'key-of-the-test',
};

const line = (value: unknown): string => `printf '%s\\n' '${JSON.stringify(value)}'\n`;
const usage = { input_tokens: 1_000_000, output_tokens: 2, cache_read_input_tokens: 0 };
const tool = { type: 'tool_use', id: 't', name: 'Bash', input: { command: 'sleep 600' } };
const message = { id: 'm', model: 'claude-sonnet-4-5', content: [tool], usage };

/** Reports its usage so far at the beginning of its answer, and then runs until it is stopped. */
const CLAUDE = `#!/bin/sh
[ "$1" = --version ] && echo '2.1.330 (Claude Code)' && exit
${line({ type: 'system', subtype: 'init', session_id: 's', model: 'claude-sonnet-4-5' })}${line({ type: 'assistant', session_id: 's', message })}sleep 600
`;

const CODEX = `#!/bin/sh
[ "$1" = --version ] && echo 'codex-cli 0.169.0' && exit
folder=$(dirname "$0")
${line({ type: 'thread.started', thread_id: 't' })}if [ -e "$folder/no-plan" ]; then
${line({
  type: 'turn.failed',
  error: {
    message: 'To use Codex with your ChatGPT plan, upgrade to Plus: https://chatgpt.com/explore/plus.',
  },
})}exit 1
fi
echo ok > out.txt
${line({ type: 'turn.completed', usage: { input_tokens: 10, output_tokens: 5 } })}`;

beforeAll(async () => {
  project = await createProject({
    ...EMPTY_FIXTURE,
    'llm-tool-test-config.toml': [
      '[agents.claude-code]\ncommand = "./claude"\nmodels = ["claude-sonnet-4-5"]',
      '[agents.codex]\ncommand = "./codex"\nmodels = ["gpt-5.5"]',
      '[prices."claude-sonnet-4-5"]\ninput_per_mtok = 2\noutput_per_mtok = 10\ncache_read_per_mtok = 1\n',
    ].join('\n'),
    'fixtures/stopped.yaml': scenario('stopped', {
      gates: ['{type: max_cost_usd, max: 1}', '{type: max_cost_usd, max: 5}', '{type: max_tokens, max: 5000000}'],
      more: 'tool_matrix: [{agent: claude-code}]\ncost: {max_usd: 0.5}',
    }),
    'fixtures/account.yaml': scenario('account', {
      gates: ['{type: file_exists, path: out.txt}'],
      more: 'tool_matrix: [{agent: codex}]',
    }),
  });
  await project.write('claude', CLAUDE, 0o755);
  await project.write('codex', CODEX, 0o755);
});
afterAll(() => project.remove());

describe('an agent that was stopped while it worked', () => {
  test('has tokens and cost shown as a lower bound: at least what it reported', async () => {
    const { document } = await project.run(['stopped'], ENV);
    expect(document.cells[0]).toMatchObject({ cost_usd: null, cost_usd_at_least: 2.00002 });
    expect(document.cost_usd).toBe(2.00002);
    const { run, metrics, text } = await openRun(document);
    expect(run.agent).toMatchObject({
      ending: 'max_cost',
      cost_usd: null,
      cost_usd_at_least: 2.00002,
      token_usage: { input: null, output: null },
      token_usage_at_least: { input: 1_000_000, output: 2 },
    });
    expect(metrics.details.map(({ status }) => status)).toEqual(['fail', 'error', 'error']);
    expect(await text('report.md')).toMatch(/\| Agent cost +\| at least \$2\.00 /);
    expect(await text('report.md')).toMatch(/\| Tokens +\| at least input 1,000,000, output 2,/);
    const transcript = await text('artifacts/transcript.human.txt');
    expect(transcript).toContain('Tokens: at least 1000000 input, 2 output');
    expect(transcript).toContain('Cost: at least $2.00\n');
    expect(transcript).toContain('Still running when the agent ended: $ sleep 600\n');
    const shown = await project.cli(['show', document.sweep]);
    expect(shown.stdout).toContain('>$2.00');
  });
});

describe('an account that does not include the agent', () => {
  test('makes the run an error, which is not a regression', async () => {
    const before = await project.run(['account'], ENV);
    expect(before.document.totals).toMatchObject({ passed: 1 });
    await project.write('no-plan', '');
    const { exitCode, document } = await project.run(['account', '--no-cache'], ENV);
    expect(exitCode).toBe(3);
    expect(document.cells[0]).toMatchObject({ outcome: 'error', regressions: [] });
    expect(document.cells[0]?.message).toContain('To use Codex with your ChatGPT plan');
  });
});
