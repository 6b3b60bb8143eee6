import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { findFiles } from '../../src/planning/find-scenario-files.js';
import type { Project } from '../../src/planning/project.js';
import { loadScenarios } from '../../src/planning/select-scenarios.js';
import { defaultConfig } from '../../src/scenario/config.js';
import { scenario } from '../commands/project.js';
import { newFolder } from '../host/temporary.js';

const SKILL = '---\nname: pdf\ndescription: Reads files.\n---\nRun scripts/read.sh.\n';

async function projectWith(files: Record<string, string>): Promise<Project> {
  const root = await newFolder();
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    if (content.startsWith('->')) await symlink(content.slice(2), join(root, path));
    else await writeFile(join(root, path), content);
  }
  const places = { resultsPath: join(root, 'llm-tool-test-results'), fixturesPath: join(root, 'fixtures') };
  return { root, config: defaultConfig, configFile: null, configSource: null, ...places };
}
const load = async (project: Project) => loadScenarios(project, findFiles(project, { files: [] }));
const using = (skill: string, more = ''): string =>
  scenario('a', { target: null, more: `subject: {skill: ${skill}}${more}` });

/** The files that the agent is given, and those that it is not. */
async function given(files: Record<string, string>): Promise<{ files: string[]; leftOut: string[] }> {
  const { scenarios, problems } = await load(await projectWith(files));
  expect(problems).toEqual([]);
  const [variant] = scenarios[0]?.variants ?? [];
  const [part] = variant?.subject ?? [];
  return {
    files: part?.kind === 'skill' ? part.files.map(({ path }) => path) : [],
    leftOut: variant?.leftOut ?? [],
  };
}

test('a skill at the root of a repository is installed without suites, scenarios, checks, results and history', async () => {
  const kept = {
    'SKILL.md': SKILL,
    'scripts/read.sh': 'x',
    'assets/settings.json': '{"expected_version": 3, "input": null}',
    'assets/compose.yaml': 'services: {}\n',
    'assets/prompts.json': '[{"prompt": "Be brief."}]',
    'assets/broken.yaml': '{% x %}: [',
    'assets/data.csv': 'name,total\na,1\n',
    'evaluate.py': 'x',
    'references/retrieval.md': 'x',
  };
  const { files, leftOut } = await given({
    ...kept,
    'fixtures/a.yaml': using('..'),
    'fixtures/empty/README.md': 'x',
    'fixtures/checks/expected.txt': 'SECRET-4711',
    'evals/evals.json': '{"evals": []}',
    'evals/files/link': '->/etc',
    'deep/Evals/x.txt': 'SECRET-4711',
    'pdf.eval.ts': 'SECRET-4711',
    'promptfooconfig.yaml': 'prompts: [a]\n',
    'tests/b.yaml': scenario('b'),
    'tests/c.scenario.yaml': 'run: [',
    'tests/cases.json': '[{"query": "a", "should_trigger": true}]',
    'tests/cases.jsonl': '{"prompt": "a", "expected_output": "SECRET-4711"}\n',
    'tests/cases.csv': 'id,prompt,should_trigger\n1,a,true\n',
    'tests/rubric.yaml': 'criteria: []\noutput: {}\n',
    'llm-tool-test-config.toml': '',
    'llm-tool-test-results/results.jsonl': 'SECRET-4711',
    'old/.store/x/scenario.json': 'SECRET-4711',
    'old/sweeps/x.json': 'SECRET-4711',
    '.git/HEAD': 'ref: refs/heads/main',
    'vendor/lib/.git': 'gitdir: /elsewhere',
  });
  expect(files).toEqual(Object.keys(kept).sort());
  expect(leftOut).toEqual(
    [
      ...['.git/', 'deep/Evals/', 'evals/', 'fixtures/', 'llm-tool-test-config.toml', 'llm-tool-test-results/', 'old/'],
      ...['pdf.eval.ts', 'promptfooconfig.yaml', 'tests/b.yaml', 'tests/c.scenario.yaml', 'tests/cases.csv'],
      ...['tests/cases.json', 'tests/cases.jsonl', 'tests/rubric.yaml', 'vendor/lib/.git'],
    ].map((path) => `../${path}`),
  );
});

test('the limit of a skill counts only what is installed', async () => {
  const large = 'x'.repeat(1_100_000);
  const files = { 'fixtures/a.yaml': using('..'), 'fixtures/empty/README.md': 'x', 'SKILL.md': SKILL };
  expect((await given({ ...files, 'llm-tool-test-results/r.txt': large, '.git/pack': large })).files).toEqual([
    'SKILL.md',
  ]);
  const { problems } = await load(await projectWith({ ...files, 'large.txt': large }));
  expect(problems.map(({ message }) => message)).toEqual([expect.stringMatching(/a skill may have 1048576/)]);
});

test('a checks folder in a skill is left out, and refused where the skill uses it', async () => {
  const skill = 'fixtures/skills/pdf';
  const files = {
    'fixtures/empty/README.md': 'x',
    [`${skill}/SKILL.md`]: SKILL,
    [`${skill}/scripts/read.sh`]: 'x',
    [`${skill}/private/expected.txt`]: 'SECRET-4711',
  };
  const checks = (folder: string): string => `\nchecks_folder: ${folder}`;
  expect(await given({ ...files, 'fixtures/a.yaml': using('skills/pdf', checks('skills/pdf/private')) })).toEqual({
    files: ['SKILL.md', 'scripts/read.sh'],
    leftOut: ['skills/pdf/private/'],
  });
  for (const folder of ['skills/pdf/scripts', 'skills/pdf']) {
    const project = await projectWith({ ...files, 'fixtures/a.yaml': using('skills/pdf', checks(folder)) });
    const { problems } = await load(project);
    expect(problems.map(({ path, message }) => [path, message])).toEqual([
      ['subject.skill', `${folder} is part of the skill, and of what judges the agent; move that out of the skill`],
    ]);
  }
});

test('a fixture that contains its scenario or results is refused', async () => {
  const yaml = (folder: string): string => scenario('a').replace('empty', folder);
  const own = await load(await projectWith({ 'fixtures/a.yaml': yaml('.') }));
  expect(own.problems.map(({ path, message }) => [path, message])).toEqual([
    ['template_folder', expect.stringMatching(/contains .*fixtures\/a\.yaml, which the agent must not see/)],
  ]);
  const project = await projectWith({ 'fixtures/a.yaml': yaml('fx'), 'fixtures/fx/results/x': 'x' });
  const { problems } = await load({ ...project, resultsPath: join(project.root, 'fixtures/fx/results') });
  expect(problems.map(({ message }) => message)).toEqual([expect.stringMatching(/fx\/results, which the agent/)]);
});

test('a fixture that points back to the repository of its user is refused, with what to do', async () => {
  const project = await projectWith({
    'fixtures/a.yaml': scenario('a'),
    'fixtures/empty/.git': 'gitdir: /home/me/repo/.git/worktrees/empty\n',
  });
  expect((await load(project)).problems).toMatchObject([
    {
      path: 'template_folder',
      message: expect.stringMatching(/empty\/\.git: points to .*; .*git init/) as string,
    },
  ]);
});
