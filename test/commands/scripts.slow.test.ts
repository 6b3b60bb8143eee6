import { realpath } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  NO_DENO_FILES,
  NO_DENO_PATH,
  noDeno,
  printing,
  readmeOf,
  scriptFiles,
} from '../agent-scripts/project-script.js';
import { createProject, type TestProject } from './project.js';

const ECHO = 'console.log(JSON.stringify({ success: true, data: { args: Deno.args, cwd: Deno.cwd() } }));\n';
const NO_FILE = { success: false, error: 'no such file', code: 'FILE_NOT_FOUND' };

let project: TestProject;
let root: string;
beforeAll(async () => {
  project = await createProject({
    ...scriptFiles('echo', ECHO, '--allow-read=.'),
    ...scriptFiles('files/missing', `${printing(NO_FILE)}Deno.exit(1);\n`),
    ...scriptFiles('crash', 'console.error("loading"); throw new Error("oops");\n'),
    ...scriptFiles('garbage', 'console.log("hello");\n'),
    ...scriptFiles('silent', ''),
    ...scriptFiles('twice', `${printing({ success: true, data: 1 })}${printing({ success: true, data: 2 })}`),
    ...scriptFiles('liar', `${printing({ success: true, data: 1 })}Deno.exit(3);\n`),
    ...scriptFiles('curious', 'Deno.readTextFileSync("secret.txt");\n'),
    ...scriptFiles('long', 'console.log(JSON.stringify({ success: true, data: "x".repeat(3_000_000) }));\n'),
    '.agents/scripts/undocumented/run.ts': ECHO,
    '.agents/scripts/unusable/run.ts': ECHO,
    '.agents/scripts/unusable/README.md': '# unusable\n',
    '.agents/scripts/README.md': '# Scripts\n',
    '.agents/lib/script.ts': '',
    'src/deep/file.txt': '',
    'secret.txt': 'secret\n',
    ...NO_DENO_FILES,
  });
  root = await realpath(project.folder);
});
afterAll(() => project.remove());

const scripts = (...args: string[]) => project.cli(['scripts', ...args]);
/** The one JSON document on stdout. */
const documentOf = ({ stdout }: { stdout: string }): unknown => JSON.parse(stdout);
const NAMES = ['crash', 'curious', 'echo', 'files/missing', 'garbage', 'liar', 'long', 'silent', 'twice'];

describe('scripts list', () => {
  test('prints name and summary of each script, also in groups, and marks those without a summary', async () => {
    const { exitCode, stdout } = await scripts('list');
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^echo +What echo is for\.$/m);
    expect(stdout).toMatch(/^files\/missing +What files\/missing is for\.$/m);
    expect(stdout).toMatch(/^undocumented +\(no Summary in its README\.md\)$/m);
  });

  test('prints path and usage too with --json', async () => {
    const listed = await scripts('list', '--json');
    const document = documentOf(listed) as { scripts: { name: string }[] };
    expect(document.scripts.map(({ name }) => name)).toEqual([...NAMES, 'undocumented', 'unusable'].sort());
    expect(document.scripts.find(({ name }) => name === 'echo')).toEqual({
      name: 'echo',
      summary: 'What echo is for.',
      usage: 'deno run --allow-read=. .agents/scripts/echo/run.ts',
      path: '.agents/scripts/echo/run.ts',
    });
    expect(document.scripts.find(({ name }) => name === 'undocumented')).toMatchObject({
      summary: null,
      usage: null,
    });
  });

  test('finds the scripts from a subfolder', async () => {
    const { stdout } = await project.start(['scripts', 'list'], {}, 'src/deep');
    expect(stdout).toContain('files/missing');
  });

  test('exits with 2 without a folder of scripts, and says so if the folder has no scripts yet', async () => {
    const bare = await createProject({});
    const { exitCode, stderr, stdout } = await bare.cli(['scripts', 'list', '--json']);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('no .agents/scripts in this folder or its parents');
    expect(documentOf({ stdout })).toMatchObject({ error: { code: 'no_scripts' } });
    await bare.write('.agents/scripts/notes.txt', '');
    const empty = await bare.cli(['scripts', 'list']);
    expect(empty).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('no scripts yet') as string });
    await bare.remove();
  });
});

