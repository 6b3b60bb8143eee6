import { lstatSync } from 'node:fs';
import { chmod, mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { execa } from 'execa';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Problem } from '../../src/lib/errors/problem.js';
import { pathsBelow } from './engine-parts.js';
import { CLI, createProject, documentOf, EMPTY_FIXTURE, scenario, type TestProject } from './project.js';

let project: TestProject;

beforeEach(async () => {
  project = await createProject({
    ...EMPTY_FIXTURE,
    'fixtures/good.yaml': scenario('good', { steps: ['say: x'] }),
  });
});
afterEach(() => project.remove());

interface Refusal {
  code: string;
  message: string;
  problems: Problem[];
}

type Start = (args: string[]) => ReturnType<TestProject['cli']>;

/** Runs a command that must exit with 2, print one document and no stack; returns the error. */
async function refusal(args: string[], start: Start = (all) => project.cli(all)): Promise<Refusal> {
  const { exitCode, stdout, stderr } = await start([...args, '--json']);
  expect({ exitCode, stdout, stderr }).toMatchObject({ exitCode: 2 });
  expect(stderr).not.toMatch(/^\s+at /m);
  return (JSON.parse(stdout) as { error: Refusal }).error;
}
/** Runs a command with restricted access rights: root drops its capabilities, which would let it read everything. */
const unprivileged: Start = async (args) => {
  if (process.getuid?.() !== 0) return project.cli(args);
  const { folder, env } = project;
  const drop = ['--bounding-set=-all', '--inh-caps=-all', CLI, ...args];
  const { exitCode, stdout, stderr } = await execa('setpriv', drop, { cwd: folder, env, reject: false });
  return { exitCode, stdout, stderr };
};
const placesOf = ({ problems }: Refusal): string[] =>
  problems.map(({ file, line, column, path, message }) => `${file}:${line}:${column} ${path}: ${message}`);

describe('files that cannot be read', () => {
  test('a FIFO among the scenarios is reported, and the command does not wait for it', async () => {
    await execa('mkfifo', [join(project.folder, 'fixtures/pipe.yaml')]);
    expect(placesOf(await refusal(['validate']))).toEqual([
      'fixtures/pipe.yaml:1:1 : the file cannot be read: not a regular file',
    ]);
  });

  test('a scenario that is not UTF-8 is refused at the first invalid byte', async () => {
    const text = scenario('latin', { steps: ['say: "Gr\u00fc\u00dfe"'] });
    await writeFile(join(project.folder, 'fixtures/latin.yaml'), Buffer.from(text, 'latin1'));
    const line = text.split('\n').findIndex((one) => one.includes('Gr')) + 1;
    const column = (text.split('\n')[line - 1] ?? '').indexOf('\u00fc') + 1;
    expect(placesOf(await refusal(['validate']))).toEqual([
      `fixtures/latin.yaml:${line}:${column} : the file cannot be read: not UTF-8 here; save the file as UTF-8`,
    ]);
  });

  test('a file name that is not UTF-8 in the fixtures folder is reported', async () => {
    await writeFile(Buffer.concat([Buffer.from(`${project.folder}/fixtures/odd-`), Buffer.from([0xe9])]), '');
    const { code, message } = await refusal(['validate']);
    expect([code, message]).toEqual(['scenario_invalid', expect.stringMatching(/odd-.*is not UTF-8; rename it/)]);
    expect((await refusal(['run', '--all'])).message).toBe(message);
  });

  test('an unreadable folder among the scenarios is reported, since it may contain scenarios', async () => {
    await mkdir(join(project.folder, 'fixtures/locked'));
    await chmod(join(project.folder, 'fixtures/locked'), 0o000);
    expect((await refusal(['validate'], unprivileged)).message).toMatch(/fixtures\/locked.*permission denied/);
    await chmod(join(project.folder, 'fixtures/locked'), 0o755);
  });

  test('a config without read permission is reported', async () => {
    await project.write('llm-tool-test-config.toml', '', 0o000);
    expect(await refusal(['validate'], unprivileged)).toMatchObject({
      code: 'config_invalid',
      message: expect.stringMatching(/llm-tool-test-config\.toml cannot be read: .*permission denied/) as string,
    });
  });

  test('a config that is a folder, a FIFO or not UTF-8 is reported by every verb that reads it', async () => {
    const config = join(project.folder, 'llm-tool-test-config.toml');
    const breaks: [string, () => Promise<unknown>, RegExp][] = [
      ['folder', () => mkdir(config), /not a regular file/],
      ['FIFO', () => execa('mkfifo', [config]), /not a regular file/],
      ['Latin-1', () => writeFile(config, Buffer.from('# caf\u00e9\n', 'latin1')), /not UTF-8/],
    ];
    for (const [what, breakIt, says] of breaks) {
      await breakIt();
      for (const verb of [['validate'], ['run', 'good'], ['sweeps'], ['engine', 'status']]) {
        const { code, message } = await refusal(verb);
        expect([what, verb, code, message]).toEqual([what, verb, 'config_invalid', expect.stringMatching(says)]);
      }
      await rm(config, { recursive: true });
    }
  });
});

