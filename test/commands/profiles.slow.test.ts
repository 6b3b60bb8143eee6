import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Cell } from '../../src/model/records/cell.js';
import { createProject, EMPTY_FIXTURE, openRun, scenario, type TestProject } from './project.js';

const CONFIG = `
fixtures_path = "scenarios"

[target]
binary = "./bin/tool"
[target.env]
WHO = "\${WHO}"
KEPT = "$\${WHO}"

[agents.house]
command = "cat"
free = true
models = ["config-model"]

[tools.seed]
name = "seed"
command = "cat"
free = true

[profiles.full]
agents = ["house", "mock"]
models = ["profile-model"]

[profiles.agents-only]
tools = ["seed", "house"]

[profiles.models-only]
models = ["profile-model"]

[profiles.broken]
agents = ["huose"]

[limits]
concurrency = 3
`;

/** Prints which build it is, and the variables it was given. */
const tool = (build: string): string => `#!/bin/sh\necho "${build} $WHO $KEPT"\n`;

const steps = ['run: tool say'];
let project: TestProject;

beforeAll(async () => {
  project = await createProject({
    'llm-tool-test-config.toml': CONFIG,
    'scenarios/empty/README.md': EMPTY_FIXTURE['fixtures/empty/README.md'],
    'scenarios/plain.yaml': scenario('plain'),
    'scenarios/matrix.yaml': scenario('matrix', {
      more: 'tool_matrix: [{ agent: house, models: [matrix-model] }, { tool: seed }]\nmatrix: { repeat: 2 }\nrun: { timeout_secs: 77 }',
    }),
    'scenarios/acted.yaml': scenario('acted', { steps: ['say: x'] }),
    'scenarios/configured.yaml': scenario('configured', {
      target: 'from_config',
      gates: ['{type: command_succeeds, command: "test -n \\"$WHO\\""}'],
      steps,
    }),
    'scenarios/near.yaml': scenario('near', { target: '{binary: ./near/tool}', steps }),
    'scenarios/own.yaml': scenario('own', { target: '{binary: ./bin/tool}', steps }).replace(
      'template_folder: empty',
      'template_folder: with-tool',
    ),
    'scenarios/with-tool/README.md': '',
  });
  await project.write('bin/tool', tool('config build'), 0o755);
  await project.write('scenarios/near/tool', tool('build beside the scenario'), 0o755);
  await project.write('scenarios/with-tool/bin/tool', tool('fixture build'), 0o755);
  await project.write('elsewhere/other-tool', tool('other build'), 0o755);
});
afterAll(() => project.remove());

interface DryRun {
  results_path: string;
  concurrency: number;
  scenarios: { name: string; target: string; target_path: string | null; timeout_secs: number }[];
  cells: Cell[];
}

const draft = async (args: string[], env: Record<string, string> = {}): Promise<DryRun> => {
  const { exitCode, stdout, stderr } = await project.cli(['run', ...args, '--dry-run', '--json'], env);
  expect(exitCode, stderr).toBe(0);
  return JSON.parse(stdout) as DryRun;
};

/** `agent/model` of the cells of each scenario. */
const whoRuns = async (args: string[], env: Record<string, string> = {}): Promise<Record<string, string>> => {
  const { cells } = await draft(args, env);
  const first = cells.filter(({ repetition }) => repetition === 1);
  const names = [...new Set(first.map(({ scenario: name }) => name))];
  const ofOne = (name: string): string =>
    first
      .filter(({ scenario: of }) => of === name)
      .map(({ agent, model }) => `${agent}/${model}`)
      .join(' ');
  return Object.fromEntries(names.map((name) => [name, ofOne(name)]));
};

