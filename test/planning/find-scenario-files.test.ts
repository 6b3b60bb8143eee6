import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { draftOf, type DraftOptions } from '../../src/planning/draft.js';
import { ownCommand } from '../../src/host/shown.js';
import { describeSearch, findFiles, nothingSelected, searchFiles } from '../../src/planning/find-scenario-files.js';
import type { Project } from '../../src/planning/project.js';
import { defaultConfig } from '../../src/scenario/config.js';
import { scenario } from '../commands/project.js';
import { newFolder } from '../host/temporary.js';

/** A project in a new folder with these files; a value that begins with `->` is a link. */
async function projectWith(files: Record<string, string>): Promise<Project> {
  const root = await newFolder();
  const fixturesPath = join(root, 'fixtures');
  await mkdir(fixturesPath);
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    if (content.startsWith('->')) await symlink(content.slice(2), join(root, path));
    else await writeFile(join(root, path), content);
  }
  const places = { resultsPath: join(root, 'fixtures/results'), fixturesPath };
  return { root, config: defaultConfig, configFile: null, configSource: null, ...places };
}

const found = (project: Project, ...files: string[]): string[] =>
  findFiles(project, { files }).map((file) => relative(project.root, file));
const others = (project: Project, ...files: string[]): string[] =>
  searchFiles(project, { files })
    .searched.flatMap((one) => one.others)
    .map(({ path, what }) => `${relative(project.root, path)}: ${what}`);

test('finds files however the ending is written, in folders, linked folders and as links, each once', async () => {
  const project = await projectWith({
    'fixtures/a.yaml': scenario('a'),
    'fixtures/b.YAML': scenario('b'),
    'fixtures/c.Yml': scenario('c'),
    'fixtures/d.json': JSON.stringify({ name: 'd', task: { prompt: 'x' } }),
    'fixtures/e.scenario.yaml': 'runn: []\n',
    'fixtures/deep/er/f.yaml': scenario('f'),
    'fixtures/folder.yaml/g.yaml': scenario('g'),
    'shared/h.yaml': scenario('h'),
    'shared/again': '->../fixtures',
    'elsewhere/i.yaml': scenario('i'),
    'fixtures/1-link': '->../shared',
    'fixtures/2-link': '->../shared',
    'fixtures/0-copy.yaml': '->a.yaml',
    'fixtures/i.yaml': '->../elsewhere/i.yaml',
    'fixtures/text.md': 'task: x',
    'fixtures/.hidden.yaml': scenario('hidden'),
    'fixtures/node_modules/a/a.yaml': scenario('module'),
  });
  expect(found(project)).toEqual(
    [
      ...['1-link/h.yaml', 'a.yaml', 'b.YAML', 'c.Yml', 'd.json', 'deep/er/f.yaml', 'e.scenario.yaml'],
      ...['folder.yaml/g.yaml', 'i.yaml'],
    ].map((name) => `fixtures/${name}`),
  );
  expect(found(project, 'd')).toEqual(['fixtures/d.json']);
  expect(found(project, 'h')).toEqual(['fixtures/1-link/h.yaml']);
});

test('takes what cannot be read as a scenario, and lists what is something else', async () => {
  const project = await projectWith({
    'fixtures/a.yaml': scenario('a'),
    'fixtures/broken.yaml': 'a: [\n',
    'fixtures/empty.yml': '',
    'fixtures/gone.yaml': '->nowhere.yaml',
    'fixtures/gone-folder': '->../nowhere',
    'fixtures/gone.csv': '->nowhere.csv',
    'fixtures/latin.yaml': Buffer.from('name: Gr\xfc\xdfe\n', 'latin1').toString('latin1'),
    'fixtures/compose.yaml': 'services: {}\n',
    'fixtures/data/orders.json': '[1, 2]',
  });
  expect(found(project)).toEqual(
    ['a.yaml', 'broken.yaml', 'empty.yml', 'gone-folder', 'gone.yaml'].map((name) => `fixtures/${name}`),
  );
  expect(others(project)).toEqual([
    'fixtures/compose.yaml: a Compose file',
    'fixtures/data/orders.json: a list of 2',
    'fixtures/latin.yaml: a map with "name"',
  ]);
});

test('files in folders of fixtures, checks and skills, and in results, are no scenarios of their own', async () => {
  const own = scenario('a').replace(
    /^task/m,
    'checks_folder: checks/a\nsubject: [{ skill: ../fixtures/skills/pdf }]\ntask',
  );
  const project = await projectWith({
    'fixtures/a.yaml': own,
    'fixtures/empty/broken.yaml': 'a: [',
    // Examples in a fixture say nothing about other folders.
    'fixtures/empty/example.yaml': scenario('x').replace('empty', 'smoke'),
    'fixtures/checks/a/broken.json': '{',
    'fixtures/skills/pdf/template.yaml': '{% if x %}',
    'fixtures/smoke/s.yaml': scenario('s'),
    'fixtures/empty/link': '->/',
    'fixtures/results/plan.yaml': scenario('r'),
    'fixtures/old-results/sweeps/s.json': '{',
    'fixtures/old-results/.store/x/scenario.yaml': scenario('r'),
  });
  expect(found(project)).toEqual(['fixtures/a.yaml', 'fixtures/smoke/s.yaml']);
  expect(others(project)).toEqual(['fixtures/empty/example.yaml: part of a folder that a scenario names']);
});

test('a scenario whose fixture is its own folder, or one above, hides nothing', async () => {
  for (const name of ['.', '..', '../fixtures', 'sub/..']) {
    const project = await projectWith({
      'fixtures/a.yaml': scenario('a').replace('empty', name),
      'fixtures/sub/b.yaml': scenario('b'),
    });
    expect(found(project)).toEqual(['fixtures/a.yaml', 'fixtures/sub/b.yaml']);
  }
});

test('says where it has looked if nothing is selected, and what is there', async () => {
  const project = await projectWith({
    'fixtures/a.yaml': scenario('a'),
    'other/promptfooconfig.yaml': 'prompts: [a]\nproviders: [b]\n',
    'other/data.json': '[]',
    'nothing/notes.md': '',
  });
  const said = (options: DraftOptions): string =>
    nothingSelected(project, draftOf(options)).message.replaceAll(`${project.root}/`, '');
  expect(said({ files: [], all: true, tags: ['smoke', 'git'] })).toBe(
    'no scenarios selected: none of 1 scenario has one of the tags smoke, git; fixtures has 1 scenario',
  );
  expect(said({ files: [join(project.root, 'fixtures/a.yaml')], tier: 1 })).toBe(
    'no scenarios selected: none of 1 scenario has a tier of at most 1',
  );
  expect(said({ files: [join(project.root, 'other')] })).toBe(
    'no scenarios selected: other has no scenarios, only 2 other files: other/data.json (a list of 0), other/promptfooconfig.yaml (a configuration of promptfoo); other/promptfooconfig.yaml is a config of promptfoo; import it with ' +
      ownCommand('import other/promptfooconfig.yaml'),
  );
  expect(said({ files: [join(project.root, 'nothing')] })).toMatch(
    /^no scenarios selected: nothing has no file with the ending \.yaml, \.yml or \.json/,
  );
  const gone = { folder: join(project.root, 'gone'), files: [], others: [] };
  expect(describeSearch(gone)).toMatch(/^there is no folder .*gone; create a first scenario with .*init`?$/);
});
