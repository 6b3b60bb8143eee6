import { expect, it } from 'vitest';
import { formatProblem } from '../../../src/lib/errors/problem.js';
import { loadScenario } from '../../../src/scenario/load-scenario.js';
import type { LookBeside } from '../../../src/scenario/reader.js';
import { Scenario } from '../../../src/scenario/scenario.js';
import { instructionOf } from '../../../src/scenario/task/refusals.js';

const FILES: Record<string, string> = {
  'instruction.md': 'Write 42.\n',
  'environment/Dockerfile': 'FROM scratch\n',
  'tests/test.sh': 'true\n',
};

const lookIn =
  (files: Record<string, string>): LookBeside =>
  (path) => {
    const text = files[path];
    if (text !== undefined) return { kind: 'file', text };
    const names = Object.keys(files).flatMap((one) =>
      one.startsWith(`${path}/`) ? [one.slice(path.length + 1).split('/')[0] ?? ''] : [],
    );
    return names.length === 0 ? null : { kind: 'folder', names };
  };

const load = (toml: string, files = FILES) => loadScenario('tasks/answer/task.toml', toml, lookIn(files));

function problemsOf(toml: string, files = FILES): string[] {
  const loaded = load(toml, files);
  return loaded.ok ? [] : loaded.problems.map(formatProblem);
}

function taskOf(toml: string, files = FILES) {
  const loaded = load(toml, files);
  if (!loaded.ok) throw new Error(loaded.problems.map(formatProblem).join('\n'));
  return loaded.value;
}

it('reads a task folder as a scenario named after it, which can be stored', () => {
  const { scenario, warnings } = taskOf('');
  expect(Scenario.parse(JSON.parse(JSON.stringify(scenario)))).toEqual(scenario);
  expect(scenario).toMatchObject({
    name: 'answer',
    environment: { type: 'docker', build: 'environment' },
    steps: [{ kind: 'agent', prompt: 'Write 42.\n' }],
    checks: { folder: '.', gates: [{ type: 'verifier', timeout_secs: 600, pass_reward: 1 }] },
  });
  expect(warnings).toEqual([]);
});

it('honours limits, users, variables, WORKDIR, network and health check', () => {
  const { scenario } = taskOf(`
[task]
name = "org/answer"
description = "About it"
keywords = ["a"]
[agent]
timeout_sec = 5
user = 1000
[verifier]
timeout_sec = 7
user = "root"
env = { A = "\${B:-c}" }
[solution.env]
S = "x"
[environment]
cpus = 2.0
memory = "2G"
build_timeout_sec = 60
network_mode = "no-network"
workdir = "/srv"
env = { X = "y" }
[environment.healthcheck]
command = "true"
`);
  expect(scenario).toMatchObject({
    name: 'org/answer',
    description: 'About it',
    tags: ['a'],
    environment: { cpus: 2, memory_mb: 2048, build_timeout_secs: 60, network: 'none' },
    task: {
      env: { X: 'y' },
      solution_env: { S: 'x' },
      workdir: '/srv',
      user: '1000',
      healthcheck: { command: 'true', interval_sec: 5, timeout_sec: 30, retries: 3 },
    },
    steps: [{ timeout_secs: 5 }],
    checks: { gates: [{ timeout_secs: 7, user: 'root', env: { A: '${B:-c}' } }] },
  });
});

it('takes an image that is not built, and the old words for the network', () => {
  const { scenario } = taskOf('[environment]\ndocker_image = "debian:12"\nallow_internet = false\n', {
    'instruction.md': 'x',
    'tests/test.sh': '',
  });
  expect(scenario.environment).toEqual({ type: 'docker', command: 'docker', image: 'debian:12', network: 'none' });
});

it('warns of unknown keys, and of keys without effect, with their lines', () => {
  const { warnings = [] } = taskOf(
    'version = "1.0"\nfoo = 1\n[metadata]\nany = 1\n[environment]\nstorage = "1G"\nunknown_key = 3\n[environment.healthcheck]\ncommand = "true"\nretry = 1\n',
  );
  expect(warnings.map(formatProblem)).toEqual([
    "tasks/answer/task.toml:2:1 foo: unknown key 'foo', which is ignored",
    "tasks/answer/task.toml:7:1 environment.unknown_key: unknown key 'unknown_key', which is ignored",
    "tasks/answer/task.toml:10:1 environment.healthcheck.retry: unknown key 'retry', which is ignored",
    'tasks/answer/task.toml:6:1 environment.storage: the disk of containers is not limited',
  ]);
});

