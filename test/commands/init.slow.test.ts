import { mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Problem } from '../../src/lib/errors/problem.js';
import { createProject, documentOf, REPOSITORY, type TestProject } from './project.js';

const SCENARIO = 'fixtures/stock_delivery.yaml';

let project: TestProject;
beforeAll(async () => {
  project = await createProject({});
});
afterAll(() => project.remove());

const filesIn = async (folder: string): Promise<string[]> =>
  (await readdir(join(project.folder, folder), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(join(project.folder, folder).length + 1))
    .sort();

/** Runs a command in a folder of the project, which has an engine of its own. The engine is stopped after the test. */
function commandsIn(folder: string, env: Record<string, string> = {}) {
  onTestFinished(async () => {
    await project.start(['engine', 'stop'], {}, folder);
  });
  return (...args: string[]) => project.start(args, env, folder);
}

/** The path of the schema that the first line of a file refers to. */
const schemaOf = async (path: string): Promise<string> => {
  const file = join(project.folder, path);
  const [, reference = ''] = /^#.*schema[= ](\S+)/.exec(await readFile(file, 'utf8')) ?? [];
  return resolve(dirname(file), reference);
};

describe('init in an empty folder', () => {
  test('makes a valid scenario that passes with the mock', async () => {
    const made = await project.cli(['init', '--json'], { npm_command: '' });
    expect(made.exitCode).toBe(0);
    const document = JSON.parse(made.stdout) as { folder: string; files: string[]; next: string[] };
    expect(document.folder).toBe(project.folder);
    expect([...document.files].sort()).toEqual(await filesIn('.'));
    expect(document.next).toEqual(['llm-tool-test run stock_delivery', 'llm-tool-test doctor']);

    const valid = await project.cli(['validate', '--json']);
    expect(JSON.parse(valid.stdout)).toEqual({ valid: true, files: [SCENARIO], problems: [], warnings: [] });
    const { exitCode, document: sweep, stderr } = await project.run(['stock_delivery']);
    expect(exitCode, stderr).toBe(0);
    expect(stderr).not.toContain('warning');
    expect(sweep.cells).toMatchObject([{ outcome: 'pass', agent: 'mock', gates_passed: 6, gates_total: 6 }]);
  });

  test('makes a scenario in the form of ElizaOS that passes at once, and a matrix of it', async () => {
    const { exitCode } = await project.cli(['init', 'eliza', '--template', 'eliza']);
    expect(exitCode).toBe(0);
    expect(await filesIn('eliza')).toEqual(
      expect.arrayContaining(['agents/stand-in', 'fixtures/shopping.matrix.yaml']) as string[],
    );
    const start = commandsIn('eliza', { LLM_TOOL_TEST_ENABLED: '' });
    const run = await start('scenario', 'run', 'fixtures/shopping.scenario.yaml');
    expect([run.exitCode, run.stdout], run.stderr).toEqual([
      0,
      expect.stringMatching(
        /✓ pass +shopping stand-in\/default\n( +✓ pass .*\n?){5} +The evidence of gates 1, 4 could have been forged/,
      ),
    ]);
    const { stdout } = await start('scenario', 'matrix', 'fixtures/shopping.matrix.yaml', '--json');
    expect(documentOf(stdout).cells.map(({ outcome }) => outcome)).toEqual(['pass', 'pass', 'pass', 'pass']);
  });

  test.each([
    {
      template: 'skill',
      subject: 'fixtures/skills/invoice-totals/SKILL.md',
      scenario: 'invoice_totals',
      nearMiss: 'invoice_near_miss',
      variants: ['shop', 'sort'],
    },
    {
      template: 'mcp',
      subject: 'fixtures/servers/orders.mjs',
      scenario: 'order_lamps',
      nearMiss: 'order_near_miss',
      variants: ['draft', 'question'],
    },
  ])('makes a test of a $template that passes with the mock, and finds that it helps', async (made) => {
    const { template, subject, scenario, nearMiss, variants } = made;
    const folder = `of-${template}`;
    const { stdout } = await project.cli(['init', folder, '--template', template, '--json']);
    const { files } = JSON.parse(stdout) as { files: string[] };
    expect(files).toContain(subject);
    const start = commandsIn(folder);
    const valid = await start('validate', '--json');
    expect(JSON.parse(valid.stdout)).toMatchObject({ valid: true, warnings: [] });
    const outcomes = async (...args: string[]): Promise<string[]> => {
      const { stdout } = await start('run', ...args, '--json');
      const cells = documentOf(stdout).cells.map(({ variant, outcome }) => `${variant} ${outcome ?? ''}`);
      return [...new Set(cells)].sort();
    };
    expect(await outcomes(nearMiss)).toEqual(variants.map((variant) => `${variant} pass`));
    expect(await outcomes(scenario, '--repeat', '6')).toEqual(['with pass', 'without fail']);
    const compared = await start('compare', 'latest', '--variants', 'without,with', '--json');
    expect(JSON.parse(compared.stdout)).toMatchObject({ verdict: 'better' });
  });

  test('makes near misses that fail if the agent calls the tool', async () => {
    await project.cli(['init', 'rash', '--template', 'mcp']);
    const file = 'rash/fixtures/order_near_miss.yaml';
    const order = 'tool: place_order, args: { item: cables, pieces: 24 } }';
    await project.write(file, (await project.read(file)).replace('tool: list_orders }', order));
    const { document } = await project.run([file, '--variants', 'draft']);
    expect(document.cells[0]).toMatchObject({ outcome: 'fail', gates_passed: 2, gates_total: 3 });
  });

  test('makes gates that fail if the agent books the wrong items', async () => {
    await project.cli(['init', 'careless']);
    const text = await project.read(`careless/${SCENARIO}`);
    await project.write(`careless/${SCENARIO}`, text.replace('stock add plugs 12', 'stock add cables 10'));
    const { exitCode, document } = await project.run([`careless/${SCENARIO}`]);
    expect(exitCode).toBe(1);
    expect(document.cells[0]).toMatchObject({ outcome: 'fail', gates_passed: 4, gates_total: 6 });
  });

  test('keeps programs executable, and makes gates of several types', async () => {
    await project.cli(['init', 'kinds']);
    const fixtures = join(project.folder, 'kinds/fixtures');
    for (const program of ['stock_delivery/bin/stock', 'checks/stock_delivery/check-cables.sh'])
      expect((await stat(join(fixtures, program))).mode & 0o111, program).toBe(0o111);
    const types = [...(await project.read(`kinds/${SCENARIO}`)).matchAll(/- type: (\w+)/g)].map(([, type]) => type);
    expect(new Set(types).size).toBeGreaterThanOrEqual(6);
  });

  test('does not show its check to the agent', async () => {
    await project.cli(['init', 'shown']);
    expect(await filesIn('shown/fixtures/stock_delivery')).not.toContainEqual(expect.stringMatching(/check/) as string);
    const { stderr } = await project.cli(['validate', 'shown/fixtures']);
    expect(stderr).not.toContain('warning');
  });

  test('prints the next commands in the way it was called itself', async () => {
    const { stdout } = await project.cli(['init', 'said'], { npm_command: 'exec' });
    expect(stdout).toMatch(/next:\n {2}cd said\n {2}npx --no llm-tool-test run stock_delivery /);
  });

  test('puts the schemas for editors next to the config, and refers to them in scenario and config', async () => {
    await project.cli(['init', 'editors']);
    for (const [file, name] of [
      [SCENARIO, 'scenario'],
      ['llm-tool-test-config.toml', 'config'],
    ]) {
      const schema = await schemaOf(`editors/${file ?? ''}`);
      expect(schema).toBe(join(project.folder, `editors/.llm-tool-test/${name ?? ''}.schema.json`));
      expect(JSON.parse(await readFile(schema, 'utf8'))).toHaveProperty('properties');
    }
  });

  test('refers to the schemas of the package if it is installed in a parent folder', async () => {
    await mkdir(join(project.folder, 'installed/node_modules'), { recursive: true });
    await symlink(REPOSITORY, join(project.folder, 'installed/node_modules/llm-tool-test'));
    await project.cli(['init', 'installed/below']);
    const schema = await schemaOf(`installed/below/${SCENARIO}`);
    expect(schema).toBe(join(project.folder, 'installed/node_modules/llm-tool-test/schema/scenario.schema.json'));
    expect(await filesIn('installed/below')).not.toContain('.llm-tool-test/scenario.schema.json');
  });
});

describe('init in a folder with files', () => {
  test('reports every file that already exists, changes and writes nothing, and exits with 2', async () => {
    await project.write('taken/llm-tool-test-config.toml', '# mine\n');
    await project.write(`taken/${SCENARIO}`, 'mine\n');
    const { exitCode, stdout, stderr } = await project.cli(['init', 'taken', '--json']);
    expect(exitCode).toBe(2);
    const { error } = JSON.parse(stdout) as { error: { code: string; problems: Problem[] } };
    expect(error.code).toBe('files_in_the_way');
    expect(error.problems.map(({ file }) => file)).toEqual([`taken/${SCENARIO}`, 'taken/llm-tool-test-config.toml']);
    expect(stderr).toContain('nothing was written');
    expect(await filesIn('taken')).toEqual([SCENARIO, 'llm-tool-test-config.toml']);
    expect(await project.read('taken/llm-tool-test-config.toml')).toBe('# mine\n');
  });

  test('reports a file where a folder is needed', async () => {
    await project.write('blocked/fixtures', 'a file\n');
    const { exitCode, stderr } = await project.cli(['init', 'blocked']);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('blocked/fixtures:1:1 already exists');
    expect(await filesIn('blocked')).toEqual(['fixtures']);
  });

  test('treats a dangling symlink as an existing file', async () => {
    await mkdir(join(project.folder, 'linked'));
    await symlink('/nowhere', join(project.folder, 'linked/llm-tool-test-config.toml'));
    const { exitCode, stderr } = await project.cli(['init', 'linked']);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('linked/llm-tool-test-config.toml');
    expect(await readdir(join(project.folder, 'linked'))).toEqual(['llm-tool-test-config.toml']);
  });

  test('leaves nothing behind when a file cannot be written', async () => {
    await mkdir(join(project.folder, 'broken'));
    // The config comes after the fixture: what was written before it has to be removed again.
    await symlink('/proc/llm-tool-test', join(project.folder, 'broken/.llm-tool-test'));
    const { exitCode, stderr } = await project.cli(['init', 'broken']);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/nothing was written because of an error: .*/);
    expect(await readdir(join(project.folder, 'broken'))).toEqual(['.llm-tool-test']);
  });

  test('leaves other files alone', async () => {
    await mkdir(join(project.folder, 'mine/fixtures'), { recursive: true });
    await writeFile(join(project.folder, 'mine/fixtures/other.txt'), 'kept');
    expect((await project.cli(['init', 'mine'])).exitCode).toBe(0);
    expect(await project.read('mine/fixtures/other.txt')).toBe('kept');
  });
});

