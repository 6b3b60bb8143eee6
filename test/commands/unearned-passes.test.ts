import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createProject, EMPTY_FIXTURE, openRun, scenario, type TestProject } from './project.js';

/** Agents whose answers say less than they seem to. */
const usage = (change: object): string =>
  JSON.stringify({
    type: 'usage',
    input: 10,
    output: 5,
    reasoning: 0,
    cache_read: 0,
    cache_write: 0,
    cost_usd: 0,
    ...change,
  });
const answer = JSON.stringify({ type: 'message', role: 'assistant', text: 'all done' });
const session = JSON.stringify({ type: 'session', session_id: 's', model_requested: null, model_used: 'm' });
const call = JSON.stringify({ type: 'tool_call', id: 'a', name: 'shell', input: null, command: 'ls' });
const prints = (...lines: string[]): string => `#!/bin/sh\ncat <<'END'\n${lines.join('\n')}\nEND\n`;
const agents: Record<string, { text: string; config?: string }> = {
  fraction: { text: prints(usage({ input: 12.5 }), answer), config: 'free = true' },
  negative: { text: prints(usage({ cost_usd: -3 }), answer) },
  paid: { text: prints(usage({ cost_usd: 2 }), answer) },
  answers: { text: prints(answer), config: 'free = true' },
  marked: { text: prints(`\uFEFF${session}`, '{"type":"tool_ca', answer), config: 'free = true' },
  contradicts: {
    text: prints(session, call, answer, '{"type":"result","ending":"done","exit_code":0}'),
    config: 'free = true',
  },
};
/** It prints its call on stdout, and what the tool says of its failure on stderr. */
const HASTY = '#!/bin/sh\necho "$ cat missing"\necho "error: bad date" >&2\necho done\n';
/** It ends its turn without saying what it has used; or it is cut off, but has logged its first answer. */
const LOGGED = JSON.stringify({
  type: 'token_usage_record',
  payload: { usage: { input_tokens: 60, cached_input_tokens: 10, output_tokens: 5 } },
});
const CODEX = prints(
  '{"type":"thread.started","thread_id":"01a1fffd-e5a6-7802-a190-6fda69cbae41"}',
  '{"type":"turn.started"}',
  '{"type":"item.completed","item":{"id":"item_0","type":"agent_message","text":"Wrote it."}}',
  '{"type":"turn.completed"}',
).replace(
  '#!/bin/sh\n',
  `#!/bin/sh
case "$(cat)" in *logged*)
  mkdir -p "$CODEX_HOME/sessions/2026"
  echo '${LOGGED}' >"$CODEX_HOME/sessions/2026/rollout-1-01a1fffd-e5a6-7802-a190-6fda69cbae41.jsonl"
  echo '{"type":"thread.started","thread_id":"01a1fffd-e5a6-7802-a190-6fda69cbae41"}'
  echo '{"type":"item.completed","item":{"id":"item_0","type":"agent_message","text":"Wrote"}}'
  exit 1
esac
`,
);

const config = [
  '[prices.m]\ninput_per_mtok = 10\noutput_per_mtok = 30',
  ...Object.entries(agents).map(
    ([name, { config: more = '' }]) =>
      `[agents.${name}]\ncommand = "./${name}.sh"\noutput = "jsonl"\nmodels = ["m"]\n${more}`,
  ),
  '[agents.hasty]\ncommand = "./hasty.sh"\nfree = true',
  '[agents.codex]\ncommand = "./codex.sh"',
].join('\n');

let project: TestProject;
beforeAll(async () => {
  const files = {
    ...Object.fromEntries(Object.entries(agents).map(([name, { text }]) => [`${name}.sh`, text])),
    'hasty.sh': HASTY,
    'codex.sh': CODEX,
  };
  project = await createProject({
    ...EMPTY_FIXTURE,
    'llm-tool-test-config.toml': config,
    'fixtures/counts.yaml': scenario('counts', {
      gates: ['{type: file_exists, path: README.md}'],
      more: 'cost: { max_usd: 1 }',
    }),
    'fixtures/limits.yaml': scenario('limits', {
      gates: ['{type: max_tokens, max: 100}', '{type: max_cost_usd, max: 0.001}'],
    }),
    'fixtures/cut.yaml': scenario('cut', {
      gates: ['{type: max_tokens, max: 64}', '{type: max_tokens, max: 65}'],
    }).replace('do it', 'be logged'),
    'fixtures/calls.yaml': scenario('calls', {
      gates: [
        '{type: command_not_called, pattern: rm}',
        '{type: step_count, max_steps: 3}',
        '{type: max_commands, max: 3}',
        '{type: no_transcript_errors}',
        '{type: response_contains, substring: all done}',
      ],
    }),
  });
  for (const [name, text] of Object.entries(files)) await project.write(name, text, 0o755);
});
afterAll(() => project.remove());

