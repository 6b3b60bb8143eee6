import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { acpAgent } from '../../../src/agents/acp/acp.js';
import { acpAgentNames, acpPresetNames, presetOf } from '../../../src/agents/acp/presets.js';
import type { RunEvent } from '../../../src/model/records/events.js';
import { linesIn } from '../../commands/engine-parts.js';
import { createProject, openRun, REPOSITORY, scenario, type TestProject } from '../../commands/project.js';
import { newFolder } from '../../host/temporary.js';
import { acpCli, type AcpCliName } from '../acp-clis.js';
import type { ScriptInput } from '../model-server/script.js';
import { startModelServer, type ModelServer } from '../model-server/server.js';
import { NO_SETTINGS } from '../requests.js';
import { endOf } from './end-of.js';

type Steps = ScriptInput['steps'];
const SERVER = join(REPOSITORY, 'test/mcp/server.js');
const PRESETS = acpPresetNames as AcpCliName[];
const hasClient = (name: AcpCliName): boolean => presetOf(name).mcpProblem === null;
/** The presets that can be installed here. Two programs need Python 3.12. */
const provided = new Map<AcpCliName, string>();
for (const name of PRESETS) {
  const command = await acpCli(name).provide();
  if (command !== null) provided.set(name, command);
}
const withClient = [...provided.keys()].filter(hasClient);
const withoutClient = [...provided.keys()].filter((name) => !hasClient(name));

const CALLS: Steps = [{ tool: 'echo', input: { text: 'by ACP' } }, { tool: 'refuse' }];
/** These keep the definitions of MCP tools from the model until it searches for them, or take calls in programs. */
const program = (code: string): Steps[number] => ({ tool: 'run_typescript', input: { code } });
const OTHER_CALLS: Partial<Record<AcpCliName, Steps>> = {
  claude: [{ tool: 'ToolSearch', input: { query: 'select:mcp__office__echo,mcp__office__refuse' } }, ...CALLS],
  // It does not wait for its servers: a search finds nothing until they have listed their tools.
  codex: [
    { run: 'until grep -q start "$SERVER_LOG_OF_TEST"; do sleep 0.1; done' },
    ...Array<Steps[number]>(5).fill({ tool: 'tool_search', input: { query: 'echo' } }),
    { tool: 'tool_search', input: { query: 'refuse', limit: 20 } },
    ...CALLS,
  ],
  qwen: [
    { tool: 'tool_search', input: { query: 'select:mcp__office__echo,mcp__office__refuse' } },
    { tool: 'tool_call', input: { name: 'mcp__office__echo', arguments: { text: 'by ACP' } } },
    { tool: 'tool_call', input: { name: 'mcp__office__refuse', arguments: {} } },
  ],
  vibe: [
    program("return await tools.mcp_office.echo({ text: 'by ACP' })"),
    program('return await tools.mcp_office.refuse({})'),
  ],
};

const nameOf = (preset: AcpCliName): string => (acpAgentNames.includes(preset) ? preset : `${preset}-acp`);

let project: TestProject;
let server: ModelServer;
let env: Record<string, string>;
beforeAll(async () => {
  const tables = [...provided].map(([preset, command]) => {
    const lines = [`command = ${JSON.stringify(command)}`, `models = ["${acpCli(preset).model}"]`];
    lines.push(`env = { SERVER_LOG_OF_TEST = "\${SERVER_LOG_OF_TEST}" }`);
    if (nameOf(preset) !== preset) lines.push(`acp = "${preset}"`);
    return `[agents.${nameOf(preset)}]\n${lines.join('\n')}\n`;
  });
  project = await createProject({
    'fixtures/empty/README.md': 'nothing\n',
    'llm-tool-test-config.toml': tables.join('\n'),
  });
  server = await startModelServer(
    withClient.map((preset) => ({
      when: `task of ${preset}.`,
      steps: [...(OTHER_CALLS[preset] ?? CALLS), { run: 'echo done > out.txt' }, { say: 'All is done.' }],
    })),
  );
  env = { LLM_TOOL_TEST_ENABLED: '1' };
  for (const maker of ['ANTHROPIC', 'OPENAI', 'GEMINI']) env[`${maker}_API_KEY`] = 'key-of-the-test';
  for (const maker of ['ANTHROPIC', 'OPENAI', 'GOOGLE_GEMINI']) env[`${maker}_BASE_URL`] = server.url;
  for (const preset of provided.keys()) {
    const log = join(project.folder, `${preset}.log`);
    const text = scenario(preset, {
      gates: [
        '{type: file_exists, path: out.txt}',
        '{type: mcp_tool_called, server: office, tool: echo, args: {text: by ACP}, max: 1}',
        '{type: mcp_tool_called, server: office, tool: refuse, after: echo}',
        '{type: mcp_no_errors, server: office, allow: 1}',
      ],
      more: [
        `tool_matrix: [{agent: ${nameOf(preset)}}]`,
        'subject:',
        `  mcp: {name: office, command: node, args: [${JSON.stringify(SERVER)}], env: {SERVER_LOG: ${JSON.stringify(log)}}}`,
      ].join('\n'),
    });
    await project.write(`fixtures/${preset}.yaml`, text.replace('"do it"', `"task of ${preset}."`));
  }
});
afterAll(async () => {
  await server.close();
  await project.remove();
});

test.each(withClient)('the real %s calls the tools of a server under test', async (preset) => {
  const log = join(project.folder, `${preset}.log`);
  const { document } = await project.run([preset], { ...env, SERVER_LOG_OF_TEST: log });
  const { run, text } = await openRun(document);
  const events = (await text('artifacts/events.jsonl'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as RunEvent);
  const answer = (of: string) => ({ result: { content: [{ text: of }] } });
  const offered = server.requests.at(-1)?.tools.map(({ name }) => name);
  expect(
    events.filter(({ type }) => type === 'mcp_call'),
    `the model was offered: ${offered?.join(', ')}`,
  ).toMatchObject([
    { server: 'office', tool: 'echo', ...answer('by ACP'), mocked: false },
    { server: 'office', tool: 'refuse', ...answer('it is refused'), is_error: true, mocked: false },
  ]);
  expect(run).toMatchObject({ outcome: 'pass', message: '4/4 gates passed', agent: { ending: 'done' } });
  const calls = linesIn(project, `${preset}.log`).filter((line) => !line.startsWith('start'));
  expect(calls).toEqual(['echo by ACP', 'refuse']);
  expect(events.some(({ type }) => type === 'mcp_problem')).toBe(false);
});

test.each(withoutClient)('%s is refused a server under test, which the real one does not start', async (preset) => {
  const { exitCode, stderr } = await project.cli(['run', preset], { ...env, SERVER_LOG_OF_TEST: 'none' });
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining('does not start the servers that it is given')]);

  const log = join(await newFolder(), 'started.log');
  const command = provided.get(preset) ?? '';
  const { classified } = await endOf({
    agent: acpAgent(preset, presetOf(preset), { ...NO_SETTINGS, command }),
    ...{ model: acpCli(preset).model, causeName: 'mcp', expected: ['done', null] },
    cause: { script: { steps: [{ run: 'echo hello > out.txt' }, { say: 'It is done.' }] }, expected: ['done', null] },
    mcpServers: [{ name: 'office', command: process.execPath, args: [SERVER], env: { SERVER_LOG: log } }],
  });
  expect([classified.ending, existsSync(log)]).toEqual(['done', false]);
});
