import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findFiles } from '../../src/planning/find-scenario-files.js';
import type { Project } from '../../src/planning/project.js';
import { leftOutOf, loadScenarios } from '../../src/planning/select-scenarios.js';
import { defaultConfig } from '../../src/scenario/config.js';
import { scenario } from '../commands/project.js';
import { newFolder } from '../host/temporary.js';

async function write(root: string, files: Record<string, string>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), content);
  }
}

/** Loads the scenario `a` of a project with these files in its fixture. */
async function loaded(fixture: Record<string, string>, more = '', prepare?: (folder: string) => unknown) {
  const root = await newFolder();
  const folder = join(root, 'fixtures/empty');
  await write(folder, { 'README.md': 'x', ...fixture });
  await write(root, { 'fixtures/a.yaml': scenario('a', { more }) });
  await prepare?.(folder);
  const places = { resultsPath: join(root, 'results'), fixturesPath: join(root, 'fixtures') };
  const project: Project = { root, config: defaultConfig, configFile: null, configSource: null, ...places };
  const { scenarios, problems } = await loadScenarios(project, findFiles(project, { files: ['a'] }));
  const [variant] = scenarios[0]?.variants ?? [];
  return {
    leftOut: variant === undefined ? null : leftOutOf(variant),
    problems: problems.map(({ path, message }) => `${path}: ${message}`),
  };
}

const SUITE = '{"evals": [{"prompt": "a", "expected_output": "SECRET-4711"}]}';
const SUITES: Record<string, string> = {
  'evals/evals.json': SUITE,
  'eval/deep/trigger.csv': 'prompt,should_trigger\na,true\n',
  'evals.json': SUITE,
  'tool.eval.ts': 'SECRET-4711',
  'promptfooconfig.yaml': 'prompts: [a]\n',
  'promptfoo.dev.yaml': 'prompts: [a]\n',
  'tests/suite.yaml': 'prompts: [a]\ntests: [{assert: [{type: equals, value: SECRET-4711}]}]\n',
  'tests/b.yaml': scenario('b'),
  'tests/c.scenario.yaml': 'run: [',
  'tests/cases.jsonl': '{"query": "a", "expected_output": "SECRET-4711"}\n',
  'plugins/x/cases.json': '[{"prompt": "a", "should_trigger": true}]',
  'old/.store/x/scenario.json': '{}',
  'llm-tool-test-config.toml': '',
  'initial-state/evals/evals.json': SUITE,
};
/** The files that are left out of a fixture with one of these files. */
const out = (path: string): string => /^(initial-state\/)?evals?\/|^old\//.exec(path)?.[0] ?? path;

const KEPT: Record<string, string> = {
  'evals/run.py': 'print(1)\n',
  'evals/data.json': '[{"input": "1 + 1", "expected_output": "2"}]',
  'src/eval/index.ts': 'export const run = 1;\n',
  'tests/cases.json': '[{"input": 1, "expected_output": 2}, {"task": "a", "assertions": []}]',
  'tests/queries.json': '[{"query": "SELECT 1", "rows": [1]}]',
  'package.json': '{"name": "x", "version": "1.0.0", "scripts": {"eval": "x"}}',
  'compose.yaml': 'services: {}\n',
  '.github/workflows/ci.yaml': 'name: CI\non: push\njobs: {}\n',
  'rubric.yaml': 'criteria: []\noutput: {}\n',
  'broken.yaml': '{% x %}: [',
  'evaluate.py': 'x',
  'prompts.json': '[{"prompt": "Be brief."}]',
};

test('a fixture is copied without suites, scenarios and results, and with everything that only resembles them', async () => {
  await fc.assert(
    fc.asyncProperty(fc.subarray(Object.keys(SUITES)), fc.subarray(Object.keys(KEPT)), async (suites, kept) => {
      const all = { ...SUITES, ...KEPT };
      const files = Object.fromEntries([...suites, ...kept].map((path) => [path, all[path] ?? '']));
      if (suites.includes('old/.store/x/scenario.json')) files['old/sweeps/x.json'] = '{}';
      const { leftOut, problems } = await loaded(files);
      expect(problems).toEqual([]);
      expect(leftOut?.sort()).toEqual([...new Set(suites.map((path) => `empty/${out(path)}`))].sort());
    }),
    {
      numRuns: 15,
      examples: [
        [Object.keys(SUITES), []],
        [[], Object.keys(KEPT)],
      ],
    },
  );
});

