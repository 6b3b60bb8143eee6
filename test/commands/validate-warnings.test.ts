import { afterAll, beforeAll, expect, test } from 'vitest';
import { createProject, EMPTY_FIXTURE, openRun, scenario, type TestProject } from './project.js';

const gates = ['{type: file_exists, path: README.md}'];
let project: TestProject;
beforeAll(async () => {
  project = await createProject({
    ...EMPTY_FIXTURE,
    'fixtures/tool.sh': '#!/bin/sh\n',
    'fixtures/there.yaml': scenario('there', {
      target: '{binary: ./tool.sh, files: []}',
      gates,
      steps: ['say: x'],
    }),
  });
});
afterAll(() => project.remove());

const validate = async (...args: string[]) => project.cli(['validate', ...args]);

test.each([
  ['a name that is not on PATH', 'no-such-tool-x', /'no-such-tool-x' was not found on PATH/],
  ['a path where nothing is', './none/tool', /'\.\/none\/tool' was not found in the fixture or from /],
])('validate warns about a missing target, with its line: %s', async (_what, binary, message) => {
  await project.write('fixtures/gone.yaml', scenario('gone', { target: `{binary: ${binary}}`, steps: ['say: x'] }));
  const { exitCode, stderr } = await validate('gone');
  expect(stderr).toMatch(/^warning: fixtures\/gone\.yaml:4:\d+ target\.binary: target binary /m);
  expect(stderr).toMatch(message);
  expect(exitCode).toBe(0);
  expect((await validate('there')).stderr).toBe('');
});

test('validate warns about a missing file of the target, which run refuses', async () => {
  await project.write(
    'fixtures/gone-file.yaml',
    scenario('gone-file', { target: '{binary: ./tool.sh, files: [tool.sh, lib]}', steps: ['say: x'] }),
  );
  const message = /gone-file\.yaml:4:\d+ target\.files\[1\]: target\.files: 'lib' was not found from /;
  const { exitCode, stderr } = await validate('gone-file');
  expect(stderr).toMatch(message);
  expect(stderr).toMatch(/^warning: /);
  expect(exitCode).toBe(0);
  const refused = await project.cli(['run', 'gone-file']);
  expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringMatching(message)]);
});

test('validate warns about a missing program of an MCP server, unless mocks stand for it', async () => {
  const write = (server: string, more = ''): Promise<void> =>
    project.write(
      'fixtures/server.yaml',
      scenario('server', { target: null, gates, more: `subject: {mcp: {name: files, ${server}}}${more}` }),
    );
  await write('command: no-such-server-x');
  const { exitCode, stderr } = await validate('server');
  expect([exitCode, stderr]).toEqual([
    0,
    "warning: fixtures/server.yaml:8:39 subject.mcp.command: the program 'no-such-server-x' was not found on PATH; install it or give its path",
  ]);
  await write('command: no-such-server-x', '\nsetup: {mocks: [{mcp: files, tool: read, definition: {}}]}');
  expect((await validate('server')).stderr).toBe('');
  for (const there of ['command: node', 'url: "http://127.0.0.1:1/mcp"']) {
    await write(there);
    expect((await validate('server')).stderr).toBe('');
  }
});

test('validate does not look on this machine for what is in a container', async () => {
  const more = 'environment: {type: docker, image: x}';
  await project.write('fixtures/inside.yaml', scenario('inside', { target: '{binary: no-such-tool-x}', more }));
  expect((await validate('inside')).stderr).not.toContain('was not found');
});

test('validate and run warn about a misspelt placeholder, and about no other word in braces', async () => {
  await project.write(
    'llm-tool-test-config.toml',
    '[agents.own]\ncommand = "cat"\nfree = true\nargs = ["-{model}", "x {modle}", "{json}"]\n',
  );
  const warning =
    "warning: llm-tool-test-config.toml:4:21 agents.own.args[1]: '{modle}' is not a placeholder and is passed on as it is; did you mean '{model}'?\n";
  expect((await validate('there')).stderr.trim()).toBe(warning.trim());
  expect((await project.cli(['run', 'there'])).stderr).toContain(warning.trim());
});

test('a scenario that checks nothing runs, with a warning before and after, and counts in no rate or comparison', async () => {
  await project.write('fixtures/nothing.yaml', scenario('nothing', { steps: ['say: x'] }));
  const warning =
    /^warning: fixtures\/nothing\.yaml:7:10 evaluation\.gates: nothing is checked: no gates and no judge/m;
  expect((await validate('nothing')).stderr).toMatch(warning);
  const { exitCode, document, stderr } = await project.run(['nothing', '--repeat', '3', '--name', 'empty']);
  expect([exitCode, stderr]).toEqual([0, expect.stringMatching(warning)]);
  expect(document.totals).toMatchObject({ passed: 3, unchecked: { passed: 3, failed: 0 } });
  expect(document.warnings).toEqual([expect.stringMatching(/^nothing was checked in 3 runs of nothing: /)]);
  const { run, text } = await openRun(document);
  expect(run).toMatchObject({ unchecked: true, warnings: [expect.stringMatching(/^nothing was checked: /)] });
  expect(await text('report.md')).toContain('nothing was checked');
  await project.run(['nothing', '--repeat', '3', '--name', 'again']);
  const compared = await project.cli(['compare', 'empty', 'again', '--gate', '--json']);
  expect(JSON.parse(compared.stdout)).toMatchObject({ verdict: 'nothing to compare' });
  expect(compared.exitCode).toBe(3);
  const clear = await project.cli(['run', 'nothing', '--until-clear', '--base', 'empty']);
  expect([clear.exitCode, clear.stderr]).toEqual([2, expect.stringMatching(/there would be nothing to decide/)]);
});

test('validate reports an unknown agent with its line', async () => {
  await project.write('fixtures/agent.yaml', scenario('agent', { more: 'tool_matrix: [{agent: mokc}]' }));
  const { exitCode, stderr } = await validate('agent');
  expect([exitCode, stderr]).toEqual([
    2,
    expect.stringMatching(/agent\.yaml:8:\d+ .*unknown agent 'mokc'; did you mean 'mock'/),
  ]);
});

test('--judge-model without a judge is refused, but not its variable', async () => {
  const args = ['run', 'there', '--dry-run'];
  const { exitCode, stderr } = await project.cli([...args, '--judge-model', 'openai/x']);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining('--judge-model has no effect: no selected scenario')]);
  const env = { LLM_TOOL_TEST_JUDGE: 'openai/x' };
  expect((await project.cli(args, env)).exitCode).toBe(0);
});
