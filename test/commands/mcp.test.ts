import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RunEvent } from '../../src/results/records/events.js';
import { createProject, EMPTY_FIXTURE, openRun, REPOSITORY, scenario, type TestProject } from './project.js';

let project: TestProject;

const SERVER = join(REPOSITORY, 'test/mcp/server.js');

beforeAll(async () => {
  project = await createProject(EMPTY_FIXTURE);
});
afterAll(() => project.remove());

const call = (tool: string, args = '{}', server = 'test'): string =>
  `mcp: {server: ${server}, tool: ${tool}, args: ${args}}`;

/** A scenario whose mock agent performs these steps. `more`: further lines of the server. */
const withServer = (name: string, steps: string[], { gates = [] as string[], server = '', more = '' } = {}): string =>
  scenario(name, {
    gates: gates.length === 0 ? ['{type: mcp_no_errors}'] : gates,
    steps,
    more: `subject: {mcp: {name: test, command: node, args: [${JSON.stringify(SERVER)}]${server}}}\n${more}`,
  });

const eventsOf = (text: string): RunEvent[] =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as RunEvent);

/** Runs a scenario; returns the record and the events about MCP. */
async function runOne(name: string, args: string[] = [], env: Record<string, string> = {}) {
  const { document } = await project.run([name, ...args], env);
  const { run, metrics, text } = await openRun(document);
  const events = eventsOf(await text('artifacts/events.jsonl'));
  return { run, metrics, text, document, events, mcp: events.filter(({ type }) => type.startsWith('mcp_')) };
}

test('calls of a server are recorded exactly, with the tools that the agent was told', async () => {
  await project.write(
    'fixtures/records.yaml',
    withServer('records', [call('echo', '{text: hello}'), call('refuse'), call('missing')], {
      gates: ['{type: mcp_tool_called, server: test, tool: echo, args: {text: hello}}'],
    }),
  );
  const { run, mcp } = await runOne('records');
  expect(run.message).toBe('1/1 gates passed');
  expect(run.outcome).toBe('pass');
  const [tools, ...calls] = mcp;
  expect(tools).toMatchObject({
    type: 'mcp_tools',
    server: 'test',
    tools: ['echo', 'refuse', 'variable', 'crash', 'wait_for'].map((name) => ({ name })),
  });
  expect(calls).toMatchObject([
    {
      ...{ type: 'mcp_call', server: 'test', tool: 'echo', arguments: { text: 'hello' } },
      ...{ result: { content: [{ type: 'text', text: 'hello' }] }, error: null, is_error: false },
      mocked: false,
    },
    { tool: 'refuse', arguments: {}, is_error: true, error: null },
    { tool: 'missing', is_error: true },
  ]);
  for (const one of calls) expect((one as { duration_ms: number }).duration_ms).toBeGreaterThanOrEqual(0);
});

test('mcp_no_errors names the calls that failed', async () => {
  await project.write('fixtures/errors.yaml', withServer('errors', [call('echo', '{text: a}'), call('refuse')]));
  const { run, metrics } = await runOne('errors');
  expect(run.outcome).toBe('fail');
  expect(metrics.details[0]?.message).toBe('1 error in 2 calls: test refuse: it is refused');
});

test('a server that ends early, or cannot be started, is an error of the server', async () => {
  await project.write('fixtures/crash.yaml', withServer('crash', [call('crash')]));
  const crashed = await runOne('crash');
  expect(crashed.run.outcome).toBe('fail');
  expect(crashed.metrics.details[0]?.message).toContain('the server ended before the agent');
  await project.write(
    'fixtures/gone.yaml',
    withServer('gone', [call('echo', '{text: a}')]).replace('command: node', 'command: no-such-program'),
  );
  const gone = await runOne('gone');
  expect(gone.metrics.details[0]?.message).toContain('the server could not be started: spawn no-such-program');
});
void existsSync;
void readFileSync;