test('a setup command, target or check that uses what is left out is refused, with what to do', async () => {
  const files = { 'evals/evals.json': SUITE, 'evals/run': 'x' };
  const { problems } = await loaded(files, 'setup: {commands: ["true", "cd evals && ./run"]}');
  expect(problems).toEqual([
    expect.stringMatching(/^setup\.commands\[1\]: uses evals\/ of the fixture, .*; rename it, or write it with/),
  ]);
  const run = (command: string): string => `scripts: {evaluators: [{name: e, command: '${command}'}]}`;
  expect((await loaded(files, run('sh evals/run'))).problems).toEqual([
    expect.stringMatching(/^scripts\.evaluators\[0\]\.command: uses evals\//),
  ]);
  const others = `setup: {commands: ["echo evals-of-mine"]}\n${run('test ! -e evals/run')}`;
  expect((await loaded(files, others)).problems).toEqual([]);
});

const git = (cwd: string, ...args: string[]) =>
  execa('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.com', ...args], { cwd });
async function commitAll(cwd: string): Promise<void> {
  await git(cwd, 'init', '-q');
  await git(cwd, 'add', '.');
  await git(cwd, 'commit', '-qm', 'base');
}

test.each<[string, string | null, (folder: string) => Promise<unknown>]>([
  ['has a suite, too', 'evals/evals.json', commitAll],
  [
    'had a suite that is no longer there',
    'old.eval.ts',
    async (folder) => {
      await write(folder, { 'old.eval.ts': 'x', '.gitignore': 'evals/\n' });
      await commitAll(folder);
      await git(folder, 'rm', '-q', 'old.eval.ts');
      await git(folder, 'commit', '-qm', 'without');
    },
  ],
  [
    'has it in the index only',
    'evals/evals.json',
    async (folder) => {
      await git(folder, 'init', '-q');
      await git(folder, 'add', '.');
    },
  ],
  [
    'has it in a folder deeper down',
    'evals/evals.json',
    async (folder) => {
      await write(folder, { 'deep/evals/evals.json': SUITE });
      await commitAll(join(folder, 'deep'));
    },
  ],
  [
    'never had it',
    null,
    async (folder) => {
      await write(folder, { '.gitignore': 'evals/\n' });
      await commitAll(folder);
    },
  ],
])('a fixture whose repository %s', async (_, told, prepare) => {
  const { leftOut, problems } = await loaded({ 'evals/evals.json': SUITE }, '', prepare);
  if (told === null) expect([leftOut, problems]).toEqual([['empty/evals/'], []]);
  else
    expect(problems).toEqual([
      expect.stringMatching(
        new RegExp(`^template_folder: .*/\\.git: its history has ${told}, .*setup\\.commands can make`),
      ),
    ]);
});

test('a checks folder is copied without suites and results, but with cases of its own; one that a gate names is refused', async () => {
  const checks = {
    '../checks/evals/evals.json': SUITE,
    '../checks/cases.json': '[{"prompt": "a", "expected_output": "b"}]',
    '../checks/run.sh': 'x',
    '../checks/results/.store/x': 'x',
    '../checks/results/sweeps/x': 'x',
  };
  expect(await loaded(checks, 'checks_folder: checks')).toEqual({
    leftOut: ['checks/evals/', 'checks/results/'],
    problems: [],
  });
  const script = `scripts: {evaluators: [{name: e, command: 'sh "$LLM_TOOL_TEST_CHECKS/evals/evals.json"'}]}`;
  expect((await loaded(checks, `checks_folder: checks\n${script}`)).problems).toEqual([
    expect.stringMatching(/^scripts\.evaluators\[0\]\.command: 'evals\/' is not copied, .* rename it$/),
  ]);
});