describe('the .gitignore of init', () => {
  const ignores = async (folder: string): Promise<string> => {
    const { exitCode, stderr } = await project.cli(['init', folder, '--json']);
    expect(exitCode, stderr).toBe(0);
    return project.read(`${folder}/.gitignore`);
  };

  test('names the results folder', async () => {
    expect(await ignores('ignored')).toMatch(/^# .*\nllm-tool-test-results\/\n$/);
  });

  test('is extended if it exists, also if its last line has no end', async () => {
    await project.write('extended/.gitignore', 'node_modules\n*.log');
    expect(await ignores('extended')).toMatch(/^node_modules\n\*\.log\n\n# .*\nllm-tool-test-results\/\n$/);
  });

  test.each(['llm-tool-test-results', '/llm-tool-test-results/', '**/llm-tool-test-results/*'])(
    'is left alone if it has the line %s',
    async (line) => {
      const folder = `has${line.replace(/\W/g, '_')}`;
      await project.write(`${folder}/.gitignore`, `${line}\r\nother\n`);
      expect(await ignores(folder)).toBe(`${line}\r\nother\n`);
    },
  );

  test('is not repeated by a second template, and makes git ignore results', async () => {
    const before = await ignores('twice');
    const { exitCode } = await project.cli(['init', 'twice', '--example', 'git_history']);
    expect([exitCode, await project.read('twice/.gitignore')]).toEqual([0, before]);
    const cwd = join(project.folder, 'twice');
    await execa('git', ['init', '--quiet'], { cwd });
    await execa('git', ['check-ignore', 'llm-tool-test-results/a/report.md'], { cwd });
  });

  test('is only a warning if it cannot be changed', async () => {
    await mkdir(join(project.folder, 'odd/.gitignore'), { recursive: true });
    const { exitCode, stderr } = await project.cli(['init', 'odd']);
    expect([exitCode, stderr]).toEqual([
      0,
      expect.stringContaining('warning: .gitignore could not be changed; add the line llm-tool-test-results/ to it'),
    ]);
  });
});

describe('init --example', () => {
  test('lists the examples, which are all scenarios of the package', async () => {
    const { stdout } = await project.cli(['init', '--example', '--json']);
    const { examples } = JSON.parse(stdout) as { examples: { name: string; scenarios: string[] }[] };
    const files = (await readdir(join(REPOSITORY, 'fixtures'))).filter((name) => name.endsWith('.yaml'));
    expect(examples.flatMap(({ scenarios }) => scenarios).sort()).toEqual(
      files.map((name) => name.replace('.yaml', '')).sort(),
    );
    expect((await project.cli(['init', '--example'])).stdout).toMatch(/^git_history +Find the commit/m);
  });

  test('creates an example with its fixture and a config; the mock passes it', async () => {
    const { exitCode, stdout } = await project.cli(['init', 'sample', '--example', 'example_basic']);
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining('run fixtures/example_basic.yaml')]);
    expect(await filesIn('sample')).toEqual(
      expect.arrayContaining(['llm-tool-test-config.toml', 'fixtures/example_basic/bin/taskmgr']),
    );
    const { document } = await project.run(['sample/fixtures/example_basic.yaml']);
    expect(document.totals).toMatchObject({ cells: 1, passed: 1 });
  });

  test('adds examples to a project, and keeps its config', async () => {
    await project.write('added/llm-tool-test-config.toml', '# mine\n');
    for (const name of ['notes', 'git_history'])
      expect((await project.cli(['init', 'added', '--example', name])).exitCode).toBe(0);
    expect(await project.read('added/llm-tool-test-config.toml')).toBe('# mine\n');
    const valid = await project.cli(['validate', 'added/fixtures', '--json']);
    expect(JSON.parse(valid.stdout)).toMatchObject({
      valid: true,
      files: expect.arrayContaining([]) as unknown,
    });
  });

  test('refuses unknown names, with those that there are', async () => {
    const { exitCode, stderr } = await project.cli(['init', 'unknown', '--example', 'nix']);
    expect([exitCode, stderr]).toEqual([2, expect.stringMatching(/no example 'nix'; the examples are .*git_history/)]);
  });
});
