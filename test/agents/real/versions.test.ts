import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Ranking } from '../../../src/decide/ranking/document.js';
import type { SweepDocument } from '../../../src/decide/documents/sweep-document.js';
import { createProject, openRun, scenario, type TestProject } from '../../commands/project.js';
import { provideCli } from '../clis.js';
import { startModelServer, type ModelServer } from '../model-server/server.js';

const OLD = '2.1.300';
const KEY = 'key-of-the-test';
const TOKEN = 'token-of-the-alias-0123456789';

let project: TestProject;
let server: ModelServer;
let env: Record<string, string>;
beforeAll(async () => {
  const [now, before] = [
    await provideCli('claude-code', console.log),
    await provideCli('claude-code', console.log, OLD),
  ];
  project = await createProject({
    'fixtures/empty/README.md': 'nothing\n',
    'llm-tool-test-config.toml': `
[agents.claude-code]
command = ${JSON.stringify(now)}
models = ["claude-sonnet-4-5"]

[agents.claude-old]
adapter = "claude-code"
command = ${JSON.stringify(before)}
models = ["claude-sonnet-4-5"]
effort = "high"
env = { ALIAS_TOKEN = "\${ALIAS_TOKEN}" }
`,
    'fixtures/task.yaml': scenario('task', {
      gates: ['{type: file_contains, path: out.txt, substring: done}'],
      more: 'tool_matrix: [{tool: claude-code}, {tool: claude-old}]\n',
    }),
  });
  const run = 'echo done > out.txt && echo "token $ALIAS_TOKEN"';
  server = await startModelServer([{ when: 'do it', steps: [{ run }, { say: 'All is done.' }] }]);
  env = { LLM_TOOL_TEST_ENABLED: '1', ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: server.url, ALIAS_TOKEN: TOKEN };
});
afterAll(async () => {
  await server.close();
  await project.remove();
});

test('two versions of Claude Code run in one sweep, and its comparison and reports say which', async () => {
  const { document } = await project.run(['task', '--repeat', '3'], env);
  const cells = document.cells.map(({ agent, outcome, agent_version: version }) => [agent, outcome, version]);
  const expected = [
    ['claude-code', 'pass', expect.stringMatching(/^2\.1\.330 /)],
    ['claude-old', 'pass', expect.stringMatching(/^2\.1\.300 /)],
  ];
  expect(cells).toEqual(expected.flatMap((one) => [one, one, one]));

  const old = document.cells.findIndex(({ agent }) => agent === 'claude-old');
  const { run: record, text } = await openRun(document, old);
  expect(record.agent).toMatchObject({ ending: 'done', completed: true, starts: 1 });
  expect(record.agent?.first_request).toBeDefined();
  expect(record.agent?.token_usage.input).toBeGreaterThan(1000);
  expect(record.agent?.cost_usd).toBeGreaterThan(0);
  const events = await text('artifacts/events.jsonl');
  expect(events).toContain('echo done > out.txt');
  expect(events).toContain('token [REDACTED]');
  expect(events).not.toContain(TOKEN);

  const ranking = await project.cli(['compare', '--agents', document.sweep, '--format', 'json'], env);
  expect((JSON.parse(ranking.stdout) as Ranking).agents.map(({ agent, versions }) => [agent, versions])).toEqual(
    expect.arrayContaining([
      ['claude-code', ['2.1.330 (Claude Code)']],
      ['claude-old', ['2.1.300 (Claude Code)']],
    ]),
  );
  const shown = await project.cli(['compare', '--agents', document.sweep], env);
  expect(shown.stdout).toContain('claude-old: 2.1.300 (Claude Code)');
  const report = await project.cli(['report', document.sweep], env);
  expect(report.stdout).toMatch(/\| claude-old \| 2\.1\.300 .*\| 3 \|/);

  // The same inputs are reused; another version of the program is another agent.
  const again = await project.run(['task', '--repeat', '3'], env);
  expect(again.document.cells.map(({ cached }) => cached)).toEqual(Array(6).fill(true));
  const config = await provideCli('claude-code', console.log);
  const before = await provideCli('claude-code', console.log, OLD);
  const changed = (await project.read('llm-tool-test-config.toml')).replace(before, config);
  await project.write('llm-tool-test-config.toml', changed);
  const third: SweepDocument = (await project.run(['task', '--repeat', '3'], env)).document;
  expect(third.cells.map(({ agent, cached }) => [agent, cached])).toEqual(
    ['claude-code', 'claude-old'].flatMap((agent) => Array<unknown>(3).fill([agent, agent === 'claude-code'])),
  );
  const compared = await project.cli(['compare', document.sweep, third.sweep], env);
  expect(compared.stdout).toMatch(/claude-old +2\.1\.300 \(Claude Code\) → 2\.1\.330 \(Claude Code\)/);
}, 300_000);

test('doctor and validate know the other name, too', async () => {
  const doctor = await project.cli(['doctor', '--json'], env);
  const { checks } = JSON.parse(doctor.stdout) as { checks: { name: string; status: string; message: string }[] };
  expect(checks.find(({ name }) => name === 'agent claude-old')).toMatchObject({
    status: 'ok',
    message: expect.stringContaining('ANTHROPIC_API_KEY set') as string,
  });
  expect((await project.cli(['validate', 'task'], env)).exitCode).toBe(0);
});
