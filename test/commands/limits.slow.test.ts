import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from 'vitest';
import type { SweepDocument } from '../../src/decide/documents/sweep-document.js';
import { QUERIES, sweepWorkflowId, type SweepProgress } from '../../src/protocol/index.js';
import { createProject, documentOf, EMPTY_FIXTURE, openRun, scenario, until, type TestProject } from './project.js';

let project: TestProject;
const ENV = { LLM_TOOL_TEST_ENABLED: '1', OPENAI_API_KEY: 'key-of-the-test' };

/**
 * Imitates Codex: logs its start, and reports a limit if the file `at-limit` exists. Otherwise does the task once there
 * is no file `hold`.
 */
const CODEX = `#!/bin/sh
[ "$1" = --version ] && echo 'codex-cli 0.0.1' && exit
folder=$(dirname "$0")
echo "$*" >> "$folder/starts"
printf '{"type":"thread.started","thread_id":"thread-1"}\\n{"type":"turn.started"}\\n'
if [ -e "$folder/at-limit" ]; then
  message="You've hit your usage limit. Try again in 3 hours."
  printf '{"type":"turn.failed","error":{"message":"%s"}}\\n' "$message"
  exit 1
fi
while [ -e "$folder/hold" ]; do sleep 0.05; done
echo ok > out.txt
printf '{"type":"item.completed","item":{"id":"i","type":"agent_message","text":"Done."}}\\n'
printf '{"type":"turn.completed","usage":{"input_tokens":10,"cached_input_tokens":0,"output_tokens":5,"reasoning_output_tokens":0}}\\n'
`;

/** Imitates OpenCode, and does the task. */
const OPENCODE = `#!/bin/sh
[ "$1" = --version ] && echo 0.0.1 && exit
echo ok > out.txt
printf '{"type":"step_start","sessionID":"ses_1","part":{}}\n{"type":"text","sessionID":"ses_1","part":{"text":"Done."}}\n'
printf '{"type":"step_finish","sessionID":"ses_1","part":{"reason":"stop","cost":0.01,"tokens":{"input":9,"output":5}}}\n'
`;

const CONFIG = `
[agents.codex]
command = "./codex"
models = ["gpt-5.5"]

[agents.opencode]
command = "./opencode"
models = ["openai/gpt-5.5"]
env = { OPENAI_API_KEY = "\${OTHER_KEY}" }
`;

beforeAll(async () => {
  project = await createProject({
    ...EMPTY_FIXTURE,
    'llm-tool-test-config.toml': CONFIG,
    'fixtures/limited.yaml': scenario('limited', {
      gates: ['{type: file_contains, path: out.txt, substring: ok}'],
      more: 'tool_matrix: [{agent: codex}]',
    }),
    'fixtures/both.yaml': scenario('both', {
      gates: ['{type: file_contains, path: out.txt, substring: ok}'],
      more: 'tool_matrix: [{agent: codex}, {agent: opencode}]',
    }),
    'at-limit': '',
  });
  await project.write('codex', CODEX, 0o755);
  await project.write('opencode', OPENCODE, 0o755);
});
afterAll(() => project.remove());

test("a run waits for an account's limit until retry --now ends the wait; the agent resumes its session", async () => {
  const { exitCode, stdout } = await project.cli(['run', 'limited', '--detach', '--json'], ENV);
  expect(exitCode, stdout).toBe(0);
  const { sweep } = JSON.parse(stdout) as SweepDocument;
  const starts = async (): Promise<string[]> => (await project.read('starts')).trim().split('\n');
  await until('the first start', async () => ((await starts().catch(() => [])).length === 1 ? true : null));

  const early = await project.cli(['retry', sweep, '--json'], ENV);
  expect(early.exitCode).toBe(2);
  expect(early.stdout).toContain('use --now to stop waiting for providers');

  const connection = await Connection.connect({ address: inject('temporalAddress') });
  const handle = new Client({ connection }).workflow.getHandle(sweepWorkflowId(sweep));
  await until('the limit is known', async () => {
    const { limits } = await handle.query<SweepProgress>(QUERIES.progress);
    const [limit] = limits ?? [];
    if (limit === undefined) return null;
    // Limits are per key: another key may have none. The id of the account does not contain the key.
    expect(limit.provider).toBe('openai');
    expect(limit.account).toMatch(/^openai\/key-[0-9a-f]{4}$/);
    return true;
  });
  await connection.close();
  await rm(join(project.folder, 'at-limit'));
  const retried = await project.cli(['retry', sweep, '--now', '--json'], ENV);
  expect(retried.exitCode).toBe(0);
  const { run } = await openRun(JSON.parse(retried.stdout) as SweepDocument);
  expect(run).toMatchObject({
    outcome: 'pass',
    agent: { ending: 'done', starts: 2, session_id: 'thread-1' },
  });
  expect(run.agent?.history.join('\n')).toMatch(
    /agent run 1 ended: .*limit is reached.*\nstart 2 of the agent resumed its session/,
  );
  expect(run.steps.map(({ name }) => name)).toContain('agent 2');
  expect((await starts())[1]).toContain('resume thread-1');
  expect(run.agent?.token_usage).toMatchObject({ input: 10, output: 5 });
});

