import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { RunEvent } from '../../../src/results/records/events.js';
import { createProject, openRun, REPOSITORY, scenario } from '../../commands/project.js';
import { CLI_NAMES, provideCli, provideMcpServer } from '../clis.js';
import { serve } from '../serve.js';
import { MODELS } from './models.js';

const SERVER = join(REPOSITORY, 'test/mcp/server.js');
/** pi has no MCP client. */
const AGENTS = CLI_NAMES.filter((name) => name !== 'pi');

/** These keep the definitions of MCP tools from the model until it searches for them. */
const SEARCHES: Partial<Record<string, { tool: string; input: Record<string, unknown> }[]>> = {
  'claude-code': [{ tool: 'ToolSearch', input: { query: 'select:mcp__subject__echo' } }],
  codex: [{ tool: 'tool_search', input: { query: 'echo' } }],
};

test.each(AGENTS)(
  'the real %s calls the reference server under test, is answered by its mocks, and has no server of the user',
  async (agent) => {
    const program = await provideCli(agent, console.log);
    const reference = await provideMcpServer(console.log);
    const project = await createProject(
      {
        'llm-tool-test-config.toml': `[agents.${agent}]\ncommand = ${JSON.stringify(program)}\nmodels = ["${MODELS[agent]}"]\n`,
        'fixtures/empty/README.md': 'nothing\n',
      },
      { ownEngine: true },
    );
    onTestFinished(() => project.remove());
    // What the user has: each place that one of the agents reads.
    const command = { command: process.execPath, args: [SERVER] };
    const log = join(project.folder, 'planted.log');
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
        { tool: 'echo', input: { message: 'marker-of-the-call' } },
        { tool: 'echo', input: { message: 'mocked' } },
        { run: 'echo done > out.txt' },
        { say: 'All is done.' },
      ],
    });
    await project.write(
      'fixtures/ask.yaml',
      scenario('ask', {
        gates: [
          '{type: file_exists, path: out.txt}',
          '{type: mcp_tool_called, tool: echo, args: {message: marker-of-the-call}, max: 1}',
          '{type: mcp_no_errors}',
        ],
        more: [
          `tool_matrix: [{agent: ${agent}}]`,
          `subject: {mcp: {name: subject, command: ${JSON.stringify(reference)}, args: [stdio]}}`,
          'baseline: true',
          'setup: {mocks: [{mcp: subject, tool: echo, when: {input: {message: mocked}}, response: of the mock}]}',
        ].join('\n'),
      }),
    );
    const env: Record<string, string> = { LLM_TOOL_TEST_ENABLED: '1', HOME: join(project.folder, 'home') };
    for (const maker of ['ANTHROPIC', 'OPENAI', 'GEMINI']) env[`${maker}_API_KEY`] = 'key-of-the-test';
    for (const maker of ['ANTHROPIC', 'OPENAI', 'GOOGLE_GEMINI']) env[`${maker}_BASE_URL`] = server.url;

    const { document } = await project.run(['ask', '--variants', 'with'], env);
    const { run, text } = await openRun(document);
    const events = (await text('artifacts/events.jsonl'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as RunEvent);
    const tools = server.requests.flatMap((request) => request.tools.map(({ name }) => name));
    expect(run.message).toBe('3/3 gates passed');
    expect(events.filter(({ type }) => type === 'mcp_call')).toMatchObject([
      { tool: 'echo', result: { content: [{ text: 'Echo: marker-of-the-call' }] }, mocked: false },
      { tool: 'echo', result: { content: [{ text: 'of the mock' }] }, mocked: true },
    ]);
    expect(tools.join(' ')).not.toContain('planted');
    expect(events.filter(({ type }) => type === 'mcp_tools')).not.toEqual([]);

    const before = server.requests.length;
    await project.run(['ask', '--variants', 'without'], env);
    const bare = JSON.stringify(server.requests.slice(before).map((request) => request.tools));
    expect(bare).not.toContain('echo');
    await expect(project.read('planted.log')).rejects.toThrow('ENOENT');
  },
);