describe('scripts show', () => {
  test("prints the script's README unchanged", async () => {
    const { exitCode, stdout } = await scripts('show', 'echo');
    expect({ exitCode, stdout }).toEqual({
      exitCode: 0,
      stdout: readmeOf('echo', '--allow-read=.').trimEnd(),
    });
  });

  test('prints the parsed README with --json', async () => {
    expect(documentOf(await scripts('show', 'echo', '--json'))).toEqual({
      name: 'echo',
      path: '.agents/scripts/echo/run.ts',
      summary: 'What echo is for.',
      usage: 'deno run --allow-read=. .agents/scripts/echo/run.ts',
      permissions: { read: ['.'] },
      arguments: [],
      error_codes: [],
      examples: [],
      readme: readmeOf('echo', '--allow-read=.'),
    });
  });

  test('exits with 2 for a script without a README', async () => {
    const { exitCode, stderr } = await scripts('show', 'undocumented');
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/undocumented\/README\.md is missing/);
    expect(documentOf(await scripts('show', 'undocumented', '--json'))).toMatchObject({
      error: { code: 'no_readme' },
    });
  });
});

describe('scripts run', () => {
  test('runs the script in the root of the project, prints its JSON, and exits with 0', async () => {
    const { exitCode, stdout } = await scripts('run', 'echo', 'a b', '--json', '--help', '-x');
    expect(documentOf({ stdout })).toEqual({
      success: true,
      data: { args: ['a b', '--json', '--help', '-x'], cwd: root },
    });
    expect(exitCode).toBe(0);
  });

  test('does the same from a subfolder, by path, and with --json before the name', async () => {
    const below = await project.start(['scripts', 'run', '--json', 'echo'], {}, 'src/deep');
    const byPath = await project.start(['scripts', 'run', './echo/run.ts'], {}, '.agents/scripts');
    for (const { exitCode, stdout } of [below, byPath, await scripts('run', '.agents/scripts/echo/run.ts')]) {
      expect(documentOf({ stdout })).toEqual({ success: true, data: { args: [], cwd: root } });
      expect(exitCode).toBe(0);
    }
  });

  test('exits with 1 for an answer without success', async () => {
    const { exitCode, stdout } = await scripts('run', 'files/missing');
    expect(documentOf({ stdout })).toEqual(NO_FILE);
    expect(exitCode).toBe(1);
  });

  test('prints a long answer completely', async () => {
    const { stdout } = await scripts('run', 'long');
    expect((documentOf({ stdout }) as { data: string }).data).toHaveLength(3_000_000);
  });

  test.each([
    ['crash', /^crash broke the contract: nothing on stdout; exit 1$/, /loading[^]*oops/],
    ['garbage', /^garbage broke the contract: stdout is not one JSON document: "hello"$/, /^hello$/m],
    ['silent', /^silent broke the contract: nothing on stdout; exit 0$/, /^$/],
    ['twice', /^twice broke the contract: stdout is not one JSON document/, /"data":2/],
    ['liar', /^liar broke the contract: exit 3 with success true: expected exit 0$/, /"data":1/],
    ['curious', /^curious broke the contract: nothing on stdout; exit 1$/, /NotCapable.*read access/],
  ])(
    "answers for %s, which breaks the contract, with an error as in the contract, and prints the script's output to stderr",
    async (name, error, printed) => {
      const { exitCode, stdout, stderr } = await scripts('run', name);
      expect(documentOf({ stdout })).toEqual({
        success: false,
        error: expect.stringMatching(error) as string,
        code: 'INVALID_OUTPUT',
      });
      expect(stderr).toMatch(printed);
      expect(exitCode).toBe(1);
    },
  );

  test('refuses an unknown name and suggests the nearest one, or lists all', async () => {
    const { exitCode, stdout, stderr } = await scripts('run', 'ecko');
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain(`no agent script 'ecko' in .agents/scripts; did you mean 'echo'?`);
    const far = await scripts('run', 'database');
    expect(far.stderr).toContain(`known: ${[...NAMES, 'undocumented', 'unusable'].sort().join(', ')}`);
  });

  test('refuses a path outside the folder of the scripts', async () => {
    expect(await scripts('run', '../../secret.txt')).toMatchObject({ exitCode: 2, stdout: '' });
  });

  test.each([
    ['undocumented', /undocumented cannot be run: .*README\.md is missing/],
    ['unusable', /unusable cannot be run: the README has no section Usage/],
  ])('refuses %s, whose README does not say how to run it', async (name, message) => {
    const { exitCode, stdout, stderr } = await scripts('run', name);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toMatch(message);
  });

  test('exits with 3 without Deno, and says how to install it', async () => {
    const { exitCode, stdout, stderr } = await project.cli(['scripts', 'run', 'echo'], noDeno(project.folder));
    expect({ exitCode, stdout }).toEqual({ exitCode: 3, stdout: '' });
    expect(stderr).toMatch(/Deno was not found.*npm install --save-dev deno/);
  });

  test("takes the project's own Deno from npm", async () => {
    const own = await createProject(scriptFiles('echo', ECHO));
    await own.write(
      'node_modules/deno/package.json',
      '{"name":"deno","optionalDependencies":{"@deno/here":"1","@deno/other":"1"}}',
    );
    await own.write('node_modules/@deno/here/package.json', '{"name":"@deno/here"}');
    await own.write('node_modules/@deno/here/deno', `#!/bin/sh\necho '{"success":true,"data":"own"}'\n`, 0o755);
    const { stdout } = await own.cli(['scripts', 'run', 'echo'], { PATH: NO_DENO_PATH });
    expect(documentOf({ stdout })).toEqual({ success: true, data: 'own' });
    await own.remove();
  });
});

