import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { markedProcesses } from '../../src/host/process/marked-processes.js';
import type { SweepDocument } from '../../src/decide/documents/sweep-document.js';
import { opaqueId } from '../../src/store/results-folder.js';
import { foldersOf } from './engine-parts.js';
import {
  cellsOf,
  createProject,
  EMPTY_FIXTURE,
  filesBelow,
  openRun,
  scenario,
  until,
  type ScenarioOptions,
  type TestProject,
} from './project.js';

const CHECK =
  'for p in "$LLM_TOOL_TEST_FIXTURE_DIR" "$LLM_TOOL_TEST_RESULTS_DIR" "$LLM_TOOL_TEST_TRANSCRIPT" "$LLM_TOOL_TEST_EVENTS"; do case $p in /*) test -e "$p" || exit 1;; *) exit 2;; esac; done; test "$LLM_TOOL_TEST_AGENT/$LLM_TOOL_TEST_MODEL/$LLM_TOOL_TEST_SCENARIO" = mock/default/scripted';

/** A scenario with a fixture of the same name. */
const withFixture = (name: string, options: ScenarioOptions): string =>
  scenario(name, options).replace('template_folder: empty', `template_folder: ${name}`);

const SHARED = {
  tooled: withFixture('tooled', {
    target: '{binary: ./bin/mytool, env: {MYTOOL_MODE: fast}}',
    gates: ['{type: file_contains, path: said.txt, substring: mytool says hello}'],
    steps: [`run: 'mytool hello > said.txt; env > env.txt; pwd > pwd.txt'`],
  }),
  scripted: scenario('scripted', {
    gates: [`{type: script, description: d, command: '${CHECK}'}`],
    steps: ['say: x'],
    more: `scripts: {post: [{command: '${CHECK}'}], evaluators: [{name: e, command: '${CHECK} && echo "{\\"score\\": 0.5, \\"metrics\\": {\\"n\\": 3}}"'}]}`,
  }),
  staged: withFixture('staged', {
    gates: [
      '{type: file_contains, path: data/a.txt, substring: from initial state}',
      '{type: file_contains, path: conf/b.txt, substring: from setup}',
      '{type: file_contains, path: c.txt, substring: ran}',
    ],
    steps: ['say: x'],
    more: 'setup: {files: {conf/b.txt: "from setup"}, commands: ["exit 7", "echo ran > c.txt"]}',
  }),
  telling: scenario('telling', {
    steps: [`tool_call: {name: login, input: {password: hunter2x}}`, `run: 'echo token=abcdefgh12345678'`],
    more: `scripts: {evaluators: [{name: e, command: 'echo "{\\"metrics\\": {\\"password\\": \\"hunter2x\\"}}"'}]}`,
  }),
};
const KEYED = {
  'fixtures/keyed.yaml': scenario('keyed', {
    gates: ['{type: command_succeeds, command: "test -s key.txt"}'],
    more: 'tool_matrix: [{tool: keyed}]',
  }),
  'llm-tool-test-config.toml':
    '[agents.keyed]\ncommand = "sh"\nargs = ["-c", "echo my key is $SECRET_KEY; echo $SECRET_KEY > key.txt; test -n \\"$SECRET_KEY\\""]\nfree = true\nenv = { SECRET_KEY = "${ONLY_IN_SHELL}" }\n',
};

let project: TestProject;
let shared: SweepDocument;

beforeAll(async () => {
  project = await createProject({
    ...EMPTY_FIXTURE,
    ...KEYED,
    'fixtures/staged/initial-state/data/a.txt': 'from initial state\n',
  });
  await project.write('fixtures/tooled/bin/mytool', '#!/bin/sh\necho "mytool says $1"\n', 0o755);
  for (const [name, text] of Object.entries(SHARED)) await project.write(`fixtures/${name}.yaml`, text);
  shared = (await project.run(Object.keys(SHARED))).document;
});
afterAll(() => project.remove());

const outcomeOf = (name: string): unknown => cellsOf(shared, name).cells[0]?.outcome;

/** Files of the workspaces of a scenario's runs. */
const workspacesOf = async (name: string): Promise<string[]> => {
  const files = await Promise.all(foldersOf(project, name).map((folder) => filesBelow(join(folder, 'workspace'))));
  return files.flat();
};

