import { existsSync } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { markedProcesses } from '../../src/platform/marked-processes.js';
import {
  copyExamples,
  createProject,
  EMPTY_FIXTURE,
  openRun,
  scenario,
  until,
  type TestProject,
} from './project.js';

let project: TestProject;

beforeAll(async () => {
  project = await createProject(EMPTY_FIXTURE);
  await copyExamples(project);
});
afterAll(() => project.remove());

describe('the examples', () => {
  test('example_basic passes with the mock, and every link in its reports resolves', async () => {
    const { exitCode, document } = await project.run(['fixtures/example_basic.yaml']);
    expect(document.totals).toMatchObject({ cells: 1, passed: 1 });
    expect(exitCode).toBe(0);
    const { text, path, metrics } = await openRun(document);
    for (const report of ['report.md', 'evaluation.md']) {
      const links = [...(await text(report)).matchAll(/\]\(([^)]+)\)/g)].map(([, link = '']) =>
        decodeURIComponent(link),
      );
      expect(links.length).toBeGreaterThan(3);
      for (const link of links) expect(existsSync(path(link)), `${report}: ${link}`).toBe(true);
    }
    expect(await text('evaluation.md')).toMatch(/Human Score/);
    expect(metrics.evaluator_results[0]).toMatchObject({ error: null });
    expect(metrics.gates_passed).toBe(metrics.gates_total);
    const events = (await text('artifacts/events.jsonl'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string; seq: number });
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    expect(new Set(events.map(({ type }) => type))).toEqual(
      new Set(['setup_command', 'message', 'tool_call', 'tool_result', 'result', 'post_script']),
    );
  });

  test('git_history passes with real git in a private HOME', async () => {
    const { exitCode } = await project.run(['git_history']);
    expect(exitCode).toBe(0);
  });

  test('agent_scripts passes with Deno, and tells calls of its target by the names of the scripts', async () => {
    const { exitCode, document, stderr } = await project.run(['agent_scripts']);
    expect(exitCode, stderr).toBe(0);
    const { metrics } = await openRun(document);
    expect(metrics.efficiency).toMatchObject({ total_commands: 2, unique_commands: 2, error_count: 0 });
    expect(metrics.evaluator_results).toMatchObject([{ name: 'orders', score: 1, error: null }]);
  });

  test('a run prints the outcome, where the report is and where the workflow is', async () => {
    const { exitCode, stdout } = await project.cli(['run', 'example_basic']);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/pass\s+example_basic/);
    const [, report = ''] = /(\/\S+report\.md)/.exec(stdout) ?? [];
    expect(existsSync(report)).toBe(true);
  });
});

test('a proxy of the shell is not asked for the server on this machine', async () => {
  const proxy = 'http://127.0.0.1:9'; // nobody listens there
  await project.write('fixtures/proxied.yaml', scenario('proxied', { steps: ['say: done'] }));
  const { exitCode } = await project.run(['proxied'], {
    https_proxy: proxy,
    http_proxy: proxy,
    no_proxy: '',
  });
  expect(exitCode).toBe(0);
});

