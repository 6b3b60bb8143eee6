import { mkdir, readdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Problem } from '../../src/lib/errors/problem.js';
import { createProject, EMPTY_FIXTURE, scenario, type TestProject } from './project.js';

let project: TestProject;

beforeAll(async () => {
  project = await createProject(
    {
      ...EMPTY_FIXTURE,
      'fixtures/good.yaml': scenario('good', { steps: ['say: x'] }),
    },
    { ownEngine: true },
  );
});
afterAll(() => project.remove());

interface Case {
  /** The mistake, as part of the title. */
  name: string;
  yaml: string;
  /** `line:column path` of the problem, then what its message must say. */
  at: string;
  says: RegExp;
}

const base = scenario('bad', { gates: ['{type: file_exists, path: README.md}'] });
const withGate = (gate: string): string => scenario('bad', { gates: [gate] });

const cases: Case[] = [
  { name: 'malformed YAML', yaml: `${base}\ntags: [a, b\n`, at: '12:1', says: /flow|\]/i },
  {
    name: 'an unknown key, with the nearest known one',
    yaml: base.replace('evaluation:', 'evalution:'),
    at: '6:1 evalution',
    says: /did you mean 'evaluation'/,
  },
  {
    name: 'an unknown gate, with the nearest known one',
    yaml: withGate('{type: file_exist, path: x}'),
    at: '8:14 evaluation.gates[0].type',
    says: /did you mean 'file_exists'/,
  },
  {
    name: 'a missing fixture',
    yaml: base.replace('template_folder: empty', 'template_folder: nowhere'),
    at: '3:18 template_folder',
    says: /'nowhere' was not found/,
  },
  {
    name: 'a fixture path outside the allowed folders',
    yaml: base.replace('template_folder: empty', 'template_folder: ../../etc'),
    at: '3:18 template_folder',
    says: /outside the folders/,
  },
  {
    name: 'a symlink that leaves the fixture',
    yaml: base.replace('template_folder: empty', 'template_folder: leaking'),
    at: '3:18 template_folder',
    says: /leaking\/passwd.*symlink leaves/,
  },
  {
    name: 'a gate path that leaves the workspace',
    yaml: withGate('{type: file_exists, path: ../secret}'),
    at: '8:33 evaluation.gates[0].path',
    says: /leave|outside/,
  },
  {
    name: 'an invalid pattern',
    yaml: withGate("{type: file_matches, path: a, pattern: '(unclosed'}"),
    at: '8:46 evaluation.gates[0].pattern',
    says: /\)|paren/,
  },
  {
    name: 'an invalid JSON path',
    yaml: withGate("{type: command_json_path, command: x, path: 'items[0]', assertion: exists}"),
    at: '8:51 evaluation.gates[0].path',
    says: /\$/,
  },
  {
    name: 'an invalid assertion',
    yaml: withGate("{type: command_json_path, command: x, path: '$.a', assertion: 'about 3'}"),
    at: '8:69 evaluation.gates[0].assertion',
    says: /expected/,
  },
  {
    name: 'a blank command',
    yaml: withGate('{type: command_succeeds, command: "  "}'),
    at: '8:41 evaluation.gates[0].command',
    says: /blank/,
  },
  {
    name: 'target: from_config without a config',
    yaml: base.replace('{binary: cat}', 'from_config'),
    at: '4:9 target',
    says: /no llm-tool-test-config\.toml/,
  },
  {
    name: 'a missing rubric',
    yaml: base.replace('  gates:', '  judge: {enabled: true, rubric: none.yaml, pass_threshold: 0.5}\n  gates:'),
    at: '7:34 evaluation.judge.rubric',
    says: /none\.yaml.*not found/,
  },
];

