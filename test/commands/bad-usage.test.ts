import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createProject, EMPTY_FIXTURE, scenario, type TestProject } from './project.js';

let project: TestProject;

beforeAll(async () => {
  project = await createProject({
    ...EMPTY_FIXTURE,
    'fixtures/good.yaml': scenario('good', { steps: ['say: x'] }),
  });
});
afterAll(() => project.remove());

describe('the command line', () => {
  test.each<[string, string[], RegExp]>([
    [
      'an unknown agent, with the nearest known one',
      ['run', 'good', '--agents', 'mok'],
      /unknown agent 'mok'; did you mean 'mock'/,
    ],
    ['no agent anywhere', ['run', 'bare'], /no agent is set for bare.*Known agents: mock/],
    ['an unknown profile', ['run', 'good', '--profile', 'x'], /unknown profile 'x'/],
    ['an unknown scenario', ['run', 'nothing-like-it'], /'nothing-like-it' was not found/],
    ['no scenario', ['run'], /no scenarios given; name some, or use --all/],
    ['a flag that is not a number', ['run', 'good', '--repeat', 'many'], /--repeat.*whole number/],
    ['a flag that is too large', ['run', 'good', '--repeat', '99999999999999999999'], /--repeat.*from 1 to 1000000/],
    [
      'too many cells',
      ['run', 'good', '--agents', 'mock', '--models', 'a,b', '--repeat', '600000'],
      /more than 1000000 cells/,
    ],
    ['a flag that is empty', ['run', 'good', '--results', ''], /--results <folder>' is empty/],
    ['a folder in which none can be created', ['init', '/proc/llm-tool-test'], /nothing was written.*ENOENT/],
    ['no port', ['view', '--port', '70000'], /--port.*from 0 to 65535/],
    ['an unknown flag', ['run', 'good', '--agent', 'mock'], /unknown option '--agent'/],
    ['an unknown verb', ['rnu'], /unknown command 'rnu'/],
    ['an unknown id', ['show', '20200101-000000-0000'], /no sweep or run '20200101-000000-0000'/],
    ['--detach in CI', ['run', 'good', '--detach'], /--detach cannot be used in CI/],
    ['a missing target binary', ['run', 'good', '--target-binary', './none'], /\.\/none.*not found/],
  ])('%s: exit 2 with a message, without a stack', async (_name, args, says) => {
    await project.write('fixtures/bare.yaml', scenario('bare'));
    const { exitCode, stdout, stderr } = await project.cli([...args, '--json'], {
      CI: args.includes('--detach') ? '1' : '',
    });
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(says);
    expect(stderr).not.toMatch(/^\s+at .*\(/m);
    expect(JSON.parse(stdout)).toHaveProperty('error.message');
  });

  test('an error of usage names the help instead of printing it, so that it stays on the screen', async () => {
    const { stderr } = await project.cli(['run', 'good', '--agent', 'mock']);
    expect(stderr.trim().split('\n')).toEqual([
      "error: unknown option '--agent'",
      '(Did you mean --agents?)',
      expect.stringMatching(/^All options: `.*llm-tool-test run --help`$/),
    ]);
  });

  test('a missing env file is named', async () => {
    const { exitCode, stderr } = await project.cli(['run', 'good', '--env-file', 'none.env']);
    expect(stderr).toMatch(/--env-file none\.env/);
    expect(exitCode).toBe(2);
  });

  test('a results folder that cannot be written is refused before anything runs', async () => {
    await writeFile(join(project.folder, 'a-file'), '');
    const { exitCode, stderr } = await project.cli(['run', 'good', '--results', 'a-file']);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/a-file is not a folder/);
    const inside = await project.cli(['run', 'good', '--results', 'a-file/below']);
    expect(inside.exitCode).toBe(2);
    const readOnly = await project.cli(['run', 'good', '--results', '/proc/llm-tool-test']);
    expect(readOnly.exitCode).toBe(2);
    expect(readOnly.stderr).toMatch(/\/proc/);
  });

  test('a Temporal server that does not answer exits with 3 and names its address', async () => {
    const { exitCode, stderr } = await project.cli(['run', 'good', '--address', '127.0.0.1:1']);
    expect(exitCode).toBe(3);
    expect(stderr).toMatch(/127\.0\.0\.1:1 does not answer/);
  });

  test('show names a truncated record of a run and exits with 2', async () => {
    await project.write('llm-tool-test-results/cut-run/artifacts/run.json', '{"schema_version": 1,');
    const { exitCode, stderr } = await project.cli(['show', 'cut-run']);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/cut-run\/artifacts\/run\.json cannot be read/);
    expect(stderr).not.toMatch(/^\s+at .*\(/m);
  });

  test('a corrupt line in results.jsonl is skipped with a warning, and nothing else is lost', async () => {
    const first = await project.run(['good']);
    expect(first.exitCode).toBe(0);
    await writeFile(join(project.results, 'results.jsonl'), '{"half a line', { flag: 'a' });
    const { exitCode, stderr } = await project.run(['good']);
    expect(exitCode).toBe(0);
    expect(stderr).toMatch(/results\.jsonl:2: skipped this line: not JSON/);
    const shown = await project.cli(['show', first.document.sweep, '--json']);
    expect(JSON.parse(shown.stdout)).toMatchObject({ totals: { passed: 1 } });
  });
});