describe('outcomes and exit codes', () => {
  test('a failing gate makes the run fail: exit 1, and the other gates are checked all the same', async () => {
    const gates = ['{type: file_exists, path: missing.txt}', '{type: file_exists, path: README.md}'];
    await project.write('fixtures/failing.yaml', scenario('failing', { gates, steps: ['say: nothing'] }));
    const { exitCode, document } = await project.run(['failing']);
    expect(exitCode).toBe(1);
    expect(document.cells[0]).toMatchObject({ outcome: 'fail', gates_passed: 1, gates_total: 2 });
  });

  test('a missing target is an error: exit 3, the agent is not started and the report says which steps were not performed', async () => {
    const gates = ['{type: file_exists, path: README.md}'];
    await project.write(
      'fixtures/untested.yaml',
      scenario('untested', { target: '{binary: no-such-tool}', gates, steps: ['say: hi'] }),
    );
    const { exitCode, document } = await project.run(['untested']);
    expect(exitCode).toBe(3);
    expect(document.cells[0]?.message).toMatch(/no-such-tool.*not found on PATH/);
    const { run } = await openRun(document);
    expect(run.agent).toBeNull();
    expect(run.steps.find(({ name }) => name === 'agent')).toMatchObject({ status: 'not_performed' });
  });

  test('a target that is there and not executable is called so', async () => {
    await project.write('fixtures/shut/bin/shut-tool', '#!/bin/sh\n', 0o644);
    const text = scenario('shut', { target: '{binary: bin/shut-tool}', steps: ['say: hi'] });
    await project.write(
      'fixtures/shut.yaml',
      text.replace('template_folder: empty', 'template_folder: shut'),
    );
    const { exitCode, document } = await project.run(['shut']);
    expect(exitCode).toBe(3);
    expect(document.cells[0]?.message).toMatch(/'bin\/shut-tool' is not executable: .*shut-tool; chmod \+x/);
  });

  test('a failed health check is an error that quotes why', async () => {
    const target = '{binary: cat, health_check: "echo broken disk >&2; exit 4"}';
    await project.write('fixtures/unhealthy.yaml', scenario('unhealthy', { target, steps: ['say: hi'] }));
    const { exitCode, document } = await project.run(['unhealthy']);
    expect(exitCode).toBe(3);
    expect(document.cells[0]?.message).toMatch(/health check failed \(exit 4\).*broken disk/);
  });

  test('an agent that exits non-zero has not completed, and the gates decide', async () => {
    const gates = ['{type: file_exists, path: README.md}'];
    await project.write(
      'fixtures/quits.yaml',
      scenario('quits', { gates, steps: ['say: I give up', 'exit: 9'] }),
    );
    const { exitCode, document } = await project.run(['quits']);
    expect(exitCode).toBe(0);
    expect((await openRun(document)).metrics.completed).toBe(false);
  });

  test('an agent and a gate that hang with a grandchild on their output are ended in time', async () => {
    const hang = 'sh -c "trap \'\' TERM; sleep 300" & sleep 300';
    const gates = [
      `{type: command_succeeds, command: ${JSON.stringify(hang)}, timeout_secs: 0.5}`,
      '{type: file_exists, path: README.md}',
    ];
    const more =
      'run: {timeout_secs: 0.5}\nscripts: {post: [{command: "sleep 300 & sleep 300", timeout_secs: 0.5}]}';
    await project.write(
      'fixtures/hangs.yaml',
      scenario('hangs', { gates, steps: [`run: ${JSON.stringify(hang)}`], more }),
    );
    const { exitCode, document } = await project.run(['hangs']);
    expect(exitCode).toBe(1);
    const { run, metrics } = await openRun(document);
    expect(run.agent?.ending).toBe('timeout');
    expect(run.agent?.duration_ms).toBeLessThan(0.5 * 1000 + 1500);
    expect(metrics.details.map(({ status }) => status)).toEqual(['fail', 'pass']);
    expect(metrics.details[0]?.message).toMatch(/timed out after 0.5 s/);
    expect(metrics.details[0]?.duration_ms).toBeLessThan(0.5 * 1000 + 1500);
    expect(run.post_scripts[0]?.timed_out).toBe(true);
  });

  test('an agent without output for the idle time is stopped', async () => {
    const more = 'run: {idle_timeout_secs: 0.5}';
    await project.write(
      'fixtures/idle.yaml',
      scenario('idle', { steps: ['say: thinking', 'wait_secs: 300'], more }),
    );
    const { document } = await project.run(['idle']);
    expect((await openRun(document)).run.agent).toMatchObject({ ending: 'idle_timeout', completed: false });
  });

  test('10 MB of output from agent, gate and script neither blocks nor enters the history', async () => {
    const flood = 'head -c 10000000 /dev/zero | tr "\\\\0" x';
    const gates = [
      `{type: command_succeeds, command: '${flood}'}`,
      `{type: script, description: flood, command: '${flood}'}`,
    ];
    const more = `scripts: {post: [{command: '${flood}'}]}`;
    await project.write(
      'fixtures/flood.yaml',
      scenario('flood', { gates, steps: [`run: '${flood}'`], more }),
    );
    await project.write('fixtures/flood2.yaml', scenario('flood2', { gates }));
    await project.write(
      'llm-tool-test-config.toml',
      `[agents.flooder]\ncommand = "sh"\nargs = ["-c", '${flood.replace('\\\\', '\\')}']\nfree = true\n`,
    );
    const { exitCode, document } = await project.run(['flood']);
    expect(exitCode).toBe(0);
    const flooded = await project.run(['flood2', '--agents', 'flooder']);
    expect(flooded.exitCode).toBe(0);
    const { path, run } = await openRun(flooded.document);
    expect(run.agent?.output_bytes).toBe(10_000_000);
    expect((await stat(path('artifacts/transcript.raw.txt'))).size).toBeGreaterThan(1_000_000);
    expect((await stat((await openRun(document)).path('artifacts/run.json'))).size).toBeLessThan(200_000);
    const client = new Client({
      connection: await Connection.connect({ address: inject('temporalAddress') }),
    });
    const { historySize } = await client.workflow.getHandle(run.workflow_id).describe();
    await client.connection.close();
    expect(historySize).toBeGreaterThan(1000);
    expect(historySize).toBeLessThan(30_000);
  });
});

