import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { processesWith, running } from '../host/processes.js';
import { createDoctorProject, type Found } from './doctor-project.js';
import type { TestProject } from './project.js';

let project: TestProject;
beforeAll(async () => {
  project = await createDoctorProject();
});
afterAll(() => project.remove());

describe('doctor --try', () => {
  const CONFIG = `
[agents.free]
command = "./bin/house"
free = true
[agents.broken]
command = "sh"
args = ["-c", "echo no luck >&2; exit 4"]
free = true
[agents.gone]
command = "no-such-agent"
free = true
[agents.mute]
command = "sh"
args = ["-c", "touch HELD; exec tail -f HELD"]
free = true
[agents.codex]
command = "./bin/codex"
models = ["gpt-5.5"]
`;
  /** It leaves a process behind, prints the key that it was given, and lists its folder. */
  const CODEX = `#!/bin/sh
touch HELD
setsid tail -f HELD > /dev/null 2>&1 &
say() { printf '{"type":"item.completed","item":{"id":"1","type":"agent_message","text":"%s"}}\\n' "$1"; }
echo '{"type":"thread.started","thread_id":"01a20012-23b9-73e1-b0ac-b12cda56ecf5"}'
say "$(cat) $CODEX_PROVIDER_KEY $(ls -A | wc -l)\\\\nsecond line"
echo '{"type":"turn.completed","usage":{"input_tokens":2000,"cached_input_tokens":200,"output_tokens":100}}'
`;
  const held = (): string => join(project.folder, 'held');
  beforeEach(async () => {
    await rm(held(), { force: true });
    await project.write('llm-tool-test-config.toml', CONFIG.replaceAll('HELD', held()));
    await project.write('bin/codex', CODEX.replaceAll('HELD', held()), 0o755);
  });

  /** Runs `doctor --try`: its exit code, and the only check in its answer. */
  async function attempt(args: string[], env: Record<string, string> = {}) {
    const { exitCode, stdout } = await project.cli(['doctor', '--json', '--try', ...args], env);
    const { status, checks } = JSON.parse(stdout) as { status: string; checks: (Found & { name: string })[] };
    expect(checks).toHaveLength(1);
    return { exitCode, status, check: checks[0] };
  }

  test('starts a free agent without LLM_TOOL_TEST_ENABLED, and shows its answer and how it ended', async () => {
    const { exitCode, status, check } = await attempt(['free']);
    expect([exitCode, status]).toEqual([0, 'ok']);
    expect(check).toMatchObject({
      name: 'try free',
      status: 'ok',
      message: expect.stringMatching(/^completed; answered "hello", model default, tokens unknown, \$0/) as string,
      detail: { agent: 'free', ending: 'done', answer: 'hello', cost_usd: 0 },
    });
  });

  test('does not start an agent that may spend money without LLM_TOOL_TEST_ENABLED, and exits with 2', async () => {
    const { exitCode, stdout } = await project.cli(['doctor', '--json', '--try', 'codex']);
    expect([exitCode, JSON.parse(stdout)]).toMatchObject([2, { error: { code: 'not_enabled' } }]);
    expect(existsSync(held())).toBe(false);
  });

  test('starts codex as a run does: in an empty folder, with its key, which is not shown, and leaves no process behind', async () => {
    const key = 'a-key-that-nobody-may-see';
    const env = { LLM_TOOL_TEST_ENABLED: '1', OPENAI_API_KEY: key };
    const { exitCode, check } = await attempt(['codex'], env);
    expect(exitCode).toBe(0);
    expect(check?.detail).toMatchObject({
      agent: 'codex',
      model: 'gpt-5.5',
      ending: 'done',
      answer: expect.stringMatching(/^Reply with the word ready\. \S+ 0$/) as string,
      usage: { input: 1800, cache_read: 200, output: 100 },
      cost_usd: expect.any(Number) as number,
    });
    expect(JSON.stringify(check)).not.toContain(key);
    expect([existsSync(held()), processesWith(held())]).toEqual([true, []]);
  });

  test.each([
    ['that fails', 'broken', {}, /no luck/],
    ['that is not installed', 'gone', {}, /no-such-agent was not found/],
    ['without its key', 'codex', { LLM_TOOL_TEST_ENABLED: '1', OPENAI_API_KEY: '' }, /not set: OPENAI_API_KEY/],
  ])('reports an agent %s as a problem and exits with 3', async (_what, name, env: Record<string, string>, says) => {
    const { exitCode, check } = await attempt([name], env);
    expect(exitCode).toBe(3);
    expect(check).toMatchObject({ status: 'problem', message: expect.stringMatching(says) as string });
  });

  test('ends the agent when the command is interrupted', async () => {
    const command = project.start(['doctor', '--json', '--try', 'mute']);
    await running(`tail\0-f\0${held()}`);
    command.kill('SIGINT');
    const { exitCode, stdout } = await command;
    expect(exitCode).toBe(3);
    expect(JSON.parse(stdout)).toMatchObject({ checks: [{ detail: { ending: 'cancelled' } }] });
    expect(processesWith(held())).toEqual([]);
  });

  test.each([
    ['an unknown agent', ['--try', 'codx'], 'unknown_agent'],
    ['a model that the agent cannot be run with', ['--try', 'codex', '--model', 'anthropic/x'], 'agent_model'],
    ['a model without an agent', ['--model', 'x'], 'usage'],
  ])('refuses %s and exits with 2', async (_what, args, code) => {
    const { exitCode, stdout } = await project.cli(['doctor', '--json', ...args], {
      LLM_TOOL_TEST_ENABLED: '1',
    });
    expect([exitCode, JSON.parse(stdout)]).toMatchObject([2, { error: { code } }]);
  });
});
