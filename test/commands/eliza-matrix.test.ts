import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Comparison } from '../../src/decide/comparison/document.js';
import { createProject, documentOf, type TestProject } from './project.js';

/** Prints our own events: it calls the tools that its prompt names, one after the other, and repeats the prompt. */
const AGENT = `
const prompt = require('fs').readFileSync(0, 'utf8').trim();
const print = (event) => console.log(JSON.stringify(event));
for (const name of prompt.split(' '))
  print({ type: 'tool_call', id: name, name, input: null, command: null });
print({ type: 'usage', input: prompt.length, output: 1, reasoning: 0, cache_read: 0, cache_write: 0, cost_usd: 0 });
print({ type: 'message', role: 'assistant', text: prompt });
print({ type: 'result', ending: 'done', exit_code: 0 });
`;

const CONFIG = `[agents.caller]
command = "node"
args = ["-e", ${JSON.stringify(AGENT)}]
prompt = "stdin"
output = "jsonl"
free = true

[agents.keyed]
command = "sh"
args = ["-c", "echo token of $TOKEN"]
prompt = "stdin"
output = "text"
free = true
env = { TOKEN = "\${TOKEN}" }
`;

/** A scenario whose runs wait in a folder until so many of them have begun. */
const meeting = (folder: string, runs: number) => `name: meeting
setup:
  mocks: [{command: gh, response: mocked}]
run:
  - name: meet
    code: |
      echo begin >> ${folder}/log
      mktemp ${folder}/run.XXXXXX
      until [ "$(ls ${folder} | grep -c '^run')" -ge ${runs} ]; do sleep 0.02; done
      gh
      echo end >> ${folder}/log
    evaluations: [{type: string_contains, value: mocked}]
`;

let project: TestProject;
beforeAll(async () => {
  project = await createProject({ 'llm-tool-test-config.toml': CONFIG });
});
afterAll(() => project.remove());

const matrix = async (name: string, text: string, ...args: string[]) => {
  await project.write(`${name}.matrix.yaml`, `name: ${name}\n${text}`);
  return project.cli(['scenario', 'matrix', `${name}.matrix.yaml`, '--json', ...args]);
};

test('`scenario run` and `scenario matrix` read variables from --env-file', async () => {
  await project.write('keys.env', 'TOKEN=bob\n');
  await project.write(
    'keyed.scenario.yaml',
    'name: keyed\nagent: keyed\nrun: {input: hi}\nevaluations: [{type: string_contains, value: token of bob}]\n',
  );
  const { exitCode } = await project.cli(['scenario', 'run', 'keyed.scenario.yaml', '--env-file', 'keys.env']);
  expect(exitCode).toBe(0);
  const text = 'base_scenario: keyed.scenario.yaml\nmatrix: [{parameter: run.input, values: [one, two]}]\n';
  const all = await matrix('keyed', text, '--env-file', 'keys.env');
  expect(documentOf(all.stdout).cells.map(({ outcome }) => outcome)).toEqual(['pass', 'pass']);
});

describe('`scenario matrix --parallel`', () => {
  test('runs as many runs of different combinations at the same time as asked, each with its mocks', async () => {
    const folder = join(project.folder, 'together');
    await project.write('together/log', '');
    await project.write('together.scenario.yaml', meeting(folder, 3));
    const { exitCode, stdout } = await matrix(
      'together',
      'base_scenario: together.scenario.yaml\nmatrix: [{parameter: "run[0].name", values: [a, b, c]}]\n',
      ...['--parallel', '3'],
    );
    // Each run waits until all three have begun, so none could end if they did not run at the same time.
    const { cells } = documentOf(stdout);
    expect(cells.map(({ outcome, variant }) => [outcome, variant.slice(0, 9)])).toEqual([
      ['pass', 'combo-001'],
      ['pass', 'combo-002'],
      ['pass', 'combo-003'],
    ]);
    expect(exitCode).toBe(0);
  });
  test('with 1 runs one after the other', async () => {
    const folder = join(project.folder, 'alone');
    await project.write('alone/log', '');
    await project.write('alone.scenario.yaml', meeting(folder, 1));
    const { exitCode } = await matrix(
      'alone',
      'base_scenario: alone.scenario.yaml\nmatrix: [{parameter: "run[0].name", values: [a, b, c]}]\n',
      ...['--parallel', '1'],
    );
    expect([exitCode, (await project.read('alone/log')).split('\n').slice(0, -1)]).toEqual([
      0,
      ['begin', 'end', 'begin', 'end', 'begin', 'end'],
    ]);
  });
});

test('a parameter can change the mocks, and every combination has its own', async () => {
  await project.write(
    'mocked.scenario.yaml',
    `name: mocked
setup:
  mocks:
    - {command: gh, response: first}
    - {command: gh, when: {args: [fail]}, error: {code: BROKEN, message: no network}}
run:
  - {code: 'gh; gh fail 2>&1; echo "status $?"', evaluations: []}
  - {code: gh, evaluations: [{type: regex_match, pattern: .}]}
`,
  );
  const { exitCode, stdout } = await matrix(
    'mocked',
    `base_scenario: mocked.scenario.yaml
matrix:
  - {parameter: 'setup.mocks[0].response', values: [one, two]}
  - {parameter: 'run[1].evaluations[0].pattern', values: [one, two]}
`,
  );
  expect(documentOf(stdout).cells.map(({ outcome }) => outcome)).toEqual(['pass', 'fail', 'fail', 'pass']);
  expect(exitCode).toBe(1);
  const first = documentOf(stdout).cells[0]?.results_dir ?? '';
  expect(await readFile(join(first, 'artifacts/executions.json'), 'utf8')).toContain(
    String.raw`"oneBROKEN: no network\nstatus 1\n"`,
  );
});