it.each([
  ['[environment]\nos = "Windows"', '2:1 environment.os: containers of Windows'],
  ['[environment]\ngpus = 1', '2:1 environment.gpus: containers have no GPUs'],
  ['[environment.tpu]\ntype = "v4"', '1:14 environment.tpu: containers have no TPUs'],
  ['[environment]\nnetwork_mode = "allowlist"', '2:1 environment.network_mode: allowlist is not supported'],
  ['[agent]\nnetwork_mode = "no-network"', '2:1 agent.network_mode: another network'],
  ['[verifier]\nnetwork_mode = "no-network"', '2:1 verifier.network_mode: another network'],
  ['[environment]\nworkdir = "srv"', '2:1 environment.workdir: expected an absolute path'],
  ['[environment]\nmemory = "2G"\nmemory_mb = 5', '2:1 environment.memory: another size than memory_mb'],
  ['[environment]\nmemory = "much"', '2:10 environment.memory: expected a size like'],
  ['[environment]\ncpus = nan', '2:8 environment.cpus: '],
  ['[verifier.environment]\ncpus = 1', '2:1 verifier.environment.cpus: only the network'],
  ['[verifier.environment]\nnetwork_mode = "allowlist"', '2:1 verifier.environment.network_mode: allowlist'],
  ['[verifier]\nenvironment_mode = "shared"\nenvironment = {}', '3:1 verifier.environment: a shared verifier'],
  ['[[verifier.collect]]\ncommand = "x"', '1:12 verifier.collect: commands before the verifier'],
  ['artifacts = [{source = "/a", service = "db"}]', '1:30 artifacts[0].service: services besides main'],
  ['[agent]\ntimeout_sec = "soon"', '2:15 agent.timeout_sec: '],
])('refuses %j with its line', (toml, message) => {
  expect(problemsOf(toml)).toEqual([expect.stringContaining(`tasks/answer/task.toml:${message}`)]);
});

it.each([
  ['instruction.md', { ...FILES, 'instruction.md': '# canary x\n\n' }, 'missing or empty'],
  ['environment/docker-compose.yaml', { ...FILES, 'environment/docker-compose.yaml': '' }, 'several services'],
  ['trajectory.json', { ...FILES, 'trajectory.json': '{}' }, 'an earlier trajectory'],
  ['tests/test.sh', { 'instruction.md': 'x', 'environment/Dockerfile': '' }, 'missing'],
  ['environment/Dockerfile', { 'instruction.md': 'x', 'tests/test.sh': '' }, 'missing'],
])('refuses a folder for its %s', (file, files, message) => {
  const problems = problemsOf('', files);
  expect(problems).toEqual([expect.stringMatching(new RegExp(`^tasks/answer/${file}:1:1 .*${message}`))]);
});

it('takes lines with a canary from the beginning of an instruction only', () => {
  expect(instructionOf('<!-- Canary GUID 1 -->\n# canary 2\n\n\nDo it.\n# canary 3\n')).toBe('Do it.\n# canary 3\n');
  expect(instructionOf('\n# canary 1\nDo it.')).toBe('\n# canary 1\nDo it.');
});

it('reads steps, each with a new session, its own limits, and a verifier that can end them', () => {
  const files = {
    'environment/Dockerfile': '',
    'tests/test.sh': '',
    'steps/a/instruction.md': 'Do a.',
    'steps/b/instruction.md': 'Do b.',
    'steps/b/tests/x': '',
  };
  const { scenario, variants } = taskOf(
    'multi_step_reward_strategy = "final"\n[agent]\ntimeout_sec = 5\n[verifier]\nuser = "root"\nenv = {A = "1", B = "1"}\n[[steps]]\nname = "a"\nmin_reward = 0.5\n[[steps]]\nname = "b"\n[steps.agent]\ntimeout_sec = 6\n[steps.verifier]\ntimeout_sec = 7\nenv = {B = "2"}\n',
    files,
  );
  const gate = { type: 'verifier', script: 'test.sh', user: 'root', stops: true };
  expect(scenario.steps).toEqual([
    {
      ...{ kind: 'agent', name: 'a', prompt: 'Do a.', timeout_secs: 5, anew: { folder: 'steps/a' } },
      gates: [{ ...gate, timeout_secs: 600, tests: ['tests'], env: { A: '1', B: '1' }, pass_reward: 0.5 }],
    },
    {
      ...{ kind: 'agent', name: 'b', prompt: 'Do b.', timeout_secs: 6, anew: { folder: 'steps/b' } },
      gates: [
        { ...gate, timeout_secs: 7, tests: ['tests', 'steps/b/tests'], env: { A: '1', B: '2' }, pass_reward: null },
      ],
    },
  ]);
  expect(scenario.checks.gates).toEqual([{ type: 'step_rewards', timeout_secs: 30, of: 'last', pass_reward: 1 }]);
  expect(variants[0]?.problemAt(['steps', 1, 'gates', 0, 'env', 'B'], 'x')).toMatchObject({ line: 16, column: 12 });
});

