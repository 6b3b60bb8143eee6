import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { claudeCode } from '../../src/agents/claude-code.js';
import { codex } from '../../src/agents/codex.js';
import { findFiles } from '../../src/planning/find-scenario-files.js';
import { checkSubject } from '../../src/planning/agent-problems.js';
import { loadScenarios } from '../../src/planning/select-scenarios.js';
import { defaultConfig } from '../../src/scenario/config.js';
import { variablesOfSubject } from '../../src/subjects/subject.js';
import { scenario } from '../commands/project.js';
import { newFolder } from '../host/temporary.js';

const AT = 'fixtures/plugins/office';
const MANIFEST = `${AT}/.claude-plugin/plugin.json`;
const SKILL = '---\ndescription: Stamps.\n---\nStamp it.\n';

async function load(files: Record<string, string>, gates?: string[], more = '') {
  const root = await newFolder();
  const yaml = scenario('a', {
    target: null,
    more: `subject: {plugin: plugins/office}${more}`,
    ...(gates === undefined ? {} : { gates }),
  });
  const all = { 'fixtures/a.yaml': yaml, 'fixtures/empty/README.md': 'x', ...files };
  for (const [path, content] of Object.entries(all)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), content);
  }
  const places = { resultsPath: join(root, 'llm-tool-test-results'), fixturesPath: join(root, 'fixtures') };
  const project = { root, config: defaultConfig, configFile: null, configSource: null, ...places };
  const { scenarios, problems } = await loadScenarios(project, findFiles(project, { files: [] }));
  const [variant] = scenarios[0]?.variants ?? [];
  return {
    subject: variant?.subject ?? [],
    leftOut: variant?.leftOut ?? [],
    problems: problems.map(({ file, line, column, path, message }) => [
      `${file.replace(/^.*\/fixtures\//, '')}:${line}:${column}`,
      path,
      message,
    ]),
  };
}

const WHOLE = {
  [MANIFEST]: '{"name": "office", "version": "1.0.0"}',
  [`${AT}/skills/stamp/SKILL.md`]: SKILL,
  [`${AT}/skills/stamp/deep/SKILL.md`]: SKILL,
  [`${AT}/commands/seal.md`]: 'Seal $ARGUMENTS.',
  [`${AT}/commands/sub/deep.md`]: '---\ndescription: x\n---\nx',
  [`${AT}/agents/review.md`]: '---\nname: reviewer\ndescription: Reviews.\n---\nReview.',
  [`${AT}/agents/team/plain.md`]: 'Review.',
  [`${AT}/hooks/hooks.json`]: '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}}',
  [`${AT}/.mcp.json`]:
    '{"mcpServers": {"desk": {"command": "${CLAUDE_PLUGIN_ROOT}/desk", "args": ["${KEY}"]}, "far": {"type": "http", "url": "https://x.example/mcp"}}}',
  [`${AT}/evals/first/prompt.md`]: 'SECRET-4711',
  [`${AT}/.git/HEAD`]: 'x',
};