test('a limit belongs to a key: an agent with another key of the same provider does not wait', async () => {
  await project.write('at-limit', '');
  await project.write('starts', '');
  const env = { ...ENV, OTHER_KEY: 'another-key-of-the-test' };
  const args = ['run', 'both', '--repeat', '2', '--concurrency', '1', '--detach', '--json'];
  const { exitCode, stdout } = await project.cli(args, env);
  expect(exitCode, stdout).toBe(0);
  const { sweep } = documentOf(stdout);

  const connection = await Connection.connect({ address: inject('temporalAddress') });
  const handle = new Client({ connection }).workflow.getHandle(sweepWorkflowId(sweep));
  const { limits, parked } = await until('the other agent has passed', async () => {
    const progress = await handle.query<SweepProgress>(QUERIES.progress);
    return progress.counts.pass === 2 ? progress : null;
  });
  await connection.close();
  expect(parked).toMatchObject([{ provider: 'openai', account: limits?.[0]?.account }]);
  expect((await project.resultLines()).map(({ agent }) => agent).slice(-2)).toEqual(['opencode', 'opencode']);
  // The second cell of the limited agent has not been started.
  expect((await project.read('starts')).trim().split('\n')).toHaveLength(1);
  await rm(join(project.folder, 'at-limit'));
  const retried = await project.cli(['retry', sweep, '--now', '--json'], env);
  expect(documentOf(retried.stdout).totals).toMatchObject({ passed: 4 });
});

test('another sweep of the account starts no agent until the limit ends, whether its runs were about to begin or not', async () => {
  await rm(join(project.folder, 'at-limit'), { force: true });
  await project.write('hold', '');
  await project.write('starts', '');
  const begin = async (name: string, ...more: string[]): Promise<string> => {
    const { stdout } = await project.cli(['run', 'limited', '--name', name, '--detach', '--json', ...more], ENV);
    return documentOf(stdout).sweep;
  };
  const starts = async (): Promise<number> => (await project.read('starts')).split('\n').length - 1;
  const connection = await Connection.connect({ address: inject('temporalAddress') });
  onTestFinished(() => connection.close());
  const { workflow } = new Client({ connection });
  const progressWhen = (sweep: string, isSo: (progress: SweepProgress) => boolean): Promise<SweepProgress> =>
    until(`the progress of ${sweep}`, async () => {
      const progress = await workflow.getHandle(sweepWorkflowId(sweep)).query<SweepProgress>(QUERIES.progress);
      return isSo(progress) ? progress : null;
    });

  const second = await begin('second', '--repeat', '2', '--concurrency', '1', '--no-cache');
  await until('its first agent works', async () => ((await starts()) === 1 ? true : null));
  await project.write('at-limit', '');
  const first = await begin('first', '--no-cache');
  const { limits } = await progressWhen(first, ({ limits = [] }) => limits.length > 0);
  expect(await starts()).toBe(2);

  await rm(join(project.folder, 'hold'));
  const { parked } = await progressWhen(second, ({ parked: waiting = [] }) => waiting.length > 0);
  expect(parked).toMatchObject([
    {
      why: 'limit',
      account: limits?.[0]?.account,
      message: expect.stringContaining('not started') as string,
    },
  ]);
  const third = await begin('third', '--repeat', '3', '--concurrency', '3', '--no-cache');
  const held = await progressWhen(third, ({ limits: known = [] }) => known.length > 0);
  expect(held.active).toEqual([]);
  expect(await starts()).toBe(2);

  await rm(join(project.folder, 'at-limit'));
  const retried = documentOf((await project.cli(['retry', second, '--now', '--json'], ENV)).stdout);
  expect(retried.totals).toMatchObject({ passed: 2 });
  const { run } = await openRun(retried, 1);
  expect(run.agent).toMatchObject({ ending: 'done', starts: 1 });
  expect(run.agent?.history.join('\n')).toMatch(
    /agent run 1 ended: .*not started: openai\/key-[0-9a-f]{4} has reached its limit until/,
  );
  for (const [sweep, cells] of [
    [first, 1],
    [third, 3],
  ] as const) {
    const { stdout } = await project.cli(['retry', sweep, '--now', '--json'], ENV);
    expect(documentOf(stdout).totals).toMatchObject({ passed: cells });
  }
  expect(await starts()).toBe(7);
});
