import { afterAll, beforeAll, expect, test } from 'vitest';
import { createProject, EMPTY_FIXTURE, openRun, scenario, type TestProject } from './project.js';

const SECRET = 'tangerine-lighthouse-42';

let project: TestProject;
beforeAll(async () => {
  project = await createProject({
    ...EMPTY_FIXTURE,
    'llm-tool-test-config.toml': [
      '[agents.teller]',
      'command = "sh"',
      'args = ["-c", "echo \'$ cat notes.md\'; echo \'There are 3 open tasks\'", "sh"]',
      'free = true',
    ].join('\n'),
  });
});
afterAll(() => project.remove());

const verdictsOf = async (name: string, more: string[] = [], env: Record<string, string> = {}) => {
  const { exitCode, document } = await project.run([name, ...more], env);
  const run = await openRun(document);
  return {
    exitCode,
    run,
    verdicts: run.metrics.details.map(({ status, message }) => `${status}: ${message}`),
  };
};

test('gates check what the agent called, used and answered', async () => {
  const passing = [
    '{type: command_called, pattern: "^cat notes"}',
    '{type: command_called, pattern: "^echo", min: 2, max: 2}',
    '{type: command_not_called, pattern: "^rm"}',
    '{type: tool_called, tool: shell, min: 2}',
    '{type: tool_called, tool: "mcp__.*"}',
    '{type: max_commands, max: 4}',
    '{type: max_cost_usd, max: 0.25}',
    '{type: max_tokens, max: 130}',
    '{type: response_contains, substring: 3 open}',
    '{type: response_matches, pattern: "^There are \\\\d"}',
    '{type: trajectory_contains_action, action: MCP_DOCS_FIND}',
    '{type: step_count, min_steps: 1, max_steps: 1, action_prefix: mcp__}',
    '{type: token_count, max_total_tokens: 130, max_output_tokens: 30}',
    '{type: string_contains, value: 3 OPEN}',
    '{type: regex_match, pattern: "^there are \\\\d"}',
    '{type: command_exit_code_is, command: "exit 3", expected_code: 3}',
    '{type: execution_time, max_duration_ms: 600000}',
  ];
  const failing = [
    '{type: command_called, pattern: "^svn"}',
    '{type: command_not_called, pattern: "^echo"}',
    '{type: tool_called, tool: mcp}',
    '{type: max_commands, max: 3}',
    '{type: max_cost_usd, max: 0.24}',
    '{type: max_tokens, max: 129}',
    '{type: response_contains, substring: Looking}',
    '{type: response_matches, pattern: "^\\\\d"}',
  ];
  await project.write(
    'fixtures/did.yaml',
    scenario('did', {
      gates: [...passing, ...failing],
      steps: [
        'say: Looking at the notes',
        `tool_call: {name: shell, command: "cat notes.md && echo one; echo ${SECRET}"}`,
        'tool_result: {exit_code: 0}',
        'tool_call: {name: shell, input: {command: ls}}',
        'tool_result: {exit_code: 0}',
        'tool_call: {name: mcp__docs__find, input: {query: rm}}',
        'tool_result: {}',
        'usage: {input: 100, output: 20, cost_usd: 0.2}',
        'usage: {output: 5, reasoning: 5, cost_usd: 0.05}',
        'say: There are 3 open tasks',
      ],
      more: 'setup: {commands: ["rm -f nothing"]}',
    }).replace('{binary: cat}', '{binary: cat, env: {TOKEN: "${TOKEN}"}}'),
  );
  const { exitCode, run, verdicts } = await verdictsOf('did', [], { TOKEN: SECRET });
  expect(exitCode).toBe(1);
  expect(verdicts).toEqual([
    'pass: 1 of 4 commands matches "^cat notes" ("cat notes.md")',
    'pass: 2 of 4 commands match "^echo" ("echo one", "echo [REDACTED]")',
    'pass: none of 4 commands matches "^rm"',
    'pass: 2 calls of "shell"',
    'pass: 1 call of "mcp__.*"',
    'pass: 4 commands; expected at most 4',
    'pass: the agent cost $0.25; expected at most $0.25',
    'pass: 130 tokens (100 input, 25 output, 5 reasoning); expected at most 130',
    'pass: the answer contains "3 open"',
    'pass: the answer matches "^There are \\\\d"',
    'pass: 1 call of "MCP_DOCS_FIND"',
    'pass: 1 tool call with the prefix "mcp__"; expected at least 1 and at most 1',
    'pass: 130 tokens (100 input, 25 output, 5 reasoning); expected at most 130; 30 output tokens (25 output, 5 reasoning); expected at most 30',
    'pass: the answer contains "3 OPEN", ignoring case',
    'pass: the answer matches "^there are \\\\d", ignoring case',
    'pass: exit 3',
    expect.stringMatching(/^pass: took \d+ ms; expected at most 600000 ms$/),
    'fail: none of 4 commands matches "^svn"; expected at least 1',
    'fail: 2 of 4 commands match "^echo" ("echo one", "echo [REDACTED]"); expected none',
    'fail: no call of "mcp"; expected at least 1; the agent called "shell, mcp__docs__find"',
    'fail: 4 commands; expected at most 3',
    'fail: the agent cost $0.25; expected at most $0.24',
    'fail: 130 tokens (100 input, 25 output, 5 reasoning); expected at most 129',
    'fail: the answer does not contain "Looking"; it begins with "There are 3 open tasks"',
    'fail: the answer does not match "^\\\\d"; it begins with "There are 3 open tasks"',
  ]);
  for (const file of ['metrics.json', 'report.md', 'evaluation.md']) expect(await run.text(file)).not.toContain(SECRET);
});

test('a gate on data that the agent does not report is an error, and a verdict based on its text says so', async () => {
  await project.write(
    'fixtures/told.yaml',
    scenario('told', {
      gates: [
        '{type: command_called, pattern: "^cat"}',
        '{type: command_not_called, pattern: "^rm"}',
        '{type: max_commands, max: 1}',
        '{type: response_contains, substring: 3 open}',
        '{type: tool_called, tool: shell}',
        '{type: step_count, max_steps: 9}',
        '{type: max_cost_usd, max: 1}',
        '{type: max_tokens, max: 1}',
      ],
    }),
  );
  const { exitCode, verdicts } = await verdictsOf('told', ['--agents', 'teller']);
  expect(exitCode).toBe(3);
  const note = '; the agent printed only text, no structured events, so only calls to the target are known';
  expect(verdicts).toEqual([
    `pass: 1 of 1 command matches "^cat" ("cat notes.md")${note}`,
    `error: none of 1 command matches "^rm"${note}, so this cannot be decided`,
    `error: 1 command; expected at most 1${note}`,
    'pass: the answer contains "3 open"',
    'error: the agent printed only text, no structured events, so its tool calls are unknown',
    'error: the agent printed only text, no structured events, so its tool calls are unknown',
    'pass: the agent cost $0; expected at most $1',
    'error: the number of tokens is unknown because the agent does not report it; 0 tokens (none reported); expected at most 1',
  ]);
});