describe('scripts new', () => {
  test('makes a script that runs as it is, and adds the library with the first script', async () => {
    const fresh = await createProject({ 'src/file.txt': '' });
    const { exitCode, stdout } = await fresh.cli(['scripts', 'new', 'greet', '--json']);
    expect(exitCode).toBe(0);
    const files = ['.agents/lib/script.ts', '.agents/scripts/greet/run.ts', '.agents/scripts/greet/README.md'];
    expect(documentOf({ stdout })).toEqual({ folder: await realpath(fresh.folder), files });
    const run = await fresh.cli(['scripts', 'run', 'greet', 'World']);
    expect(documentOf(run)).toEqual({ success: true, data: { greeting: 'Hello, World!' } });
    expect(run.exitCode).toBe(0);
    const wrong = await fresh.cli(['scripts', 'run', 'greet']);
    expect(documentOf(wrong)).toMatchObject({ success: false, code: 'MISSING_ARGUMENT' });
    expect(wrong.exitCode).toBe(1);

    // Another script, in a group and from a subfolder, is written to the same .agents folder.
    const second = await fresh.start(['scripts', 'new', 'team/people/greet'], {}, 'src');
    expect(second.stdout).toContain('next: try `llm-tool-test scripts run team/people/greet World`');
    expect(second.stdout).not.toContain('lib/script.ts');
    expect(documentOf(await fresh.cli(['scripts', 'run', 'team/people/greet', 'all']))).toEqual({
      success: true,
      data: { greeting: 'Hello, all!' },
    });
    await fresh.remove();
  });

  test('writes nothing if one of the files already exists', async () => {
    const fresh = await createProject({ '.agents/scripts/greet/README.md': 'mine\n' });
    const { exitCode, stderr, stdout } = await fresh.cli(['scripts', 'new', 'greet', '--json']);
    expect(exitCode).toBe(2);
    expect(documentOf({ stdout })).toMatchObject({
      error: { code: 'files_in_the_way', problems: [{ file: '.agents/scripts/greet/README.md' }] },
    });
    expect(stderr).toContain('nothing was written');
    expect(await fresh.read('.agents/scripts/greet/README.md')).toBe('mine\n');
    await expect(fresh.read('.agents/lib/script.ts')).rejects.toThrow('ENOENT');
    await fresh.remove();
  });

  test.each(['../greet', 'a b', '', '.hidden', '/greet'])('refuses the name %j', async (name) => {
    const { exitCode, stdout } = await scripts('new', '--json', '--', name);
    expect(exitCode).toBe(2);
    expect(documentOf({ stdout })).toMatchObject({ error: { code: 'bad_name' } });
  });
});

test('scripts prompt prints the text that tells agents about the scripts', async () => {
  const { exitCode, stdout } = await scripts('prompt');
  expect(exitCode).toBe(0);
  for (const text of ['`.agents/scripts/`', '`README.md`', '"success":true', '"code"']) expect(stdout).toContain(text);
  expect(documentOf(await scripts('prompt', '--json'))).toEqual({ prompt: `${stdout}\n` });
});

test('`scripts` alone lists its verbs', async () => {
  const { stdout, stderr } = await scripts();
  for (const verb of ['list', 'show', 'run', 'check', 'new', 'prompt', 'install-command'])
    expect(stdout + stderr).toContain(`  ${verb} `);
});
