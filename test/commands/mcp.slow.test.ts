import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { projectState } from '../../src/host/folders.js';
import { waitUntil } from '../../src/host/process/waiting.js';
import type { RunEvent } from '../../src/model/records/events.js';
import { SweepDocument } from '../../src/decide/documents/sweep-document.js';
import { stateOfRun } from '../../src/store/results-folder.js';
import { cellsOf, createProject, EMPTY_FIXTURE, openRun, REPOSITORY, scenario, type TestProject } from './project.js';

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

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries.flatMap((entry) => (entry.isFile() ? [join(entry.parentPath, entry.name)] : []));
}

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
  const { run, mcp, metrics, text } = await runOne('records');
  expect(run.message).toBe('1/1 gates passed');
  expect(run.outcome).toBe('pass');
  const reason = 'environment local is no sandbox: the agent could write to what is recorded of it';
  expect(metrics.details.map(({ forgeable }) => forgeable)).toEqual([reason]);
  const note = `The evidence of gate 1 could have been forged: ${reason}.`;
  expect(await text('report.md')).toContain(note);
  const shown = await project.cli(['show', run.run_id]);
  expect(shown.stdout.replace(/\s+/g, ' ')).toContain(note);
  const { metrics: printed } = JSON.parse((await project.cli(['show', run.run_id, '--json'])).stdout) as {
    metrics: typeof metrics;
  };
  expect(printed.details).toMatchObject([{ forgeable: reason }]);
  const [tools, ...calls] = mcp;
  expect(tools).toMatchObject({
    type: 'mcp_tools',
    server: 'test',
    tools: ['echo', 'refuse', 'variable', 'crash', 'wait_for'].map((name) => ({ name })),
  });
  expect(calls).toMatchObject([
    {
      type: 'mcp_call',
      server: 'test',
      tool: 'echo',
      arguments: { text: 'hello' },
      result: { content: [{ type: 'text', text: 'hello' }] },
      error: null,
      is_error: false,
      mocked: false,
    },
    { tool: 'refuse', arguments: {}, is_error: true, error: null },
    { tool: 'missing', is_error: true },
  ]);
  for (const one of calls) expect((one as { duration_ms: number }).duration_ms).toBeGreaterThanOrEqual(0);
});

test('the recorded calls of a run can be checked again with other gates', async () => {
  const steps = [call('echo', '{text: a}'), call('echo', '{text: b}')];
  await project.write('fixtures/again.yaml', withServer('again', steps));
  const { document, run } = await runOne('again');
  expect(run.outcome).toBe('pass');
  const gates = ['{type: mcp_tool_called, tool: echo, max: 1}'];
  await project.write('fixtures/again.yaml', withServer('again', steps, { gates }));
  const { stdout } = await project.cli(['regrade', document.sweep, '--json']);
  const { metrics } = await openRun(SweepDocument.parse(JSON.parse(stdout)));
  expect(metrics.details[0]?.message).toBe(
    '2 calls of "echo"; expected 1 to 1; its calls had {"text":"a"}, {"text":"b"}',
  );
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
  const reason = 'the server could not be started: spawn no-such-program';
  expect(gone.metrics.details[0]?.message).toContain(reason);
  // Also if no gate looks at it.
  expect(gone.run.warnings.join('\n')).toContain(`the MCP server test under test: ${reason}`);
  expect(gone.run.warnings.filter((text) => text.includes(reason))).toHaveLength(1);
});

/** Faults of a server, what `mcp_no_errors` says, and the verdict of a gate that another tool is not called. */
const FAULTS = [
  ['nullcursor', 'tools/list: nextCursor: expected a string, got null', 'error'],
  ['nulldesc', 'tools/list: tools[0].description: expected a string, got null', 'error'],
  ['nulliserr', 'tools/call: isError: expected a boolean, got null', 'pass'],
  ['noise', 'wrote to stdout what is no message: "Server v1.0 starting..."', 'error'],
  ['nul', 'wrote to stdout what is no message: "\\u0000', 'error'],
  ['stringid', '0 errors in 1 call', 'pass'],
  ['huge11', '0 errors in 1 call', 'pass'],
] as const;

test('what clients refuse is an error of the server, and what they accept is none', async () => {
  const odd = join(REPOSITORY, 'test/mcp/odd-server.js');
  for (const [fault] of FAULTS)
    await project.write(
      `fixtures/odd-${fault}.yaml`,
      withServer(`odd-${fault}`, [call('t0', '{x: 1}')], {
        gates: ['{type: mcp_no_errors}', '{type: mcp_tool_not_called, tool: t1}'],
      }).replace(JSON.stringify(SERVER), `${JSON.stringify(odd)}, ${fault}`),
    );
  const { document } = await project.run(FAULTS.map(([fault]) => `odd-${fault}`));
  for (const [fault, message, other] of FAULTS) {
    const { run, metrics } = await openRun(cellsOf(document, `odd-${fault}`));
    const [noErrors, notCalled] = metrics.details;
    const isGood = message === '0 errors in 1 call';
    expect([fault, noErrors?.message]).toEqual([fault, expect.stringContaining(message)]);
    expect([fault, noErrors?.status, notCalled?.status]).toEqual([fault, isGood ? 'pass' : 'fail', other]);
    expect([fault, run.outcome === 'pass']).toEqual([fault, isGood]);
  }
});