describe('the matrix', () => {
  test('scenarios x agents x models x repetitions, from flags', async () => {
    await project.write('llm-tool-test-config.toml', '[agents.echoer]\ncommand = "echo"\nfree = true\n');
    for (const name of ['one', 'two'])
      await project.write(`fixtures/${name}.yaml`, scenario(name, { steps: ['say: x'] }));
    const { exitCode, document } = await project.run([
      'one',
      'two',
      '--agents',
      'mock,echoer',
      '--models',
      'a,b',
      '--repeat',
      '2',
      '--concurrency',
      '3',
    ]);
    expect(exitCode).toBe(0);
    expect(document.cells).toHaveLength(16);
    expect(new Set(document.cells.map(({ results_dir }) => results_dir)).size).toBe(16);
    expect(document.cells.map(({ id }) => id)).toContain('two/echoer/b/default/2');
  });

  test('tool_matrix and a profile name agents; --agents replaces them', async () => {
    await project.write(
      'llm-tool-test-config.toml',
      '[agents.echoer]\ncommand = "echo"\nfree = true\n[profiles.wide]\nagents = ["mock", "echoer"]\n',
    );
    await project.write(
      'fixtures/listed.yaml',
      scenario('listed', { more: 'tool_matrix: [{tool: echoer, models: [m1, m2]}]' }),
    );
    await project.write('fixtures/open.yaml', scenario('open'));
    const ids = async (...args: string[]): Promise<string[]> => {
      const { stdout } = await project.cli(['run', ...args, '--dry-run', '--json']);
      return (JSON.parse(stdout) as { cells: { id: string }[] }).cells.map(({ id }) => id);
    };
    expect(await ids('listed')).toEqual(['listed/echoer/m1/default/1', 'listed/echoer/m2/default/1']);
    expect(await ids('listed', '--tools', 'mock')).toEqual(['listed/mock/default/default/1']);
    expect(await ids('open', '--profile', 'wide')).toEqual([
      'open/mock/default/default/1',
      'open/echoer/default/default/1',
    ]);
  });

  test('tags and tiers select', async () => {
    await project.write(
      'fixtures/tagged/quick.yaml',
      scenario('quick', { steps: ['say: x'], more: 'tags: [smoke, cli]' }),
    );
    await project.write(
      'fixtures/tagged/deep.yaml',
      scenario('deep', { steps: ['say: x'], more: 'tags: [cli]\ntier: 2' }),
    );
    const names = async (...args: string[]): Promise<string[]> => {
      const { stdout } = await project.cli(['run', 'tagged', ...args, '--dry-run', '--json']);
      return (JSON.parse(stdout) as { scenarios: { name: string }[] }).scenarios.map(({ name }) => name);
    };
    expect(await names('--tags', 'smoke,other')).toEqual(['quick']);
    expect(await names('--tags', 'cli')).toEqual(['deep', 'quick']);
    expect(await names('--tags', 'cli', '--tier', '1')).toEqual(['quick']);
    const nothing = await project.cli(['run', 'tagged', '--tags', 'none']);
    expect(nothing.exitCode).toBe(2);
    expect(
      (await project.cli(['run', 'tagged', '--tags', 'none', '--pass-with-no-scenarios'])).exitCode,
    ).toBe(0);
  });

  test('--dry-run shows the plan and leaves nothing behind', async () => {
    const fresh = await createProject({
      ...EMPTY_FIXTURE,
      'fixtures/dry.yaml': scenario('dry', { steps: ['say: x'] }),
    });
    const { exitCode, stdout } = await fresh.cli(['run', 'dry', '--dry-run']);
    expect(exitCode).toBe(0);
    expect(stdout).toContain('dry/mock/default/default/1');
    expect(await readdir(fresh.folder)).toEqual(['fixtures']);
    expect(await readdir(fresh.state)).toEqual([]);
    await fresh.remove();
  });
});