test('editing the fixture and the scenario while a sweep runs changes nothing', async () => {
  const gates = ['{type: file_contains, path: data.txt, substring: before}'];
  await project.write('fixtures/edited/data.txt', 'before\n');
  await project.write(
    'fixtures/edited.yaml',
    withFixture('edited', {
      gates,
      steps: [`run: 'until [ -e ${project.folder}/go ]; do sleep 0.05; done; cat data.txt'`],
    }),
  );
  const running = project.start(['run', 'edited', '--repeat', '2', '--concurrency', '1', '--json']);
  await until('a workspace is there', async () => ((await workspacesOf('edited')).length > 0 ? true : null));
  await project.write('fixtures/edited/data.txt', 'after\n');
  await project.write('fixtures/edited.yaml', 'broken: [');
  await project.write('go', '');
  expect((await running).exitCode).toBe(0);
});

test('the agent has a private HOME, no variable that reveals results or scripts, and the target by its name', async () => {
  expect(outcomeOf('tooled')).toBe('pass');
  const { text: read, metrics } = await openRun(cellsOf(shared, 'tooled'));
  const env = await read('fixture/env.txt');
  expect(env).toContain('MYTOOL_MODE=fast');
  expect(env).toMatch(/^HOME=.*work.*home$/m);
  expect(env).not.toMatch(/LLM_TOOL_TEST_(RESULTS|EVENTS|TRANSCRIPT|FIXTURE)/);
  expect(env).not.toContain(project.results);
  expect(await read('fixture/pwd.txt')).not.toContain(project.folder);
  expect(metrics.efficiency).toMatchObject({ total_commands: 1, error_count: 0 });
});

test('scripts and gates find the transcript, the events and the folders by absolute paths', async () => {
  expect(outcomeOf('scripted')).toBe('pass');
  const { run, metrics } = await openRun(cellsOf(shared, 'scripted'));
  expect(run.post_scripts[0]).toMatchObject({ exit_code: 0 });
  expect(metrics.evaluator_results).toEqual([{ name: 'e', metrics: { n: 3 }, score: 0.5, summary: null, error: null }]);
});

test('setup files and initial-state are in the workspace, and a failing setup command causes only a warning', async () => {
  expect(outcomeOf('staged')).toBe('pass');
  const { run, path } = await openRun(cellsOf(shared, 'staged'));
  expect(run.warnings.join()).toMatch(/setup command failed \(exit 7\)/);
  expect(existsSync(path('fixture/data/a.txt'))).toBe(true);
  expect(existsSync(path('fixture/initial-state'))).toBe(false);
});

test('a key that is set only in the shell of the second run reaches the agent and is in no result', async () => {
  const without = await project.run(['keyed']);
  expect(without.exitCode).toBe(3);
  expect(without.document.cells[0]?.message).toContain('${ONLY_IN_SHELL}');
  const secret = 'xyzzy-plugh-4711-secret';
  const { exitCode, document } = await project.run(['keyed'], { ONLY_IN_SHELL: secret });
  expect(exitCode).toBe(0);
  expect(
    await readFile(join(document.cells[0]?.results_dir ?? '', 'artifacts', 'transcript.raw.txt'), 'utf8'),
  ).toContain('my key is [REDACTED]');
  for (const file of await filesBelow(project.results)) {
    expect(await readFile(file, 'latin1'), file).not.toContain(secret);
  }
  // The handed-over values were deleted with the end of the sweep.
  expect(await filesBelow(project.state)).not.toContainEqual(expect.stringMatching(/\/env\/.*json$/));
});

test('a value under a revealing name is masked in events and reports, whoever printed it', async () => {
  const { path, metrics } = await openRun(cellsOf(shared, 'telling'));
  expect(JSON.stringify(metrics.evaluator_results)).toContain('password');
  for (const file of await filesBelow(path('.'))) {
    expect(await readFile(file, 'utf8'), file).not.toMatch(/hunter2x|abcdefgh12345678/);
  }
});

test('--env-file provides values too', async () => {
  await project.write('my.env', 'ONLY_IN_SHELL=from-the-file\n');
  expect((await project.run(['keyed', '--env-file', 'my.env'])).exitCode).toBe(0);
});

test('without a PID namespace a run has a warning, and background processes of setup live until the run ends', async () => {
  const gates = ['{type: command_succeeds, command: "kill -0 $(cat server.pid)"}'];
  const more = 'setup: {commands: ["sleep 298 & echo $! > server.pid"]}';
  const own = await createProject(
    {
      ...EMPTY_FIXTURE,
      'fixtures/served.yaml': scenario('served', { gates, steps: ['run: setsid sleep 297 &'], more }),
    },
    { ownEngine: true },
  );
  const { exitCode, document } = await own.run(['served'], { LLM_TOOL_TEST_CONTAINMENT: 'group' });
  const { run } = await openRun(document);
  expect(exitCode).toBe(0);
  expect(run.agent?.containment).toBe('group');
  expect(run.warnings.join()).toMatch(/no PID namespace/);
  expect(markedProcesses(opaqueId(run.run_id))).toEqual([]);
  await own.remove();
});