const ENV = { LLM_TOOL_TEST_ENABLED: '1', OPENAI_API_KEY: 'x' };
async function verdicts(name: string, agent: string, more: string[] = []) {
  const { exitCode, document } = await project.run([name, '--agents', agent, '--no-cache', ...more], ENV);
  const { metrics, run } = await openRun(document);
  return {
    exitCode,
    run,
    document,
    found: metrics.details.map(({ status, message }) => ({ status, message })),
  };
}

describe('a number that cannot be right', () => {
  test('leaves a result that every command can read, with unknown tokens and a warning that names the line', async () => {
    const { exitCode, run, document } = await verdicts('counts', 'fraction');
    expect(exitCode).toBe(0);
    expect(document.totals).toMatchObject({ cells: 1, passed: 1 });
    expect(run.agent).toMatchObject({ token_usage: { input: null }, cost_usd: null });
    expect(run.warnings[0]).toBe(
      'agent output, line 1: usage.input: expected a whole number from 0 to 2^53-1 or null, got 12.5',
    );
    const { stderr } = await project.cli(['show', 'latest']);
    expect(stderr).not.toContain('skipped');
  });

  test('is reported by `doctor --try`', async () => {
    const { stdout, exitCode } = await project.cli(['doctor', '--try', 'negative'], ENV);
    expect(exitCode).toBe(3);
    expect(stdout).toContain('usage.cost_usd: expected a number from 0 to 2^53-1 or null, got -3');
  });

  test('does not pay for other runs: the sweep stops at its budget', async () => {
    const more = ['--repeat', '3', '--max-usd', '2', '--concurrency', '1', '--no-cache'];
    const { document } = await project.run(['counts', '--agents', 'negative,paid', ...more], ENV);
    const paid = document.cells.filter(({ agent }) => agent === 'paid');
    expect(paid.filter(({ cost_usd }) => cost_usd === 2)).toHaveLength(1);
    for (const { cost_usd, cost_usd_at_least = 0 } of document.cells)
      expect([(cost_usd ?? 0) >= 0, cost_usd_at_least >= 0]).toEqual([true, true]);
  });
});

test('usage that is not reported is unknown, so limits of it are not kept', async () => {
  const { exitCode, found } = await verdicts('limits', 'codex', ['--models', 'gpt-5.5']);
  expect(exitCode).toBe(3);
  expect(found.map(({ status }) => status)).toEqual(['error', 'error']);
  expect(found[0]?.message).toMatch(/^the number of tokens is unknown/);
});

test('usage that codex has only logged is a lower bound', async () => {
  const { run, found } = await verdicts('cut', 'codex', ['--models', 'gpt-5.5']);
  expect(run.agent).toMatchObject({
    token_usage: { input: null, output: null },
    token_usage_at_least: { input: 50, output: 5, cache_read: 10 },
    cost_usd: null,
    cost_source: 'list',
  });
  expect(run.agent?.cost_usd_at_least).toBeGreaterThan(0);
  expect(found.map(({ status }) => status)).toEqual(['fail', 'error']);
});

test('an agent that prints events and only answers has made no call, which is known', async () => {
  const { exitCode, found } = await verdicts('calls', 'answers');
  expect(found.map(({ status }) => status)).toEqual(['pass', 'pass', 'pass', 'pass', 'pass']);
  expect(exitCode).toBe(0);
  const { stdout } = await project.cli(['report', 'latest', '--format', 'md']);
  expect(stdout).not.toContain('printed text');
});

test('a byte order mark hides nothing, and a line that was not read leaves the answer after it known', async () => {
  const { run, found } = await verdicts('calls', 'marked');
  expect(run.agent).toMatchObject({ session_id: 's', model_used: 'm', output_problems: { lines: 1 } });
  expect(found.map(({ status }) => status)).toEqual(['error', 'error', 'error', 'error', 'pass']);
});

test('an end that contradicts the calls before it leaves them unknown, and a warning says so', async () => {
  const { exitCode, run, found } = await verdicts('calls', 'contradicts');
  const why = 'it reports success, although a call has no result';
  expect([exitCode, found.map(({ status }) => status)]).toEqual([3, ['error', 'error', 'error', 'error', 'pass']]);
  expect(found[0]?.message).toContain(why);
  expect(run.warnings.filter((warning) => warning.includes(why))).toHaveLength(1);
});

test('an agent that prints text has failed if its tool says so on stderr, and its other commands are unknown', async () => {
  const { found } = await verdicts('calls', 'hasty');
  expect(found.map(({ status }) => status)).toEqual(['error', 'error', 'error', 'fail', 'fail']);
  expect(found[3]?.message).toBe('1 of 1 command failed: "cat missing"');
});