describe('a plugin of Claude Code', () => {
  test('is stored with its files and the names of its parts, without what tells how it is judged', async () => {
    const { subject, leftOut, problems } = await load(WHOLE);
    expect(problems).toEqual([]);
    expect(subject).toMatchObject([
      {
        kind: 'plugin',
        name: 'office',
        skills: ['office:stamp', 'office:seal', 'office:sub:deep'],
        subagents: ['office:reviewer', 'office:team:plain'],
        hooks: ['Stop'],
      },
      { kind: 'mcp', server: { name: 'plugin:office:desk', plugin: 'office', args: ['${KEY}'] } },
      { kind: 'mcp', server: { name: 'plugin:office:far', plugin: 'office', url: 'https://x.example/mcp' } },
    ]);
    const [plugin] = subject;
    expect(plugin?.kind === 'plugin' && plugin.files.map(({ path }) => path)).toContain('.claude-plugin/plugin.json');
    expect(JSON.stringify(subject)).not.toContain('SECRET-4711');
    expect(leftOut).toEqual(['plugins/office/.git/', 'plugins/office/evals/']);
    expect(variablesOfSubject(subject)).toEqual(['KEY']);
  });

  test('has what its manifest names: in place of commands and agents, besides skills, hooks and servers', async () => {
    const { subject, problems } = await load({
      ...WHOLE,
      [MANIFEST]: JSON.stringify({
        name: 'office',
        commands: ['./more/commands', './one.md'],
        agents: './more/agent.md',
        skills: './more/skills',
        hooks: { SessionStart: [{ hooks: [{ type: 'command', command: 'true' }] }] },
        mcpServers: { near: { command: 'node' } },
        experimental: { evals: 'quality/cases/' },
      }),
      [`${AT}/more/commands/two.md`]: 'x',
      [`${AT}/one.md`]: 'x',
      [`${AT}/more/agent.md`]: 'x',
      [`${AT}/more/skills/sign/SKILL.md`]: SKILL,
      [`${AT}/quality/cases/a/case.yaml`]: 'SECRET-4711',
    });
    expect(problems).toEqual([]);
    expect(subject[0]).toMatchObject({
      skills: ['office:stamp', 'office:sign', 'office:two', 'office:one'],
      subagents: ['office:agent'],
      hooks: ['Stop', 'SessionStart'],
    });
    expect(subject.flatMap((part) => (part.kind === 'mcp' ? part.server.name : []))).toEqual([
      'plugin:office:desk',
      'plugin:office:far',
      'plugin:office:near',
    ]);
    expect(JSON.stringify(subject)).not.toContain('SECRET-4711');
  });

  test.each([
    [{}, 'a.yaml', /plugin folder 'plugins\/office' was not found/],
    [{ [AT]: 'x' }, 'a.yaml', /is a file; name the folder/],
    [{ [`${AT}/README.md`]: 'x' }, 'a.yaml', /has no \.claude-plugin\/plugin\.json, so it is no plugin/],
    [{ [MANIFEST]: '{\n  "name": "office",\n}' }, 'plugin.json:3:1', /no JSON: Expected double-quoted/],
    [{ [MANIFEST]: '{"name": "off' }, 'plugin.json:1:14', /no JSON: Unterminated string/],
    [{ [MANIFEST]: '{}' }, 'plugin.json:1:1', /missing: expected the name of the plugin/],
    [{ [MANIFEST]: '{"name": "my office"}' }, 'plugin.json:1:10', /expected letters, digits and hyphens/],
    [{ [MANIFEST]: '{"name": "../x"}' }, 'plugin.json:1:10', /expected letters, digits and hyphens/],
    [{ [MANIFEST]: '{"name": "office",\n "skills": ["./none"]}' }, 'plugin.json:2:13', /the plugin has no '\.\/none'/],
    [{ [MANIFEST]: '{"name": "office", "agents": "./../x.md"}' }, 'plugin.json:1:30', /begins with \.\//],
    [
      { ...WHOLE, [`${AT}/hooks/hooks.json`]: '{"hooks":\n {"Stop": [{"hooks": "x"}]}}' },
      'hooks.json:2:22',
      /expected/,
    ],
    [{ ...WHOLE, [`${AT}/hooks/hooks.json`]: '{"hooks":' }, 'hooks.json:1:10', /no JSON: Unexpected end/],
    [
      { ...WHOLE, [`${AT}/.mcp.json`]: '{"mcpServers": {"desk": {"type": "sse", "url": "http://x"}}}' },
      '.mcp.json:1',
      /expected stdio or http/,
    ],
    [{ ...WHOLE, [`${AT}/.mcp.json`]: '{"desk": {"command": "x", "cwd": "/"}}' }, '.mcp.json:1', /cwd/],
    [{ ...WHOLE, [`${AT}/.mcp.json`]: '{"desk": {"command": "${X:-y}"}}' }, '.mcp.json:1', /is not supported/],
    [{ ...WHOLE, [`${AT}/skills/stamp/SKILL.md`]: '---\nname: [\n---\n' }, 'SKILL.md:', /./],
  ])('is refused where something is wrong with it: %#', async (files: Record<string, string>, place, message) => {
    const { problems } = await load(files);
    expect(problems.map(([at]) => at).join('\n')).toContain(place);
    expect(problems.map(([, , text]) => text).join('\n')).toMatch(message);
  });

  test('is refused in a container if it has an MCP server, and twice', async () => {
    const inDocker = await load(WHOLE, undefined, '\nenvironment: {type: docker, image: x}');
    expect(inDocker.problems).toEqual([
      [
        expect.stringMatching(/^a\.yaml/),
        'subject.plugin',
        expect.stringMatching(/plugin:office:desk.*use local or bubblewrap/),
      ],
    ]);
    const { problems } = await load({
      ...WHOLE,
      'fixtures/a.yaml': scenario('a', {
        target: null,
        more: 'subject: [{plugin: plugins/office}, {plugin: plugins/office}]',
      }),
    });
    expect(problems.map(([, path, text]) => [path, text])).toEqual([
      ['subject[1].plugin', "the plugin 'office' is named twice"],
    ]);
  });

  test('has the parts that gates name, and other names are refused with a hint', async () => {
    const gates = [
      '{type: skill_used, skill: "office:seal"}',
      '{type: skill_not_used, skill: "office:stamp"}',
      '{type: subagent_used, subagent: "office:reviewer"}',
      '{type: hook_ran, hook: "Stop:x"}',
      '{type: mcp_tool_called, server: "plugin:office:desk", tool: x}',
    ];
    expect((await load(WHOLE, gates)).problems).toEqual([]);
    const wrong = await load(WHOLE, [
      '{type: skill_used, skill: "office:sea"}',
      '{type: subagent_used, subagent: reviewer}',
      '{type: hook_ran, hook: PostToolUse}',
      '{type: mcp_tool_called, server: desk, tool: x}',
    ]);
    expect(wrong.problems.map(([, , text]) => text)).toEqual([
      "the skill 'office:sea' is not under test; did you mean 'office:seal'?",
      expect.stringMatching(/^the subagent of a plugin 'reviewer' is not under test/),
      "the hook of a plugin for the event 'PostToolUse' is not under test; the subject has Stop",
      expect.stringMatching(/^the MCP server 'desk' is not under test/),
    ]);
  });

  test('is only given to agents that read plugins; others are refused with what they can take', async () => {
    const { subject } = await load(WHOLE);
    const settings = { args: [], models: [], env: {} };
    expect(() => checkSubject(claudeCode(settings), 'a', subject)).not.toThrow();
    expect(() => checkSubject(codex(settings), 'a', subject)).toThrow(
      'a: codex cannot be given plugins of Claude Code; use claude-code, or name the skills, instructions and MCP servers of the plugin in the subject instead',
    );
  });
});