describe('what a run may see and change', () => {
  test('editing the fixture and the scenario while a sweep runs changes nothing', async () => {
    const gates = ['{type: file_contains, path: data.txt, substring: before}'];
    await project.write('fixtures/edited/data.txt', 'before\n');
    const text = scenario('edited', {
      gates,
      steps: [`run: 'until [ -e ${project.folder}/go ]; do sleep 0.05; done; cat data.txt'`],
    });
    await project.write(
      'fixtures/edited.yaml',
      text.replace('template_folder: empty', 'template_folder: edited'),
    );
    const running = project.start(['run', 'edited', '--repeat', '2', '--concurrency', '1', '--json']);
    await until('the first agent runs', async () =>
      (await readdir(join(project.state)).catch(() => [])).length > 0 ? true : null,
    );
    await until('a workspace is there', async () =>
      (await workspaces(project, 'edited')).length > 0 ? true : null,
    );
    await project.write('fixtures/edited/data.txt', 'after\n');
    await project.write('fixtures/edited.yaml', 'broken: [');
    await project.write('go', '');
    expect((await running).exitCode).toBe(0);
    await project.write('fixtures/edited.yaml', text);
  });

  test('the agent finds a private HOME, no trace of results and gates, and the target by its name', async () => {
    await project.write('fixtures/tooled/bin/mytool', '#!/bin/sh\necho "mytool says $1"\n', 0o755);
    const steps = [`run: 'mytool hello > said.txt; env > env.txt; pwd > pwd.txt'`];
    const gates = ['{type: file_contains, path: said.txt, substring: mytool says hello}'];
    const text = scenario('tooled', {
      target: '{binary: ./bin/mytool, env: {MYTOOL_MODE: fast}}',
      gates,
      steps,
    });
    await project.write(
      'fixtures/tooled.yaml',
      text.replace('template_folder: empty', 'template_folder: tooled'),
    );
    const { exitCode, document } = await project.run(['tooled']);
    expect(exitCode).toBe(0);
    const { text: read, metrics } = await openRun(document);
    const env = await read('fixture/env.txt');
    expect(env).toContain('MYTOOL_MODE=fast');
    expect(env).toMatch(/^HOME=.*work.*home$/m);
    expect(env).not.toMatch(/LLM_TOOL_TEST_(RESULTS|EVENTS|TRANSCRIPT|FIXTURE)/);
    expect(env).not.toContain(project.results);
    expect(await read('fixture/pwd.txt')).not.toContain(project.folder);
    expect(metrics.efficiency).toMatchObject({ total_commands: 1, error_count: 0 });
  });

  test('scripts and gates find the transcript, the events and the folders by absolute paths', async () => {
    const check =
      'for p in "$LLM_TOOL_TEST_FIXTURE_DIR" "$LLM_TOOL_TEST_RESULTS_DIR" "$LLM_TOOL_TEST_TRANSCRIPT" "$LLM_TOOL_TEST_EVENTS"; do case $p in /*) test -e "$p" || exit 1;; *) exit 2;; esac; done; test "$LLM_TOOL_TEST_AGENT/$LLM_TOOL_TEST_MODEL/$LLM_TOOL_TEST_SCENARIO" = mock/default/scripted';
    const more = `scripts: {post: [{command: '${check}'}], evaluators: [{name: e, command: '${check} && echo "{\\"score\\": 0.5, \\"metrics\\": {\\"n\\": 3}}"'}]}`;
    await project.write(
      'fixtures/scripted.yaml',
      scenario('scripted', {
        gates: [`{type: script, description: d, command: '${check}'}`],
        steps: ['say: x'],
        more,
      }),
    );
    const { exitCode, document } = await project.run(['scripted']);
    const { run, metrics } = await openRun(document);
    expect(run.post_scripts[0]).toMatchObject({ exit_code: 0 });
    expect(metrics.evaluator_results).toEqual([
      { name: 'e', metrics: { n: 3 }, score: 0.5, summary: null, error: null },
    ]);
    expect(exitCode).toBe(0);
  });

  test('setup files and initial-state are in the workspace, and a setup command that fails is only warned of', async () => {
    await project.write('fixtures/staged/initial-state/data/a.txt', 'from initial state\n');
    const gates = [
      '{type: file_contains, path: data/a.txt, substring: from initial state}',
      '{type: file_contains, path: conf/b.txt, substring: from setup}',
      '{type: file_contains, path: c.txt, substring: ran}',
    ];
    const more = 'setup: {files: {conf/b.txt: "from setup"}, commands: ["exit 7", "echo ran > c.txt"]}';
    const text = scenario('staged', { gates, steps: ['say: x'], more });
    await project.write(
      'fixtures/staged.yaml',
      text.replace('template_folder: empty', 'template_folder: staged'),
    );
    const { exitCode, document } = await project.run(['staged']);
    expect(exitCode).toBe(0);
    const { run } = await openRun(document);
    expect(run.warnings.join()).toMatch(/setup command failed \(exit 7\)/);
    expect(existsSync(join(document.cells[0]?.results_dir ?? '', 'fixture', 'initial-state'))).toBe(false);
  });

  test('a key that is set only in the shell of the second run reaches its agent, and is seen nowhere', async () => {
    await project.write(
      'llm-tool-test-config.toml',
      '[agents.keyed]\ncommand = "sh"\nargs = ["-c", "echo my key is $SECRET_KEY; echo $SECRET_KEY > key.txt; test -n \\"$SECRET_KEY\\""]\nfree = true\nenv = { SECRET_KEY = "${ONLY_IN_SHELL}" }\n',
    );
    await project.write(
      'fixtures/keyed.yaml',
      scenario('keyed', {
        gates: ['{type: command_succeeds, command: "test -s key.txt"}'],
        more: 'tool_matrix: [{tool: keyed}]',
      }),
    );
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
    // What was handed over is gone with the sweep.
    expect(await filesBelow(project.state)).not.toContainEqual(expect.stringMatching(/\/env\/.*json$/));
  });

  test('a value under a telling name is masked in events and reports, whoever said it', async () => {
    const steps = [
      `tool_call: {name: login, input: {password: hunter2x}}`,
      `run: 'echo token=abcdefgh12345678'`,
    ];
    const more = `scripts: {evaluators: [{name: e, command: 'echo "{\\"metrics\\": {\\"password\\": \\"hunter2x\\"}}"'}]}`;
    await project.write('fixtures/telling.yaml', scenario('telling', { steps, more }));
    const { document } = await project.run(['telling']);
    const { path, metrics } = await openRun(document);
    expect(JSON.stringify(metrics.evaluator_results)).toContain('password');
    for (const file of await filesBelow(path('.'))) {
      expect(await readFile(file, 'utf8'), file).not.toMatch(/hunter2x|abcdefgh12345678/);
    }
  });

  test('--env-file gives values too', async () => {
    await project.write('my.env', 'ONLY_IN_SHELL=from-the-file\n');
    expect((await project.run(['keyed', '--env-file', 'my.env'])).exitCode).toBe(0);
  });

  test('an agent that may spend money needs leave', async () => {
    await project.write('llm-tool-test-config.toml', '[agents.paid]\ncommand = "true"\n');
    await project.write('fixtures/paid.yaml', scenario('paid', { more: 'tool_matrix: [{tool: paid}]' }));
    const refused = await project.cli(['run', 'paid']);
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toContain('LLM_TOOL_TEST_ENABLED=1');
    expect((await project.cli(['run', 'paid'], { LLM_TOOL_TEST_ENABLED: 'true' })).exitCode).toBe(2);
    expect((await project.run(['paid'], { LLM_TOOL_TEST_ENABLED: '1' })).exitCode).toBe(0);
  });

  test('a known agent that is not installed is an error of its cells', async () => {
    await project.write(
      'llm-tool-test-config.toml',
      '[agents.absent]\ncommand = "no-such-agent"\nfree = true\n',
    );
    await project.write(
      'fixtures/absent.yaml',
      scenario('absent', { more: 'tool_matrix: [{tool: absent}]' }),
    );
    const { exitCode, document } = await project.run(['absent']);
    expect(exitCode).toBe(3);
    expect(document.cells[0]?.message).toMatch(/no-such-agent.*was not found/);
  });

  test('a composite score is computed only where it is configured', async () => {
    await project.write(
      'fixtures/scored.yaml',
      scenario('scored', {
        gates: ['{type: file_exists, path: README.md}'],
        steps: ['run: cat README.md'],
      }).replace(
        'evaluation:',
        'evaluation:\n  composite: {judge_weight: 0, gate_weight: 0.5, interaction_weight: 0.5}',
      ),
    );
    const { document } = await project.run(['scored']);
    expect(document.cells[0]?.composite_score).toBe(1);
    expect((await openRun((await project.run(['failing'])).document)).metrics).not.toHaveProperty(
      'composite_score',
    );
  });
});

