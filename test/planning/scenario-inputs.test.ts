import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { defaultConfig } from '../../src/scenario/config.js';
import { findFiles } from '../../src/planning/find-scenario-files.js';
import { createFolderCheck } from '../../src/planning/left-out.js';
import { loadScenarios } from '../../src/planning/select-scenarios.js';
import { newFolder } from '../host/temporary.js';
import { scenario } from '../commands/project.js';

test('lists the files of a fixture once, no matter how many scenarios name it', async () => {
  const root = await newFolder();
  await mkdir(join(root, 'shared', 'initial-state'), { recursive: true });
  const listed: string[] = [];
  const project = { fixturesPath: root, resultsPath: join(root, 'r') };
  const look = createFolderCheck(project, (folder) => {
    listed.push(folder);
    return Promise.resolve([]);
  });
  const shared = join(root, 'shared');
  // Concurrently and one after the other.
  await Promise.all([look(shared, 'fixture'), look(shared, 'fixture')]);
  expect(await look(shared, 'fixture')).toEqual({ unusable: null, leftOut: [] });
  expect(listed).toEqual([shared, join(shared, 'initial-state')]);
});

test('reports a problem of a shared fixture for each scenario that names it', async () => {
  const root = await newFolder();
  const fixturesPath = join(root, 'fixtures');
  await mkdir(join(fixturesPath, 'empty'), { recursive: true });
  await symlink('/etc', join(fixturesPath, 'empty', 'out'));
  for (const name of ['a', 'b', 'c']) await writeFile(join(fixturesPath, `${name}.yaml`), scenario(name));
  const project = {
    root,
    config: defaultConfig,
    configFile: null,
    configSource: null,
    resultsPath: join(root, 'r'),
    fixturesPath,
  };
  const { problems, scenarios } = await loadScenarios(project, findFiles(project, { files: [], all: true }));
  expect(scenarios).toEqual([]);
  expect(problems.map(({ line, path }) => [line, path])).toEqual(Array(3).fill([3, 'template_folder']));
  for (const { message } of problems) expect(message).toMatch(/empty\/out: symlink leaves the folder/);
});

test('requires scripts of task.context in the fixture, unless a setup command may create them', async () => {
  const root = await newFolder();
  const fixturesPath = join(root, 'fixtures');
  const script = join(fixturesPath, 'empty/initial-state/.agents/scripts/here');
  await mkdir(script, { recursive: true });
  await writeFile(join(script, 'README.md'), '# here');
  const names = ['here', 'written', 'group/missing'];
  const task = `task: {prompt: p, context: [${names.map((name) => `{script: ${name}}`).join(', ')}]}`;
  const files = 'files: {.agents/scripts/written/README.md: x}';
  const write = (name: string, setup: string) =>
    writeFile(
      join(fixturesPath, `${name}.yaml`),
      scenario(name)
        .replace(/^task:.*$/m, task)
        .concat(`\nsetup: {${setup}}\n`),
    );
  await write('without', files);
  await write('with', `${files}, commands: ["./install"]`);
  const project = {
    root,
    config: defaultConfig,
    configFile: null,
    configSource: null,
    fixturesPath,
    resultsPath: join(root, 'r'),
  };
  const { problems, scenarios } = await loadScenarios(project, findFiles(project, { files: [], all: true }));
  expect(problems.map(({ path, message }) => [path, message])).toEqual([
    [
      'task.context[2].script',
      "the fixture has no agent script 'group/missing': .agents/scripts/group/missing/README.md is missing",
    ],
  ]);
  expect(scenarios).toHaveLength(1);
});

test('takes YAML files inside any fixture as part of it, and YAML files next to it as scenarios', async () => {
  const root = await newFolder();
  const files = ['a.yaml', 'empty/inner.yaml', 'empty/deep/er.yaml', 'templates/empty/t.yaml', 'emptyish/b.yaml'];
  for (const file of files) {
    await mkdir(join(root, file, '..'), { recursive: true });
    await writeFile(join(root, file), scenario('x'));
  }
  const project = {
    root,
    config: defaultConfig,
    configFile: null,
    configSource: null,
    resultsPath: '',
    fixturesPath: root,
  };
  expect(findFiles(project, { files: [] })).toEqual([join(root, 'a.yaml'), join(root, 'emptyish/b.yaml')]);
});
