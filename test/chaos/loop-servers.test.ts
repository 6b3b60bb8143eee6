import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { markedProcesses } from '../../src/host/process/marked-processes.js';
import type { RunEvent } from '../../src/model/records/events.js';
import { opaqueId } from '../../src/store/results-folder.js';
import type { ScriptInput } from '../agents/model-server/script.js';
import { startModelServer, type ModelServer } from '../agents/model-server/server.js';
import { kill, linesIn, partOf, untilLines } from '../commands/engine-parts.js';
import { letGo } from '../commands/gated.js';
import {
  createProject,
  documentOf,
  EMPTY_FIXTURE,
  openRun,
  REPOSITORY,
  scenario,
  until,
  type RunFolder,
  type TestProject,
} from '../commands/project.js';
import { killProcess, processesWith, thatRun } from '../host/processes.js';

const SERVER = join(REPOSITORY, 'test/mcp/server.js');
const done = { say: 'All is done.' };

describe.each(['local', 'bubblewrap'])('MCP servers under test with the agent loop in %s', (place) => {
  let project: TestProject;
  let server: ModelServer;
  let env: Record<string, string>;

  beforeAll(async () => {
    project = await createProject(EMPTY_FIXTURE, { ownEngine: true });
    const wait = (name: string) => ({ tool: 'wait_for', input: { file: `${project.folder}/${name}.go` } });
    const scripts: ScriptInput[] = [
      {
        when: 'task calls',
        steps: [
          { tool: 'echo', input: { text: 'one' } },
          { tool: 'refuse' },
          { run: 'echo between' },
          { tool: 'variable', input: { name: 'OPENAI_API_KEY' } },
          { tool: 'echo', input: { words: 'two' } },
          done,
        ],
      },
      { when: 'task mocked', steps: [{ tool: 'read_file', input: { path: 'a' } }, done] },
      { when: 'task crash', steps: [{ tool: 'crash' }, { tool: 'echo', input: { text: 'x' } }, done] },
      ...['worker', 'proxy'].map((name) => ({
        when: `task ${name}`,
        steps: [{ tool: 'echo', input: { text: name } }, wait(name), { tool: 'echo', input: { text: 'after' } }, done],
      })),
    ];
    server = await startModelServer(scripts);
    env = { LLM_TOOL_TEST_ENABLED: '1', OPENAI_API_KEY: 'key-of-the-test', OPENAI_BASE_URL: server.url };
  });
  afterAll(async () => {
    await server.close();
    await project.remove();
  });

  /** Writes a scenario with the server. Returns words of the server's command. */
  async function write(name: string, gates: string[], more = ''): Promise<string> {
    const mark = `${project.folder}/server-of-${name}`;
    const args = JSON.stringify([SERVER, mark]);
    const log = JSON.stringify(`${place === 'local' ? project.folder : '/tmp'}/${name}.log`);
    await project.write(
      `fixtures/${name}.yaml`,
      scenario(name, {
        gates,
        more: `environment: {type: ${place}}\nsubject: {mcp: {name: test, command: node, args: ${args}, env: {SERVER_LOG: ${log}}}}\n${more}`,
      }).replace('"do it"', `"task ${name}"`),
    );
    return mark;
  }
  const args = (name: string): string[] => ['run', name, '--agents', 'loop', '--models', 'openai/scripted-model'];
  const run = async (name: string): Promise<RunFolder> =>
    openRun((await project.run(args(name).slice(1), env)).document);
  const eventsOf = async ({ text }: RunFolder): Promise<RunEvent[]> =>
    (await text('artifacts/events.jsonl'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as RunEvent);

  test('calls go through the proxy to one server, and gates see them', async () => {
    const mark = await write('calls', [
      '{type: mcp_tool_called, tool: echo, args: {text: one}, min: 1, max: 1}',
      '{type: mcp_tool_not_called, tool: crash}',
    ]);
    const folder = await run('calls');
    expect([folder.run.outcome, folder.run.message]).toEqual(['pass', '2/2 gates passed']);
    const events = await eventsOf(folder);
    const calls = events.flatMap((event) => (event.type === 'tool_call' ? [event.name] : []));
    expect(calls).toEqual([
      ...['mcp__test__echo', 'mcp__test__refuse', 'bash', 'mcp__test__variable', 'mcp__test__echo'],
    ]);
    const results = events.flatMap((event) => (event.type === 'tool_result' ? [event] : []));
    expect(results.map(({ output }) => output).slice(0, 4)).toEqual([
      ...['one', 'it is refused', 'between', '(not set)'],
    ]);
    expect(results.map(({ is_error }) => is_error)).toEqual([false, true, false, false, true]);
    const recorded = events.flatMap((event) => (event.type === 'mcp_call' ? [[event.tool, event.is_error]] : []));
    expect(recorded).toEqual([
      ...[
        ['echo', false],
        ['refuse', true],
        ['variable', false],
        ['echo', true],
      ],
    ]);
    expect(events.filter(({ type }) => type === 'mcp_problem')).toEqual([]);
    expect(events.filter(({ type }) => type === 'mcp_tools')).toHaveLength(1);
    const asked = server.requests.find(({ prompts }) => prompts.includes('task calls'));
    expect(asked?.tools.map(({ name }) => name)).toContain('mcp__test__wait_for');
    expect(processesWith(mark)).toEqual([]);
    expect(markedProcesses(opaqueId(folder.run.run_id))).toEqual([]);
    if (place === 'local')
      expect(linesIn(project, 'calls.log').filter((line) => line.startsWith('start'))).toHaveLength(1);
  });

  test('a server that ends is a problem of the server', async () => {
    await write('crash', ['{type: mcp_no_errors}']);
    const folder = await run('crash');
    expect(folder.run.outcome).toBe('fail');
    expect(folder.metrics.details[0]?.message).toContain('the server ended before the agent (exit code 3)');
  });

  test('mocks answer calls of a server that is not started', async () => {
    await write(
      'mocked',
      ['{type: mcp_tool_called, tool: read_file}', '{type: mcp_no_errors}'],
      'setup: {mocks: [{mcp: test, tool: read_file, definition: {description: Reads}, response: its content}]}',
    );
    const folder = await run('mocked');
    expect([folder.run.outcome, folder.run.message]).toEqual(['pass', '2/2 gates passed']);
    expect(await folder.text('artifacts/events.jsonl')).toContain('its content');
  });

  if (place !== 'local') return;

  test('SIGKILL of the worker during a call: it is adopted, and nothing is repeated', async () => {
    const mark = await write('worker', ['{type: mcp_tool_called, tool: wait_for, max: 1}', '{type: mcp_no_errors}']);
    const command = project.start([...args('worker'), '--json'], env);
    await untilLines(project, 'worker.log', 3);
    await kill(project, 'worker');
    await until('another worker', () => partOf(project, 'worker'));
    await letGo(project, 'worker');
    const folder = await openRun(documentOf((await command).stdout));
    expect([folder.run.outcome, folder.run.message]).toEqual(['pass', '2/2 gates passed']);
    expect(linesIn(project, 'worker.log').map((line) => line.split(' ')[0])).toEqual([
      ...['start', 'echo', 'wait_for', 'echo'],
    ]);
    expect(processesWith(mark)).toEqual([]);
    expect(markedProcesses(opaqueId(folder.run.run_id))).toEqual([]);
  });

  test('SIGKILL of the proxy during a call: the server is started again, and nobody is blamed', async () => {
    const mark = await write('proxy', ['{type: mcp_tool_called, tool: echo, min: 2}', '{type: mcp_no_errors}']);
    const command = project.start([...args('proxy'), '--json'], env);
    await untilLines(project, 'proxy.log', 3);
    for (const pid of thatRun(project.state, 'proxy-program.js')) killProcess(pid);
    const folder = await openRun(documentOf((await command).stdout));
    expect(folder.run.outcome).toBe('error');
    expect(folder.metrics.details.map(({ status }) => status)).toEqual(['pass', 'error']);
    expect(folder.run.agent?.ending).toBe('done');
    expect(linesIn(project, 'proxy.log').map((line) => line.split(' ')[0])).toEqual([
      ...['start', 'echo', 'wait_for', 'start', 'echo'],
    ]);
    expect(processesWith(mark)).toEqual([]);
    expect(markedProcesses(opaqueId(folder.run.run_id))).toEqual([]);
  });
});