test('nothing of a finished run is left: no process, workspace, temporary file or handed-over value', async () => {
  const names = (await filesBelow(project.state)).map((file) => file.slice(project.state.length));
  expect(names.filter((name) => /\/(fixture|home|config|tmp|bin)\/|\.tmp$|\/env\//.test(name))).toEqual([]);
  expect((await filesBelow(project.results)).filter((file) => file.endsWith('.tmp'))).toEqual([]);
});

async function workspaces({ state }: TestProject, name: string): Promise<string[]> {
  const files = await filesBelow(state);
  return files.filter((file) => file.includes(`-${name}-`) && dirname(file).endsWith('/fixture'));
}

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

test('without a PID namespace the report says so, and what setup put into the background lives until the run ends', async () => {
  const gates = ['{type: command_succeeds, command: "kill -0 $(cat server.pid)"}'];
  const more = 'setup: {commands: ["sleep 298 & echo $! > server.pid"]}';
  const own = await createProject({
    ...EMPTY_FIXTURE,
    'fixtures/served.yaml': scenario('served', { gates, steps: ['run: setsid sleep 297 &'], more }),
  });
  const { exitCode, document } = await own.run(['served'], { LLM_TOOL_TEST_CONTAINMENT: 'group' });
  const { run } = await openRun(document);
  expect(exitCode).toBe(0);
  expect(run.agent?.containment).toBe('group');
  expect(run.warnings.join()).toMatch(/no PID namespace/);
  expect(markedProcesses(run.run_id)).toEqual([]);
  await own.remove();
});