describe('scenario and model names', () => {
  test.for([
    ['of 5,000 letters', 'x'.repeat(5000)],
    ['of 108 Chinese characters', '\u6d4b'.repeat(108)],
  ])('%s are refused by validate and run', async ([, name]) => {
    await project.write('fixtures/long.yaml', scenario(name ?? '', { steps: ['say: x'] }));
    for (const verb of [['validate'], ['run', 'long']])
      expect(placesOf(await refusal(verb))).toEqual([
        expect.stringMatching(/^fixtures\/long\.yaml:1:7 name: expected the name of the scenario of at most 255 bytes/),
      ]);
  });

  test('are also limited for models in flags, and so is their total length', async () => {
    expect(await refusal(['run', 'good', '--agents', 'mock', '--models', 'm'.repeat(1000)])).toMatchObject({
      code: 'name_too_long',
      message: expect.stringMatching(/the name of the model has 1000 bytes/) as string,
    });
    await project.write('fixtures/wide.yaml', scenario('\u6d4b'.repeat(85), { steps: ['say: x'] }));
    const models = ['run', 'wide', '--agents', 'mock', '--models', '\u8bd5'.repeat(30)];
    expect(await refusal(models)).toMatchObject({
      code: 'name_too_long',
      message: expect.stringMatching(/bytes together/) as string,
    });
  });

  test('of the maximum length can be run', async () => {
    await project.write('fixtures/longest.yaml', scenario('\u6d4b'.repeat(85), { steps: ['say: x'] }));
    const { exitCode } = await project.run(['longest', '--name', 'n'.repeat(300)]);
    expect(exitCode).toBe(0);
  });
});

describe('unknown agents', () => {
  test('in tool_matrix are found by validate, and by run at the same place', async () => {
    await project.write(
      'fixtures/typo.yaml',
      scenario('typo', {
        more: 'tool_matrix:\n  - {agent: mock}\n  - {tool: mokc}\n  - {agent: opencode, models: [nowhere/x]}',
      }),
    );
    const expected = [
      expect.stringMatching(
        /^fixtures\/typo\.yaml:10:\d+ tool_matrix\[1\].*: unknown agent 'mokc'; did you mean 'mock'/,
      ),
      expect.stringMatching(/^fixtures\/typo\.yaml:11:\d+ tool_matrix\[2\]\.models\[0\]: .*unknown provider 'nowhere'/),
    ];
    expect(placesOf(await refusal(['validate']))).toEqual(expected);
    const run = await refusal(['run', 'typo']);
    expect([run.code, ...placesOf(run)]).toEqual(['unknown_agent', ...(expected as unknown[])]);
    expect((await project.cli(['run', 'typo', '--agents', 'mock', '--dry-run'])).exitCode).toBe(0);
  });

  test('in a profile are found by validate, and by run with that profile', async () => {
    await project.write('llm-tool-test-config.toml', '[profiles.wide]\nagents = ["mock", "mokc"]\n');
    const expected = [
      expect.stringMatching(/^llm-tool-test-config\.toml:2:\d+ profiles\.wide\.agents: unknown agent 'mokc'/),
    ];
    expect(placesOf(await refusal(['validate']))).toEqual(expected);
    expect(placesOf(await refusal(['run', 'good', '--profile', 'wide']))).toEqual(expected);
  });
});