test('values of variables reach the server, and are in no record', async () => {
  const secret = 'value-that-nobody-may-see';
  await project.write(
    'fixtures/secret.yaml',
    withServer('secret', [call('variable', '{name: SERVER_KEY}')], {
      server: ', env: {SERVER_KEY: "${KEY_OF_MINE}"}',
      gates: ['{type: mcp_tool_called, tool: variable}'],
    }),
  );
  const { run, mcp } = await runOne('secret', [], { KEY_OF_MINE: secret });
  expect(run.outcome).toBe('pass');
  expect(JSON.stringify(mcp.at(-1))).toContain('[REDACTED]');
  const stored = await filesBelow(project.results);
  expect(stored.length).toBeGreaterThan(5);
  for (const file of stored) expect([file, readFileSync(file).includes(secret)]).toEqual([file, false]);
  // The file of the proxy, which had the value, is gone with the run.
  const work = stateOfRun(projectState(project.results, project.state).folder, run.run_id);
  expect(existsSync(work)).toBe(true);
  expect(existsSync(join(work, 'config'))).toBe(false);
});

test('a server without a value for its variable is refused before anything starts', async () => {
  const { exitCode, stderr } = await project.cli(['run', 'secret']);
  expect(exitCode).toBe(2);
  expect(stderr).toContain('not set: KEY_OF_MINE');
});

test('a server by HTTP is called with its headers, in the same way', async () => {
  const log = join(project.folder, 'http.log');
  const port = join(project.folder, 'port');
  const server = spawn(process.execPath, [SERVER, 'http', port], {
    env: { ...process.env, SERVER_LOG: log },
    stdio: 'ignore',
  });
  onTestFinished(() => void server.kill());
  const address = await waitUntil(() => (existsSync(port) ? readFileSync(port, 'utf8') : '') || null, 20_000);
  await project.write(
    'fixtures/http.yaml',
    scenario('http', {
      gates: ['{type: mcp_tool_called, tool: echo, args: {text: over http}}', '{type: mcp_no_errors}'],
      steps: [call('echo', '{text: over http}')],
      more: 'subject: {mcp: {name: test, url: "${MCP_URL}", headers: {authorization: "Bearer ${MCP_TOKEN}"}}}',
    }),
  );
  const env = { MCP_URL: `http://127.0.0.1:${address ?? ''}/mcp`, MCP_TOKEN: 'token-of-the-test' };
  const { run, mcp } = await runOne('http', [], env);
  expect(run.message).toBe('2/2 gates passed');
  expect(mcp).toMatchObject([{ type: 'mcp_tools' }, { type: 'mcp_call', tool: 'echo', is_error: false }]);
  expect(readFileSync(log, 'utf8')).toContain('POST Bearer token-of-the-test');
  // Nobody listens there any more.
  const ended = once(server, 'exit');
  server.kill();
  await ended;
  const unreachable = await runOne('http', ['--no-cache'], env);
  expect(unreachable.run.outcome).toBe('fail');
  expect(unreachable.metrics.details[1]?.message).toContain('test cannot be reached');
});

test('the baseline has no server: no tool is listed, and gates on its use are left out', async () => {
  await project.write(
    'fixtures/baseline.yaml',
    withServer('baseline', [call('echo', '{text: a}')], {
      gates: ['{type: mcp_tool_called, tool: echo}', '{type: mcp_no_errors}', EXISTS],
      more: 'baseline: true',
    }),
  );
  const { document } = await project.run(['baseline']);
  expect(document.cells.map(({ variant, message }) => `${variant}: ${message ?? ''}`).sort()).toEqual([
    'with: 3/3 gates passed',
    'without: 1/1 gates passed',
  ]);
  const bare = await project.run(['baseline', '--variants', 'without']);
  const { text } = await openRun(bare.document);
  expect(await text('artifacts/events.jsonl')).not.toContain('mcp_tools');
});

const MOCKS = `setup:
  mocks:
    - {mcp: test, tool: echo, when: {input: {text: known}}, response: "mocked \${input.text}"}
    - {mcp: test, tool: refuse, response: {is: allowed}}
`;

test('mocked tools answer in place of the server, other calls reach it, and --live ignores the mocks', async () => {
  await project.write(
    'fixtures/mocked.yaml',
    withServer('mocked', [call('echo', '{text: known}'), call('echo', '{text: other}'), call('refuse')], {
      more: MOCKS,
    }),
  );
  const { run, mcp } = await runOne('mocked');
  expect(run.outcome).toBe('pass');
  expect(mcp.filter(({ type }) => type === 'mcp_call')).toMatchObject([
    { result: { content: [{ text: 'mocked known' }] }, mocked: true },
    { result: { content: [{ text: 'other' }] }, mocked: false },
    { result: { structuredContent: { is: 'allowed' } }, is_error: false, mocked: true },
  ]);
  expect(run.mocks?.by_mock.map(({ command, calls }) => [command, calls.length])).toEqual([
    ['test.echo', 1],
    ['test.refuse', 1],
  ]);
  const live = await runOne('mocked', ['--live']);
  expect(live.run.outcome).toBe('fail');
  expect(live.mcp.filter((event) => event.type === 'mcp_call' && event.mocked)).toEqual([]);
});