test('the exit status is 0 if all combinations passed, 1 if one failed, and 3 if one could not be tested', async () => {
  await project.write(
    'exits.scenario.yaml',
    'name: exits\nrun: [{code: "echo hi > hi.txt"}]\nevaluations: [{type: file_exists, path: hi.txt}]\n',
  );
  const exitOf = async (...values: string[]) => {
    const text = `base_scenario: exits.scenario.yaml\nmatrix: [{parameter: 'evaluations[0]', values: [${values.join(', ')}]}]\n`;
    return (await matrix('exits', text)).exitCode;
  };
  const [holds, fails] = ['{type: file_exists, path: hi.txt}', '{type: file_exists, path: no.txt}'];
  // Without an agent, its tokens are not known.
  const broken = '{type: max_tokens, max: 1}';
  expect(await exitOf(holds, holds)).toBe(0);
  expect(await exitOf(holds, fails)).toBe(1);
  expect(await exitOf(holds, broken)).toBe(3);
  expect(await exitOf(broken, fails)).toBe(1);
});

describe('results by parameter', () => {
  const INPUTS = `base_scenario: inputs.scenario.yaml
runs_per_combination: 2
matrix:
  - {parameter: 'run[0].input', values: [read write, read read]}
  - {parameter: 'run[0].evaluations[0].value', values: [write, read]}
`;
  test('contain tokens, tool calls and common trajectories, in every report', async () => {
    await project.write(
      'inputs.scenario.yaml',
      'name: inputs\nagent: caller\nrun: [{input: x, evaluations: [{type: string_contains, value: x}]}]\n',
    );
    const { stdout, exitCode } = await matrix('inputs', INPUTS);
    expect(exitCode).toBe(1);
    const { sweep, parameters } = documentOf(stdout);
    expect(parameters?.[1]).toMatchObject({
      parameter: 'run[0].input',
      value: 'read read',
      cells: 4,
      tested: 4,
      passed: 2,
      success_rate: 0.5,
      mean_tokens: 10,
      median_tokens: 10,
      mean_tool_calls: 2,
      median_cost_usd: 0,
      common_trajectories: [{ sequence: ['read', 'read'], count: 4, percentage: 1 }],
    });
    const summary = await project.read(`llm-tool-test-results/sweeps/${sweep}/summary.json`);
    expect((JSON.parse(summary) as { parameters: unknown }).parameters).toEqual(parameters);

    const shown = (await project.cli(['show', sweep])).stdout;
    expect(shown).toMatch(/run\[0\]\.input +"read read" +2\/4 +50% .* 10 \/ 10 +2 \/ 2/);
    expect(shown).toMatch(/run\[0\]\.input +"read read" +read ×2 +4 +100%/);
    for (const format of ['md', 'github', 'html', 'json']) {
      const { stdout: report } = await project.cli(['report', sweep, '--format', format]);
      expect([format, report]).toEqual([format, expect.stringMatching(/read ×2|"read",\s*"read"/)]);
    }
  });

  test('of two sweeps of the matrix are compared', async () => {
    await project.write(
      'inputs.scenario.yaml',
      'name: inputs\nagent: caller\nrun: [{input: x, evaluations: [{type: string_contains, value: x}]}]\n',
    );
    const many = INPUTS.replace('combination: 2', 'combination: 5');
    const base = documentOf((await matrix('inputs', many)).stdout).sweep;
    // From now on, the agent only reads.
    const changed = CONFIG.replace('.trim()', ".trim().replaceAll('write', 'read')");
    await project.write('llm-tool-test-config.toml', changed);
    const head = documentOf((await matrix('inputs', many)).stdout).sweep;

    const compared = JSON.parse((await project.cli(['compare', base, head, '--json'])).stdout) as Comparison;
    expect(
      compared.parameters?.map(({ parameter, value, base: before, head: after, verdict }) => [
        ...[parameter, value, `${before.passed}/${before.tested}`, `${after.passed}/${after.tested}`, verdict],
      ]),
    ).toEqual([
      ['run[0].input', 'read write', '10/10', '5/10', 'worse'],
      ['run[0].input', 'read read', '5/10', '5/10', 'no difference shown'],
      ['run[0].evaluations[0].value', 'write', '5/10', '0/10', 'worse'],
      ['run[0].evaluations[0].value', 'read', '10/10', '10/10', 'no difference shown'],
    ]);
    const { stdout } = await project.cli(['compare', base, head]);
    expect(stdout).toMatch(/by parameter +value +base +head/);
    expect(stdout).toMatch(/run\[0\]\.input +"read write" +10\/10 +5\/10 +-50 .* worse/);
  });
});