describe('a problem that would otherwise appear late', () => {
  test.for([
    [
      'a file of setup.files below another one',
      'setup: {files: {a: x, a/b: y}}',
      /setup\.files\["a\/b"\]: 'a' is a file in setup\.files/,
    ],
    [
      'a file of setup.files below a file of the fixture',
      'setup: {files: {README.md/b: y}}',
      /'README\.md' is a file in the fixture/,
    ],
    [
      'a command that is too long for a shell',
      `setup: {commands: ["echo ${'x'.repeat(200_000)}"]}`,
      /setup\.commands\[0\]: 200005 bytes.*put it into a file/,
    ],
  ] as const)('is refused early: %s', async ([, more, says]) => {
    await project.write('fixtures/late.yaml', scenario('late', { steps: ['say: x'], more }));
    expect(placesOf(await refusal(['validate']))).toEqual([expect.stringMatching(says)]);
  });

  test('is refused early: a command of a gate that is too long for a shell', async () => {
    const gates = [`{type: command_succeeds, command: "echo ${'x'.repeat(200_000)}"}`];
    await project.write('fixtures/late.yaml', scenario('late', { gates, steps: ['say: x'] }));
    expect(placesOf(await refusal(['validate']))).toEqual([
      expect.stringMatching(/evaluation\.gates\[0\]\.command: 200005 bytes.*put it into a file/),
    ]);
  });

  test('is refused early: a variable that is too long for a program', async () => {
    const target = `{binary: cat, env: {LONG: ${'x'.repeat(200_000)}}}`;
    await project.write('fixtures/late.yaml', scenario('late', { target, steps: ['say: x'] }));
    expect(placesOf(await refusal(['validate']))).toEqual([expect.stringMatching(/target\.env\.LONG: 200000 bytes/)]);
  });

  test('is refused early: a time that is too long for a timer, or a results path that is too long', async () => {
    expect(await refusal(['run', 'good', '--timeout-secs', '1e99'])).toMatchObject({
      message: expect.stringMatching(/at most 2147483 seconds/) as string,
    });
    const deep = join(project.folder, ...Array.from({ length: 20 }, () => 'd'.repeat(200)));
    for (const folder of [deep, join(project.folder, 'd'.repeat(256))])
      expect(await refusal(['run', 'good', '--results', folder])).toMatchObject({
        code: 'results_unwritable',
        message: expect.stringMatching(/too long/) as string,
      });
  });

  test('is named in the message: a setup command that removes the workspace', async () => {
    await project.write(
      'fixtures/gone.yaml',
      scenario('gone', { steps: ['say: x'], more: 'setup: {commands: [\'rm -rf "$PWD"\', "true"]}' }),
    );
    const { exitCode, document } = await project.run(['gone']);
    expect(exitCode).toBe(3);
    expect(document.cells[0]?.message).toMatch(/the setup command removed the workspace: rm -rf/);
  });
});

test('a named pipe or a device in the place of a file of the results is named or passed over; no command waits for it', async () => {
  const { exitCode, stdout } = await project.cli(['run', 'good', '--json']);
  expect(exitCode).toBe(0);
  const { sweep, cells } = documentOf(stdout);
  const run = basename(cells[0]?.results_dir ?? '');
  const verbs = [
    ['sweeps'],
    ['show', sweep],
    ['show', run],
    ['report', sweep],
    ['clean', '--older-than', '1d', '--dry-run'],
  ];
  const files = pathsBelow(project.results).filter((file) => lstatSync(join(project.results, file)).isFile());
  expect(files.length).toBeGreaterThan(8);
  for (const file of files) {
    const path = join(project.results, file);
    await rename(path, `${path}.kept`);
    for (const place of [() => execa('mkfifo', [path]), () => symlink('/dev/zero', path)]) {
      await place();
      for (const verb of verbs) {
        const ended = await project.cli(verb);
        if (ended.exitCode !== 0)
          expect(ended.stderr, `${file}: ${verb.join(' ')}`).toMatch(
            /(named pipe or a device|is a symlink|cannot be read)/,
          );
        expect(ended.stderr, `${file}: ${verb.join(' ')}`).not.toMatch(/this is a bug|^\s+at /m);
      }
      await rm(path);
    }
    await rename(`${path}.kept`, path);
  }
});