describe('the agents of a scenario', () => {
  const matrix = 'house/matrix-model seed/default';

  test.each<[string, string[], Record<string, string>]>([
    [
      '--agents before tool matrix and mock steps, with the models of the config',
      ['plain', 'matrix', 'acted', '--agents', 'mock,house'],
      {
        plain: 'mock/default house/config-model',
        matrix: 'mock/default house/config-model',
        acted: 'mock/default house/config-model',
      },
    ],
    [
      'a profile after the tool matrix and before mock steps',
      ['plain', 'matrix', 'acted', '--profile', 'full'],
      {
        plain: 'house/profile-model mock/profile-model',
        matrix,
        acted: 'house/profile-model mock/profile-model',
      },
    ],
    [
      'a profile without models, with the models of the config',
      ['plain', '--profile', 'agents-only'],
      { plain: 'seed/default house/config-model' },
    ],
    [
      'the mock if it has steps, with the models of a profile',
      ['matrix', 'acted', '--profile', 'models-only'],
      { matrix, acted: 'mock/profile-model' },
    ],
    [
      'any, with --models before tool matrix, profile and config',
      ['plain', 'matrix', '--profile', 'full', '--models', 'm1,m2'],
      { plain: 'house/m1 house/m2 mock/m1 mock/m2', matrix: 'house/m1 house/m2 seed/m1 seed/m2' },
    ],
    [
      '--agents, with the models of a profile',
      ['plain', '--agents', 'house', '--profile', 'models-only'],
      { plain: 'house/profile-model' },
    ],
    [
      '--tool with --model for each --scenario (the older names of the options)',
      ['-s', 'plain', '--scenario', 'acted', '--tool', 'house', '--model', 'm1'],
      { plain: 'house/m1', acted: 'house/m1' },
    ],
  ])('are taken from: %s', async (_name, args, expected) => {
    expect(await whoRuns(args)).toEqual(expected);
  });

  test('are taken from LLM_TOOL_TEST_TOOL if flags, tool matrix and profile name none', async () => {
    const env = { LLM_TOOL_TEST_TOOL: 'house' };
    expect(await whoRuns(['plain', 'matrix', 'acted'], env)).toEqual({
      plain: 'house/config-model',
      matrix,
      acted: 'house/config-model',
    });
    expect(await whoRuns(['plain', '--profile', 'full'], env)).toEqual({
      plain: 'house/profile-model mock/profile-model',
    });
    expect(await whoRuns(['acted', '--tool', 'seed'], env)).toEqual({ acted: 'seed/default' });
  });

  test.each([
    ['the profile has only models', 'models-only', /no agent is set for plain/],
    ["the profile's agent is unknown", 'broken', /unknown agent 'huose'; did you mean 'house'\?/],
    ['the profile is unknown', 'agents-onyl', /did you mean 'agents-only'\? Known: full, agents-only/],
  ])('cannot be determined if %s: exit 2', async (_name, profile, says) => {
    const { exitCode, stderr } = await project.cli(['run', 'plain', '--profile', profile, '--dry-run'], {
      LLM_TOOL_TEST_TOOL: '',
    });
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(says);
  });
});

