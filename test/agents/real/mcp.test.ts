import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { waitUntil } from '../../../src/host/process/waiting.js';
import type { RunEvent } from '../../../src/model/records/events.js';
import { linesIn, untilLines } from '../../commands/engine-parts.js';
import { createProject, openRun, REPOSITORY, scenario } from '../../commands/project.js';
import { CLI_NAMES, provideCli, provideMcpServer } from '../clis.js';
import { serve } from '../serve.js';
import { MODELS } from './models.js';

const SERVER = join(REPOSITORY, 'test/mcp/server.js');
/** pi has no MCP client. */
const AGENTS = CLI_NAMES.filter((name) => name !== 'pi');

/** These keep the definitions of MCP tools from the model until it searches for them. */
const SEARCHES: Partial<Record<string, { tool: string; input: Record<string, unknown> }[]>> = {
  'claude-code': [
    {
      tool: 'ToolSearch',
      input: { query: 'select:mcp__subject__get-sum,mcp__own__refuse,mcp__own__wait_for,mcp__own__variable' },
    },
  ],
  codex: [
    { tool: 'tool_search', input: { query: 'sum of two numbers' } },
    { tool: 'tool_search', input: { query: 'refuse wait_for variable', limit: 20 } },
  ],
};

test.each(AGENTS)(
  'the real %s calls two servers under test and a skill, is answered by mocks, by errors and slowly, and has no server of the user',
  async (agent) => {
    const program = await provideCli(agent, console.log);
    const reference = await provideMcpServer(console.log);
    const project = await createProject(
      {
        'llm-tool-test-config.toml': `[agents.${agent}]\ncommand = ${JSON.stringify(program)}\nmodels = ["${MODELS[agent]}"]\n`,
        'fixtures/empty/README.md': 'nothing\n',
        'fixtures/skills/stamp/SKILL.md': '---\nname: stamp\ndescription: Stamps documents.\n---\n\nWrite out.txt.\n',
      },
      { ownEngine: true },
    );
    onTestFinished(() => project.remove());
    // The user's own files: each place that one of the agents reads.
    const command = { command: process.execPath, args: [SERVER] };
    const log = join(project.folder, 'planted.log');
    const ownLog = join(project.folder, 'own.log');
    const planted = { planted: { ...command, env: { SERVER_LOG: log } } };
    const opencode = {
      mcp: {
        planted: {
          type: 'local',
          command: [process.execPath, SERVER],
          environment: { SERVER_LOG: log },
          enabled: true,
        },
      },
    };
    const codex = `[mcp_servers.planted]\ncommand = "node"\nargs = [${JSON.stringify(SERVER)}]\n[mcp_servers.planted.env]\nSERVER_LOG = ${JSON.stringify(log)}\n`;
    const json = JSON.stringify({ mcpServers: planted });
    for (const file of ['.claude.json', '.mcp.json', '.claude/settings.json', '.gemini/settings.json'])
      await project.write(`home/${file}`, json);
    await project.write('home/.codex/config.toml', codex);
    await project.write('home/.config/opencode/opencode.json', JSON.stringify(opencode));
    const server = await serve({
      steps: [
        ...(SEARCHES[agent] ?? []),
        { tool: 'sum', input: { a: 4000, b: 711 } }, // get-sum, or get_sum
        { tool: 'sum', input: { a: 4000, b: 0 } },
        { tool: 'refuse' },
        { tool: 'wait_for', input: { file: join(project.folder, 'go') } },
        { tool: 'variable', input: { name: 'mocked' } },
        { skill: 'stamp' },
        { run: 'echo done > out.txt' },
        { say: 'All is done.' },
      ],
    });
    await project.write(
      'fixtures/ask.yaml',
      scenario('ask', {
        gates: [
          '{type: file_exists, path: out.txt}',
          '{type: mcp_tool_called, server: subject, tool: get-sum, args: {b: 711}, max: 1}',
          '{type: mcp_tool_called, server: own, tool: wait_for, after: refuse}',
          '{type: mcp_no_errors, server: subject}',
          '{type: mcp_no_errors, server: own, allow: 2}',
          '{type: skill_used, skill: stamp}',
        ],
        more: [
          `tool_matrix: [{agent: ${agent}}]`,
          'subject:',
          '  - {skill: skills/stamp}',
          `  - {mcp: {name: subject, command: ${JSON.stringify(reference)}, args: [stdio]}}`,
          `  - {mcp: {name: own, command: node, args: [${JSON.stringify(SERVER)}], env: {SERVER_LOG: ${JSON.stringify(ownLog)}}}}`,
          'baseline: true',
          'setup:',
          '  mocks:',
          '    - {mcp: subject, tool: get-sum, when: {input: {b: 0}}, response: of the mock}',
          '    - {mcp: own, tool: variable, when: {input: {name: mocked}}, error: {code: E_MOCK, message: it is mocked}, metadata: {delay: 500}}',
        ].join('\n'),
      }),
    );
    const env: Record<string, string> = { LLM_TOOL_TEST_ENABLED: '1', HOME: join(project.folder, 'home') };
    for (const maker of ['ANTHROPIC', 'OPENAI', 'GEMINI']) env[`${maker}_API_KEY`] = 'key-of-the-test';
    for (const maker of ['ANTHROPIC', 'OPENAI', 'GOOGLE_GEMINI']) env[`${maker}_BASE_URL`] = server.url;

    const ended = project.run(['ask', '--variants', 'with'], env);
    // The slow tool answers when the call of it has arrived.
    await untilLines(project, 'own.log', 3);
    await project.write('go', '');
    const { document } = await ended;
    const { run, text } = await openRun(document);
    const events = (await text('artifacts/events.jsonl'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as RunEvent);
    const tools = server.requests.flatMap((request) => request.tools.map(({ name }) => name));
    expect(run.message).toBe('6/6 gates passed');
    const answer = (text: string) => ({ result: { content: [{ text }] } });
    expect(events.filter(({ type }) => type === 'mcp_call')).toMatchObject([
      { server: 'subject', tool: 'get-sum', ...answer('The sum of 4000 and 711 is 4711.'), mocked: false },
      { server: 'subject', tool: 'get-sum', ...answer('of the mock'), mocked: true },
      { server: 'own', tool: 'refuse', ...answer('it is refused'), is_error: true, mocked: false },
      { server: 'own', tool: 'wait_for', ...answer('it is there'), is_error: false, mocked: false },
      { server: 'own', tool: 'variable', ...answer('E_MOCK: it is mocked'), is_error: true, mocked: true },
    ]);
    expect(linesIn(project, 'own.log').map((line) => line.split(' ')[0])).toEqual([...['start', 'refuse', 'wait_for']]);
    expect(tools.join(' ')).not.toContain('planted');
    const listed = events.flatMap((event) => (event.type === 'mcp_tools' ? [event.server] : []));
    expect([...new Set(listed)].sort()).toEqual(['own', 'subject']);

    const before = server.requests.length;
    await project.run(['ask', '--variants', 'without'], env);
    const bare = server.requests.slice(before).flatMap((request) => request.tools.map(({ name }) => name));
    expect(bare.filter((name) => /(sum|refuse|wait_for|variable)$/.test(name))).toEqual([]);
    await expect(project.read('planted.log')).rejects.toThrow('ENOENT');
  },
);

const SEARCH_ECHO: Partial<Record<string, { tool: string; input: Record<string, unknown> }[]>> = {
  'claude-code': [{ tool: 'ToolSearch', input: { query: 'select:mcp__web__echo' } }],
  codex: [{ tool: 'tool_search', input: { query: 'echo' } }],
};

test.each(AGENTS)('the real %s calls a server by its address, without a problem of the server', async (agent) => {
  const program = await provideCli(agent, console.log);
  const project = await createProject(
    {
      'llm-tool-test-config.toml': `[agents.${agent}]\ncommand = ${JSON.stringify(program)}\nmodels = ["${MODELS[agent]}"]\n`,
      'fixtures/empty/README.md': 'nothing\n',
    },
    { ownEngine: true },
  );
  onTestFinished(() => project.remove());
  const port = join(project.folder, 'port');
  const server = spawn(process.execPath, [SERVER, 'http', port], { stdio: 'ignore' });
  onTestFinished(() => void server.kill());
  const address = await waitUntil(() => (existsSync(port) ? readFileSync(port, 'utf8') : '') || null, 20_000);
  const model = await serve({
    steps: [...(SEARCH_ECHO[agent] ?? []), { tool: 'echo', input: { text: 'by address' } }, { say: 'All is done.' }],
  });
  await project.write(
    'fixtures/web.yaml',
    scenario('web', {
      gates: ['{type: mcp_tool_called, server: web, tool: echo, args: {text: by address}}', '{type: mcp_no_errors}'],
      more: `tool_matrix: [{agent: ${agent}}]\nsubject: {mcp: {name: web, url: "http://127.0.0.1:${address}/mcp"}}`,
    }),
  );
  const env: Record<string, string> = { LLM_TOOL_TEST_ENABLED: '1', HOME: join(project.folder, 'home') };
  for (const maker of ['ANTHROPIC', 'OPENAI', 'GEMINI']) env[`${maker}_API_KEY`] = 'key-of-the-test';
  for (const maker of ['ANTHROPIC', 'OPENAI', 'GOOGLE_GEMINI']) env[`${maker}_BASE_URL`] = model.url;
  const { document } = await project.run(['web'], env);
  const { metrics } = await openRun(document);
  expect(metrics.details.map(({ message }) => message)).toEqual([
    '1 call of "echo" with these arguments',
    '0 errors in 1 call',
  ]);
});