// One command reports the problems of all cases: each case has a file of its own.
describe('a scenario with', () => {
  let exitCode: number | undefined;
  let stderr: string;
  let problems: Problem[];
  const fileOf = (index: number): string => `bad/${index}.yaml`;

  beforeAll(async () => {
    await project.write('fixtures/leaking/README.md', '');
    await symlink('/etc/passwd', join(project.folder, 'fixtures/leaking/passwd'));
    for (const [index, { yaml }] of cases.entries())
      await project.write(fileOf(index), yaml.replace('name: bad', `name: bad-${index}`));
    const files = cases.map((_, index) => fileOf(index));
    const ended = await project.cli(['run', ...files, '--agents', 'mock', '--json']);
    ({ exitCode, stderr } = ended);
    ({ problems } = (JSON.parse(ended.stdout) as { error: { problems: Problem[] } }).error);
  });

  test.each(cases.map((one, index) => ({ ...one, file: fileOf(index) })))(
    '$name is reported with file, line and column',
    ({ file, at, says }) => {
      const found = problems
        .filter((problem) => problem.file === file)
        .map(({ line, column, path, message }) => ({ at: `${line}:${column} ${path}`.trim(), message }));
      expect(found).toContainEqual({ at, message: expect.stringMatching(says) as string });
      expect(stderr).toContain(`${file}:${at.split(' ')[0] ?? ''}`);
    },
  );

  test('a missing target that is given by path is reported once nothing else is wrong', async () => {
    await project.write('bad.yaml', base.replace('{binary: cat}', '{binary: ./bin/none}'));
    const ended = await project.cli(['run', 'bad.yaml', '--agents', 'mock']);
    expect(ended.exitCode).toBe(2);
    expect(ended.stderr).toMatch(/bad\.yaml:4:18 target\.binary: .*\.\/bin\/none.*not found/);
  });

  test('any of these problems exits with 2, prints no stack and writes nothing', async () => {
    expect(exitCode).toBe(2);
    expect(stderr).not.toMatch(/^\s+at .*\(/m);
    expect(await readdir(project.folder)).not.toContain('llm-tool-test-results');
    expect(await readdir(project.state)).toEqual([]);
  });
});

describe('several files', () => {
  test('have all their problems reported at once, with one code frame for each place', async () => {
    await project.write('many/a.yaml', 'tags: smoke\n');
    await project.write('many/b.yaml', base.replace('template_folder: empty', 'template_folder: nowhere'));
    await project.write('many/c.yaml', 'task: {\n');
    const { exitCode, stderr, stdout } = await project.cli([
      'validate',
      'many/a.yaml',
      'many/b.yaml',
      'many/c.yaml',
      '--json',
    ]);
    expect(exitCode).toBe(2);
    const { error } = JSON.parse(stdout) as { error: { message: string; problems: Problem[] } };
    expect(error.problems.map(({ file, path }) => `${file} ${path}`.trim())).toEqual([
      'many/a.yaml name',
      'many/a.yaml description',
      'many/a.yaml template_folder',
      'many/a.yaml task',
      'many/a.yaml evaluation',
      'many/a.yaml target',
      'many/a.yaml tags',
      'many/b.yaml template_folder',
      'many/c.yaml',
    ]);
    expect(error.message).toBe('9 problems in 3 files');
    // Six keys are missing at 1:1, tags is wrong at 1:7.
    expect(stderr.match(/^> 1 \| tags: smoke$/gm)).toHaveLength(2);
    expect(stderr).toContain('> 1 | tags: smoke\n    |       ^');
  });

  test('are refused where two scenarios have the same name, since their results could not be told apart', async () => {
    await project.write('fixtures/twin/a.yaml', scenario('same', { steps: ['say: x'] }));
    await project.write('fixtures/twin/b.yaml', scenario('same', { steps: ['say: x'] }));
    const { exitCode, stderr } = await project.cli(['run', 'twin']);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/twin\/b\.yaml:1:7 name: 'same' is also the name of .*twin\/a\.yaml/);
  });

  test('report a scenario file that cannot be read as a problem of that file', async () => {
    await mkdir(join(project.folder, 'fixtures', 'gone'), { recursive: true });
    await symlink('/nowhere', join(project.folder, 'fixtures', 'gone', 'dangling.yaml'));
    const { exitCode, stderr } = await project.cli(['validate', 'gone']);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/gone\/dangling\.yaml:1:1 the file cannot be read/);
    expect(stderr).not.toMatch(/^\s+at .*\(/m);
  });
});

describe('the rubric and the config', () => {
  test('weights that do not sum to 1 are reported with their place in the rubric file', async () => {
    await project.write(
      'rubric.yaml',
      'criteria:\n  - {id: a, weight: 0.5, description: x}\n  - {id: b, weight: 0.4, description: y}\noutput: {format: json, require_fields: []}\n',
    );
    await project.write(
      'bad.yaml',
      base.replace('  gates:', '  judge: {enabled: true, rubric: rubric.yaml, pass_threshold: 0.5}\n  gates:'),
    );
    const { exitCode, stderr } = await project.cli(['validate', 'bad.yaml']);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/rubric\.yaml:\d+:\d+ criteria.*0\.9/);
  });

  test.each([
    {
      name: 'malformed TOML',
      toml: 'results_path = "x\n',
      verbs: [['run', 'good'], ['validate'], ['scenarios'], ['show', 'x']],
      says: /llm-tool-test-config\.toml:1:\d+/,
    },
    {
      name: 'an unknown key',
      toml: '[agents.a]\ncommand = "x"\nfree = true\nmodel = "y"\n',
      verbs: [['validate']],
      says: /llm-tool-test-config\.toml:4:1 agents\.a\.model: .*did you mean 'models'/,
    },
  ])('$name is reported with line and column, for every verb', async ({ toml, verbs, says }) => {
    await project.write('llm-tool-test-config.toml', toml);
    for (const args of verbs) {
      const { exitCode, stderr } = await project.cli(args);
      expect(exitCode, args.join(' ')).toBe(2);
      expect(stderr).toMatch(says);
    }
    await project.write('llm-tool-test-config.toml', '');
  });
});