test('a server whose tools are all mocked with their definitions is not started', async () => {
  const log = join(project.folder, 'not-started.log');
  await project.write(
    'fixtures/absent.yaml',
    withServer('absent', [call('lookup', '{id: 7}'), call('lookup', '{id: 8}'), call('slow')], {
      server: `, env: {SERVER_LOG: ${JSON.stringify(log)}}`,
      gates: ['{type: mcp_tool_called, tool: lookup, args_schema: {required: [id]}, min: 2, max: 2}'],
      more: `setup:
  mocks:
    - {mcp: test, tool: lookup, definition: {description: Finds., input_schema: {type: object, required: [id]}}, when: {input: {id: 7}}, response: found}
    - {mcp: test, tool: slow, definition: {}, error: {code: E_DOWN, message: it is down}, metadata: {delay: 300}}
`,
    }),
  );
  const { run, mcp } = await runOne('absent');
  expect(run.outcome).toBe('pass');
  expect(mcp).toMatchObject([
    { type: 'mcp_tools', tools: [{ name: 'lookup' }, { name: 'slow' }] },
    { tool: 'lookup', is_error: false, mocked: true },
    {
      tool: 'lookup',
      is_error: true,
      result: { content: [{ text: 'no mock of test.lookup matches this call' }] },
    },
    { tool: 'slow', is_error: true, result: { content: [{ text: 'E_DOWN: it is down' }] } },
  ]);
  expect((mcp[3] as { duration_ms: number }).duration_ms).toBeGreaterThan(250);
  expect(run.mocks?.unmatched).toMatchObject([{ command: 'test.lookup' }]);
  expect(existsSync(log)).toBe(false);
});

test.each([
  ['mcp: {name: test}', '12:16', 'expected either command or url; got neither'],
  ['mcp: {name: test, command: node, url: "http://x"}', '12:16', 'expected either command or url; got both'],
  ['mcp: {name: test, command: node, headers: {a: b}}', '12:53', 'belongs to url; leave it out'],
  ['mcp: {name: Test, command: node}', '12:23', 'expected at most 32 lower-case letters'],
  ['mcp: {name: test, command: ./gone.sh}', '12:38', "the program './gone.sh' was not found"],
  ['mcp: {name: test, url: "ftp://x"}', '12:34', 'expected an address like'],
])('validate refuses %s at its place', async (part, place, message) => {
  await project.write(
    'fixtures/wrong.yaml',
    scenario('wrong', { gates: [EXISTS], steps: ['say: x'], more: `subject: {${part}}` }),
  );
  const { exitCode, stderr } = await project.cli(['validate', 'fixtures/wrong.yaml']);
  expect(exitCode).not.toBe(0);
  expect(stderr).toContain(message);
  expect(stderr).toContain(`wrong.yaml:${place}`);
});

const EXISTS = '{type: file_exists, path: README.md}';

test.each([
  [
    'two servers of one name',
    EXISTS,
    '[{mcp: {name: a, command: node}}, {mcp: {name: a, command: node}}]',
    "the MCP server 'a' is named twice",
  ],
  [
    'a gate about another server',
    '{type: mcp_no_errors, server: b}',
    '{mcp: {name: a, command: node}}',
    "the MCP server 'b' is not under test; the subject has a",
  ],
  [
    'a server in a container',
    EXISTS,
    '{mcp: {name: a, command: node}}\nenvironment: {type: docker, image: x}',
    'MCP servers cannot be tested in environment.type docker',
  ],
  [
    'pi, which has no MCP client',
    EXISTS,
    '{mcp: {name: a, command: node}}\ntool_matrix: [{agent: pi}]',
    'pi cannot be given MCP servers: it has no MCP client',
  ],
  [
    'a mock of another server',
    EXISTS,
    '{mcp: {name: a, command: node}}\nsetup: {mocks: [{mcp: b, tool: t}]}',
    "the subject has no MCP server 'b'",
  ],
])('validate refuses %s', async (_what, gate, subject, message) => {
  await project.write(
    'fixtures/wrong.yaml',
    scenario('wrong', { gates: [gate], steps: ['say: x'], more: `subject: ${subject}` }),
  );
  const { exitCode, stderr } = await project.cli(['validate', 'fixtures/wrong.yaml']);
  expect(exitCode).not.toBe(0);
  expect(stderr).toContain(message);
});

test('validate refuses gates about MCP in a scenario without a server', async () => {
  await project.write(
    'fixtures/wrong.yaml',
    scenario('wrong', { gates: ['{type: mcp_no_errors}'], steps: ['say: x'] }),
  );
  const { stderr } = await project.cli(['validate', 'fixtures/wrong.yaml']);
  expect(stderr).toContain('no MCP server is under test; add it to the subject of the scenario');
});
