import { readdirSync, readFileSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SweepDocument } from '../../src/decide/documents/sweep-document.js';
import { createModelServer, type ModelServer } from './model-server.js';
import { answerQuestion } from './scripted-judge.js';
import { createProject, documentOf, openRun, REPOSITORY, type TestProject } from './project.js';

const FILES = join(REPOSITORY, 'test', 'commands', 'eliza');

/** An agent that calls one tool and answers, as our own events. */
const EVENTS = [
  { type: 'tool_call', id: '1', name: 'read_file', input: null, command: null },
  { type: 'tool_result', id: '1', output: '# Notes', is_error: false, exit_code: null, truncated: false },
  { type: 'usage', input: 10, output: 5, reasoning: 0, cache_read: 0, cache_write: 0, cost_usd: 0 },
  { type: 'message', role: 'assistant', text: 'In your notes: milk.' },
  { type: 'result', ending: 'done', exit_code: 0 },
].map((event) => JSON.stringify(event));

const CONFIG = `[agents.answerer]
command = "sh"
args = ["-c", '''cat >/dev/null; printf '%s\\n' ${EVENTS.map((event) => `'${event}'`).join(' ')}''']
prompt = "stdin"
output = "jsonl"
free = true
`;

let project: TestProject;
let server: ModelServer;
beforeAll(async () => {
  server = await createModelServer();
  server.script('judge', { sayTo: answerQuestion });
  const judge = `[judge]\nmodel = "house/judge"\n[providers.house]\nbase_url = "${server.address}/v1"\nfree = true\n`;
  project = await createProject({ 'llm-tool-test-config.toml': `${CONFIG}${judge}` });
  await cp(FILES, join(project.folder, 'files'), { recursive: true });
});
afterAll(async () => {
  await project.remove();
  await server.close();
});

const namesIn = (folder: string): string[] => readdirSync(join(FILES, folder)).sort();
/** The expectations in the comments of a file itself. */
const expectedIn = (path: string, word: string): string[] =>
  readFileSync(join(FILES, path), 'utf8')
    .split('\n')
    .flatMap((line) => (line.startsWith(`# ${word}: `) ? [line.slice(word.length + 4)] : []));

const outcomes = (document: SweepDocument) =>
  document.cells.map(({ scenario, outcome, message }) => [scenario, outcome, message]);

describe('files in the form of ElizaOS', () => {
  test('whose evaluations hold pass', async () => {
    const { exitCode, document } = await project.run(['files/pass']);
    const unmet = document.cells.filter(({ outcome }) => outcome !== 'pass');
    expect(unmet.map(({ scenario, message }) => [scenario, message])).toEqual([]);
    expect(document.cells).toHaveLength(namesIn('pass').length);
    expect(exitCode).toBe(0);
  });

  test('whose evaluations do not hold fail, with the reason that the file names', async () => {
    const { exitCode, document } = await project.run(['files/fail']);
    const expected = namesIn('fail').flatMap((name) => expectedIn(`fail/${name}`, 'expect'));
    expect(outcomes(document)).toEqual(
      document.cells.map(({ scenario }, index) => [
        scenario,
        'fail',
        expect.stringContaining(expected[index] ?? 'nothing') as string,
      ]),
    );
    expect(document.cells).toHaveLength(namesIn('fail').length);
    expect(exitCode).toBe(1);
  });

  test.each(namesIn('invalid'))('that are invalid are refused with all problems: %s', async (name) => {
    const { exitCode, stdout, stderr } = await project.cli(['run', `files/invalid/${name}`]);
    const file = `files/invalid/${name}`;
    const problems = stderr.split('\n').filter((line) => line.startsWith(`${file}:`));
    const expected = expectedIn(`invalid/${name}`, 'expect');
    expect(problems).toEqual(expected.map((problem) => expect.stringContaining(`${file}:${problem}`) as string));
    for (const message of expectedIn(`invalid/${name}`, 'expect-error')) expect(stderr).toContain(message);
    expect([exitCode, stdout]).toEqual([2, '']);
    if (expected.length === 0) return; // only the command line decides
    const validated = await project.cli(['validate', file]);
    expect(validated.stderr.split('\n').filter((line) => line.startsWith(`${file}:`))).toEqual(problems);
  });
});