it.each([
  ['[[steps]]\nname = "a"\n[[steps]]\nname = "A"', '4:1 steps[1].name: the name of step 1'],
  ['[[steps]]\nname = "a/b"', '2:8 steps[0].name: expected the name of a folder'],
  ['[[steps]]\nname = "a"\n[steps.agent]\nuser = "x"', '4:1 steps[0].agent.user: another user'],
  ['[[steps]]\nname = "a"\n[steps.healthcheck]\nretries = 1', '3:8 steps[0].healthcheck.command: '],
  [
    '[[steps]]\nname = "a"\n[steps.verifier]\nenvironment_mode = "separate"',
    '4:1 steps[0].verifier.environment_mode: ',
  ],
  ['[[steps]]\nname = "a"\n[steps.verifier]\nenvironment = {}', '4:1 steps[0].verifier.environment: '],
  ['multi_step_reward_strategy = "mean"', '1:1 multi_step_reward_strategy: only for tasks with [[steps]]'],
])('refuses %j with its line', (toml, message) => {
  const files = { ...FILES, 'steps/a/instruction.md': 'x', 'steps/A/instruction.md': 'x' };
  expect(problemsOf(toml, files)).toEqual([expect.stringContaining(`tasks/answer/task.toml:${message}`)]);
});

it('reads programs that are MCP servers, skills, and health checks of steps', () => {
  const server = '[[environment.mcp_servers]]\nname = "own"\ntransport = "stdio"\ncommand = "serve"\nargs = ["x"]\n';
  const step = '[[steps]]\nname = "a"\n[steps.healthcheck]\ncommand = "true"\nretries = 7\n';
  const files = { ...FILES, 'steps/a/instruction.md': 'x' };
  const { scenario, variants } = taskOf(`[environment]\nskills_dir = "/skills"\n${server}${step}`, files);
  expect(scenario.task).toMatchObject({
    skills_dir: '/skills',
    mcp_servers: [{ name: 'own', command: 'serve', args: ['x'] }],
  });
  expect(scenario.steps[0]).toMatchObject({
    anew: { folder: 'steps/a', healthcheck: { command: 'true', retries: 7 } },
  });
  expect(variants[0]?.problemAt(['task', 'mcp_servers'], 'x')).toMatchObject({ line: 3 });
});

it.each([
  ['name = "a"\nurl = "http://x"', '1:15 environment.mcp_servers[0].transport: only MCP servers that are programs'],
  ['name = "a"\ntransport = "stdio"', '2:1 environment.mcp_servers[0].name: missing: command'],
  ['name = "a"\ntransport = "stdio"\ncommand = "x"\nurl = "y"', '5:1 environment.mcp_servers[0].url: a server that is'],
])('refuses the MCP server %j with its line', (server, message) => {
  expect(problemsOf(`[[environment.mcp_servers]]\n${server}\n`)).toEqual([
    expect.stringContaining(`tasks/answer/task.toml:${message}`),
  ]);
});

it('reads a verifier with a container of its own, like that of the agent or of the folder of its tests', () => {
  const toml = 'artifacts = ["/a", { source = "/b", destination = "c" }]\n[verifier]\nenvironment_mode = "separate"\n';
  expect(taskOf(toml).scenario.task?.verifier_apart).toEqual({ artifacts: ['/a', '/b'] });
  const files = { 'instruction.md': 'x', 'environment/Dockerfile': '', 'tests/Dockerfile': '' };
  expect(taskOf(toml, files).scenario.task?.verifier_apart).toEqual({ artifacts: ['/a', '/b'], builds: true });
  const alone = '[verifier.environment]\nallow_internet = false\nstorage_mb = 1\n';
  expect(taskOf(alone, files).scenario.task?.verifier_apart).toEqual({ artifacts: [], builds: true, network: 'none' });
  expect(taskOf(`[environment]\nallow_internet = false\n${alone}`).scenario.task?.verifier_apart).toEqual({
    artifacts: [],
  });
  const connected = '[environment]\nallow_internet = false\n[verifier.environment]\n';
  expect(taskOf(connected).scenario.task?.verifier_apart).toEqual({ artifacts: [], network: 'public' });
  expect(problemsOf('artifacts = ["a"]\n[verifier]\nenvironment_mode = "separate"\n')).toEqual([
    expect.stringContaining('task.toml:1:14 artifacts[0]: expected an absolute path'),
  ]);
});