describe('numbers and folders', () => {
  test('flags win over the scenario, the scenario over the config, the config over the defaults', async () => {
    const plain = await draft(['plain', 'matrix', '--profile', 'full']);
    expect(plain.concurrency).toBe(3);
    expect(plain.scenarios.map(({ timeout_secs }) => timeout_secs)).toEqual([300, 77]);
    expect(plain.cells.map(({ repetition }) => repetition)).toEqual([1, 1, 1, 2, 1, 2]);
    const flags = ['--repeat', '1', '--timeout-secs', '5', '--concurrency', '9', '--results', 'other'];
    const plan = await draft(['matrix', ...flags]);
    expect(plan).toMatchObject({ concurrency: 9, scenarios: [{ timeout_secs: 5 }] });
    expect(plan.cells).toHaveLength(2);
    expect(plan.results_path).toBe(join(await realpath(project.folder), 'other'));
  });

  test('the config of the nearest parent folder counts, and its paths are relative to it', async () => {
    await project.write('inner/a/b/note.txt', '');
    await project.write(
      'inner/llm-tool-test-config.toml',
      'results_path = "out"\nfixtures_path = "../scenarios"\n[target]\nbinary = "../bin/tool"\n',
    );
    const args = ['run', 'configured', '--dry-run', '--json'];
    const { stdout, exitCode } = await project.start(args, {}, 'inner/a/b');
    expect(exitCode).toBe(0);
    const root = await realpath(project.folder);
    expect(JSON.parse(stdout)).toMatchObject({
      results_path: join(root, 'inner/out'),
      scenarios: [{ fixture: join(root, 'scenarios/empty'), target_path: join(root, 'bin/tool') }],
    });
  });

  test('LLM_TOOL_TEST_BUDGET_USD is refused if it is not a number, unless --max-usd replaces it', async () => {
    const args = ['run', 'acted', '--dry-run'];
    const { exitCode, stderr } = await project.cli(args, { LLM_TOOL_TEST_BUDGET_USD: 'much' });
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/LLM_TOOL_TEST_BUDGET_USD.*number above 0/);
    expect((await project.cli([...args, '--max-usd', '1'], { LLM_TOOL_TEST_BUDGET_USD: 'much' })).exitCode).toBe(0);
    expect((await project.cli(args, { LLM_TOOL_TEST_BUDGET_USD: '' })).exitCode).toBe(0);
  });
});

describe('the target', () => {
  test('is found in the fixture, otherwise next to the scenario, or for from_config next to the config', async () => {
    const root = await realpath(project.folder);
    const { scenarios } = await draft(['own', 'near', 'configured'], { WHO: 'me' });
    expect(scenarios.map(({ name, target, target_path }) => ({ name, target, target_path }))).toEqual([
      { name: 'own', target: './bin/tool', target_path: null },
      { name: 'near', target: './near/tool', target_path: join(root, 'scenarios/near/tool') },
      { name: 'configured', target: './bin/tool', target_path: join(root, 'bin/tool') },
    ]);
  });

  test('is replaced by --target-binary: a path relative to the working folder, or a name on PATH', async () => {
    const root = await realpath(project.folder);
    const paths = async (binary: string, env = {}): Promise<unknown[]> =>
      (await draft(['own', 'near', 'configured', '--target-binary', binary], { WHO: 'me', ...env })).scenarios.map(
        ({ target_path }) => target_path,
      );
    const other = join(root, 'elsewhere/other-tool');
    expect(await paths('./elsewhere/other-tool')).toEqual([other, other, other]);
    const PATH = `${join(root, 'elsewhere')}:${process.env['PATH'] ?? ''}`;
    expect(await paths('other-tool', { PATH })).toEqual([other, other, other]);
    const nowhere = await project.cli(['run', 'own', '--target-binary', 'other-tool', '--dry-run']);
    expect(nowhere.exitCode).toBe(2);
    expect(nowhere.stderr).toMatch(/--target-binary other-tool was not found on PATH/);
  });

  test('gets ${NAME} from --env-file or else from the shell; $${NAME} stays literal text', async () => {
    await project.write('my.env', 'WHO=file\n');
    const stderrOf = async (args: string[], env: Record<string, string>): Promise<string> => {
      const { document } = await project.run(args, env);
      expect(document.cells[0]?.outcome).toBe('pass'); // the gate has the variable too
      const run = await openRun(document);
      return run.text('artifacts/transcript.raw.txt');
    };
    const [shell, file, build] = await Promise.all([
      stderrOf(['configured'], { WHO: 'shell' }),
      stderrOf(['configured', '--env-file', 'my.env'], { WHO: 'shell' }),
      stderrOf(['configured', '--target-binary', './elsewhere/other-tool'], { WHO: 'x' }),
    ]);
    expect(shell).toContain('config build shell ${WHO}');
    expect(file).toContain('config build file ${WHO}');
    // The other build is called by the target's name: the steps call `tool`.
    expect(build).toContain('other build x ${WHO}');
  });

  test('is refused before anything starts if a variable has no value', async () => {
    const { exitCode, stderr } = await project.cli(['run', 'configured']);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('not set: WHO') as string]);
  });
});