test('a run without an agent says so, costs nothing, and lists its steps with their gates in order', async () => {
  const { document } = await project.run(['files/pass/moments.scenario.yaml', '--max-usd', '1']);
  const { run, metrics, text } = await openRun(document);
  expect(document).toMatchObject({ cost_usd: 0, cells: [{ agent: 'none', model: 'none', starts: 0 }] });
  expect(run).toMatchObject({
    schema_version: 1,
    target: null,
    agent: null,
    starts: 0,
    scenario: { prompt: null },
  });
  expect(run.steps.map(({ name }) => name)).toEqual([
    ...['prepare', 'command 1', 'gate 1', 'command 2', 'gate 2', 'gate 3', 'command 3', 'gate 4', 'report'],
  ]);
  expect(metrics.details.map(({ index, status }) => [index, status])).toEqual([
    ...[
      [0, 'pass'],
      [1, 'pass'],
      [2, 'pass'],
      [3, 'pass'],
    ],
  ]);
  expect(await text('report.md')).not.toMatch(/## (Prompt|Target|Agent)/);
});

test('another build of the target is refused where no scenario has a target', async () => {
  const { exitCode, stderr } = await project.cli(['run', 'files/pass/sh.scenario.yaml', '--target-binary', 'sh']);
  expect([exitCode, stderr]).toEqual([2, 'error: --target-binary has no effect: no selected scenario has a target']);
});

test('`scenario run` prints the verdict of each evaluation', async () => {
  const { exitCode, stdout } = await project.cli(['scenario', 'run', 'files/fail/one-of-two-steps.scenario.yaml']);
  expect(exitCode).toBe(1);
  expect(stdout).toMatch(
    /✗ fail +one-of-two-steps none\/none\n +✗ fail +string_contains two +the output does not contain/,
  );
  expect(stdout).toMatch(/✓ pass +string_contains two +the output contains "two"/);
});

describe('`scenario matrix`', () => {
  const MATRIX = `name: words
base_scenario: pass/bash.scenario.yaml
runs_per_combination: 2
matrix:
  - parameter: run[0].code
    values: [echo one, echo two]
  - parameter: run[0].evaluations[0].value
    values: [one, two]
`;
  test('runs every combination as a variant, the first parameter slowest', async () => {
    await project.write('files/words.matrix.yaml', MATRIX);
    const { exitCode, stdout } = await project.cli(['scenario', 'matrix', 'files/words.matrix.yaml', '--json']);
    const document = documentOf(stdout);
    expect(document.sweep).toMatch(/^words-/);
    expect(
      document.cells.map(({ variant, repetition, outcome }) => [variant.slice(0, 9), repetition, outcome]),
    ).toEqual([
      ...[
        ['combo-001', 1, 'pass'],
        ['combo-001', 2, 'pass'],
      ],
      ...[
        ['combo-002', 1, 'fail'],
        ['combo-002', 2, 'fail'],
      ],
      ...[
        ['combo-003', 1, 'fail'],
        ['combo-003', 2, 'fail'],
      ],
      ...[
        ['combo-004', 1, 'pass'],
        ['combo-004', 2, 'pass'],
      ],
    ]);
    expect(exitCode).toBe(1);

    expect(
      document.parameters?.map(({ parameter, value, tested, success_rate }) => [
        parameter,
        value,
        tested,
        success_rate,
      ]),
    ).toEqual([
      ['run[0].code', 'echo one', 4, 0.5],
      ['run[0].code', 'echo two', 4, 0.5],
      ['run[0].evaluations[0].value', 'one', 4, 0.5],
      ['run[0].evaluations[0].value', 'two', 4, 0.5],
    ]);
    const row = /run\[0\]\.code +"echo two" +2\/4 +50% /;
    expect((await project.cli(['show', document.sweep])).stdout).toMatch(row);
    expect((await project.cli(['report', document.sweep])).stdout).toMatch(
      /## By parameter[^]*\| run\\\[0\\\]\.code \| "echo two" \| 2\/4 \| 50% /,
    );
  });
  test('lists the combinations that a filter selects, without running them', async () => {
    await project.write('files/words.matrix.yaml', MATRIX);
    const matrix = ['scenario', 'matrix', 'files/words.matrix.yaml'];
    const { exitCode, stdout } = await project.cli([...matrix, '--dry-run', '--filter', 'ECHO TWO', '--json']);
    expect([exitCode, JSON.parse(stdout)]).toEqual([
      0,
      {
        dry_run: true,
        combinations: ['one', 'two'].map((value, index) => ({
          id: expect.stringMatching(`^combo-00${index + 3}-[0-9a-f]{6}$`) as string,
          parameters: { 'run[0].code': 'echo two', 'run[0].evaluations[0].value': value },
        })),
      },
    ]);
    const none = await project.cli([...matrix, '--filter', 'three']);
    expect([none.exitCode, none.stderr]).toEqual([2, 'error: no combination matches --filter three']);
  });
  test('reports parameters that the scenario does not have, and values that do not fit, in the matrix file', async () => {
    const problemsOf = async (matrix: string): Promise<string[]> => {
      await project.write(
        'files/bad.matrix.yaml',
        `name: x\nbase_scenario: pass/bash.scenario.yaml\nmatrix:\n${matrix}`,
      );
      const { exitCode, stderr } = await project.cli(['scenario', 'matrix', 'files/bad.matrix.yaml']);
      expect(exitCode).toBe(2);
      return stderr.split('\n').filter((line) => line.startsWith('files/'));
    };
    expect(
      await problemsOf(
        '  - {parameter: "run[0].lang", values: [sh]}\n  - {parameter: "run[3].code", values: [x]}\n  - {parameter: names, values: [x]}\n',
      ),
    ).toEqual([
      'files/bad.matrix.yaml:4:17 matrix[0].parameter: run[0] has no field lang; its fields: code, evaluations',
      'files/bad.matrix.yaml:5:17 matrix[1].parameter: run has no item 3; it has 1',
      "files/bad.matrix.yaml:6:17 matrix[2].parameter: the scenario file has no field names; did you mean 'name'?",
    ]);
    expect(await problemsOf('  - {parameter: run, values: [3]}\n')).toHaveLength(1);
    expect(await problemsOf('  - {parameter: "run[0].code", values: [echo, 3]}\n')).toEqual([
      expect.stringContaining('files/bad.matrix.yaml:4:47 matrix[0].values[1]: run[0].code: expected the code to run'),
    ]);
    expect(await problemsOf('  - {parameter: "run[0]..code", values: []}\n')).toHaveLength(2);
  });
});
