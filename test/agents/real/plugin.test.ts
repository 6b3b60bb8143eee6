import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createProject, openRun, REPOSITORY, scenario } from '../../commands/project.js';
import { provideCli } from '../clis.js';
import { serve } from '../serve.js';
import { MODELS } from './models.js';

const AT = 'fixtures/plugins/office';
const config = (program: string, more = ''): string =>
  `[agents.claude-code]\ncommand = ${JSON.stringify(program)}\nmodels = ["${MODELS['claude-code']}"]\n${more}`;
const hook = (command: string): object[] => [{ hooks: [{ type: 'command', command }] }];

test('the real claude-code uses the parts of a plugin, gates see which, and nothing of it is there without it', async () => {
  const program = await provideCli('claude-code', console.log);
  const project = await createProject(
    {
      'llm-tool-test-config.toml': config(program),
      'fixtures/empty/README.md': 'nothing\n',
      [`${AT}/.claude-plugin/plugin.json`]: '{"name": "office"}',
      [`${AT}/skills/stamp/SKILL.md`]: '---\nname: stamp\ndescription: marker-of-the-skill.\n---\n\nStamp it.\n',
      [`${AT}/skills/idle/SKILL.md`]: '---\nname: idle\ndescription: Does nothing.\n---\n\nNothing.\n',
      [`${AT}/commands/seal.md`]: '---\ndescription: Seals.\n---\n\nmarker-of-the-command: seal $ARGUMENTS.\n',
      [`${AT}/agents/reviewer.md`]: '---\nname: reviewer\ndescription: Reviews.\n---\n\nmarker-of-the-subagent\n',
      [`${AT}/agents/other.md`]: '---\nname: other\ndescription: Does nothing.\n---\n\nNothing.\n',
      [`${AT}/hooks/hooks.json`]: JSON.stringify({
        hooks: { PostToolUse: hook('${CLAUDE_PLUGIN_ROOT}/hooks/after.sh'), PreCompact: hook('true') },
      }),
      [`${AT}/hooks/after.sh`]: '#!/bin/sh\necho ran >> hooks.txt\n',
      [`${AT}/.mcp.json`]: JSON.stringify({
        mcpServers: {
          desk: { command: 'node', args: [join(REPOSITORY, 'test/mcp/server.js'), '${CLAUDE_PLUGIN_ROOT}'] },
        },
      }),
    },
    { ownEngine: true },
  );
  onTestFinished(() => project.remove());
  await chmod(join(project.folder, `${AT}/hooks/after.sh`), 0o755);
  const done = { say: 'All is done.' };
  const server = await serve(
    { when: 'marker-of-the-subagent', steps: [{ run: 'echo reviewed > review.txt' }, done] },
    { when: 'task idle', steps: [{ run: 'echo done > out.txt' }, done] },
    {
      steps: [
        { skill: 'stamp' },
        {
          tool: 'Agent',
          input: { description: 'x', prompt: 'Review', subagent_type: 'office:reviewer', run_in_background: false },
        },
        { tool: 'ToolSearch', input: { query: 'select:mcp__plugin_office_desk__echo' } },
        { tool: 'mcp__plugin_office_desk__echo', input: { text: 'hello' } },
        { run: 'echo done > out.txt' },
        done,
      ],
    },
  );
  const env: Record<string, string> = {
    ...{ LLM_TOOL_TEST_ENABLED: '1', HOME: join(project.folder, 'home') },
    ...{ ANTHROPIC_API_KEY: 'key-of-the-test', ANTHROPIC_BASE_URL: server.url },
  };
  const gates = [
    'skill_used, skill: "office:seal"',
    'skill_used, skill: "office:stamp"',
    'skill_not_used, skill: "office:idle"',
    'subagent_used, subagent: "office:reviewer"',
    'hook_ran, hook: "PostToolUse:Bash"',
    'mcp_tool_called, server: "plugin:office:desk", tool: echo',
    'file_exists, path: out.txt',
    'skill_used, skill: "office:idle"',
    'subagent_used, subagent: "office:other"',
    'hook_ran, hook: PreCompact',
  ];
  const write = (name: string, prompt: string, more = 'tool_matrix: [{agent: claude-code}]\nbaseline: true') =>
    project.write(
      `fixtures/${name}.yaml`,
      scenario(name, {
        target: null,
        gates: gates.map((gate) => `{type: ${gate}}`),
        more: `subject: {plugin: plugins/office}\n${more}`,
      }).replace('"do it"', JSON.stringify(prompt)),
    );
  await write('all', '/office:seal notes.md');
  await write('idle', 'Do the task idle.');
  await write('mention', '@agent-office:reviewer do the task idle', 'tool_matrix: [{agent: claude-code}]');
  await write('as-agent', 'Review it.', 'tool_matrix: [{agent: claude-code}]');

  const run = async (...args: string[]) => {
    const before = server.requests.length;
    const { document } = await project.run(args, env);
    const { metrics, run: record, text } = await openRun(document);
    return {
      record,
      text,
      sent: JSON.stringify(server.requests.slice(before)),
      verdicts: metrics.details.map(({ gate_type, subject, status }) => `${status} ${gate_type} ${subject}`),
    };
  };
  const all = await run('all', '--variants', 'with');
  expect(all.verdicts).toEqual([
    'pass skill_used office:seal',
    'pass skill_used office:stamp',
    'pass skill_not_used office:idle',
    'pass subagent_used office:reviewer',
    'pass hook_ran PostToolUse:Bash',
    'pass mcp_tool_called plugin:office:desk echo',
    'pass file_exists out.txt',
    'fail skill_used office:idle',
    'fail subagent_used office:other',
    'fail hook_ran PreCompact',
  ]);
  expect(all.sent).toContain('marker-of-the-command: seal notes.md');
  expect(all.sent).toContain('marker-of-the-skill');
  expect(await all.text('fixture/hooks.txt')).toContain('ran');

  // The command is only text for an agent without the plugin, and gates on its parts are left out.
  const without = await run('all', '--variants', 'without');
  expect(without.verdicts).toEqual(['fail file_exists out.txt']);
  expect(without.sent).not.toContain('marker-of-the');
  expect(without.sent).toContain('/office:seal notes.md');

  const idle = await run('idle', '--variants', 'with');
  expect(idle.verdicts.filter((one) => one.startsWith('pass'))).toEqual([
    'pass skill_not_used office:idle',
    'pass hook_ran PostToolUse:Bash',
    'pass file_exists out.txt',
  ]);
  expect((await run('mention')).sent).toContain('desire to invoke the agent \\"office:reviewer');

  // Valid for us, but not for Claude Code: the run must not be one without the plugin.
  await project.write(`${AT}/.claude-plugin/plugin.json`, '{"name": "office", "version": 3}');
  const broken = await run('idle', '--variants', 'with');
  expect([broken.record.outcome, broken.record.message]).toEqual([
    'error',
    expect.stringMatching(/a plugin was not loaded/),
  ]);

  await project.write(`${AT}/.claude-plugin/plugin.json`, '{"name": "office"}');
  await project.write('llm-tool-test-config.toml', config(program, 'args = ["--agent", "office:reviewer"]\n'));
  // The session itself is that of the agent, so it starts no subagent.
  const asAgent = await run('as-agent');
  expect(asAgent.sent).toContain('marker-of-the-subagent');
  expect(asAgent.verdicts).toContain('fail subagent_used office:reviewer');
});
