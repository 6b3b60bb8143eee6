import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { untilLines } from './engine-parts.js';
import { createProject, EMPTY_FIXTURE, openRun, scenario, type TestProject } from './project.js';

const ENV =
  "{STAGE: '${STAGE}', BRANCH: '${BRANCH}', PROVIDER: '${PROVIDER}', PART: '${PART}', DATA: '${DATA}', KEY: '${KEY}'}";
/** Values that equal names in the sweep; PART is a part of the agent's and scenarios' names, DATA a fixture file. */
const NAMES = {
  STAGE: 'default',
  BRANCH: 'nightly',
  PROVIDER: 'openai',
  PART: 'counting',
  DATA: 'customers.csv',
};
const SHELL = { ...NAMES, KEY: 'a-real-secret-of-this-shell' };

let project: TestProject;

beforeAll(async () => {
  project = await createProject({ ...EMPTY_FIXTURE, 'fixtures/empty/customers.csv': 'a,b\n' });
  await project.write(
    'llm-tool-test-config.toml',
    [
      '[agents.counting-agent]',
      'command = "sh"',
      `args = ["-c", "echo x >> ${project.folder}/starts; echo $STAGE $BRANCH $PROVIDER $PART $DATA $KEY; echo counting > made"]`,
      'free = true',
      "models = ['default', 'openai/gpt-5']",
      '',
    ].join('\n'),
  );
  for (const name of ['counting-one', 'counting-two'])
    await project.write(
      `fixtures/${name}.yaml`,
      scenario(name, {
        target: `{binary: cat, env: ${ENV}}`,
        gates: ['{type: file_exists, path: made}', '{type: file_exists, path: customers.csv}'],
        more: 'tags: [nightly]\nmatrix: {repeat: 3}',
      }),
    );
});
afterAll(() => project.remove());

test('values that equal names cause no lost result and no second start, and a warning names their variables', async () => {
  const args = ['--agents', 'counting-agent', '--name', 'nightly', '--no-cache', '--all'];
  const { document, exitCode, stderr } = await project.run(args, SHELL);
  expect([exitCode, document.totals.cells, document.totals.passed]).toEqual([0, 12, 12]);
  await untilLines(project, 'starts', 12);
  expect((await project.read('starts')).trim().split('\n')).toHaveLength(12);

  const lines = await project.resultLines();
  expect(lines.map(({ cell }) => cell).sort()).toEqual(document.cells.map(({ id }) => id).sort());
  for (const line of lines) {
    expect(line.sweep).toMatch(/^nightly-[0-9a-f]{12}$/);
    expect(line).toMatchObject({ agent: 'counting-agent', variant: 'default', attempts: 1, outcome: 'pass' });
    expect(['default', 'openai/gpt-5']).toContain(line.model);
    expect(line.scenario_id).toMatch(/^counting-(?:one|two)$/);
  }

  for (const [variable, named] of [
    ['STAGE', 'a variant'],
    ['BRANCH', 'the sweep'],
    ['PROVIDER', 'a model'],
    ['DATA', 'a file of the fixture'],
  ])
    expect(stderr).toContain(
      `warning: the value of ${variable} is not redacted because it is also the name of ${named}`,
    );
  expect(stderr).not.toMatch(/the value of (?:PART|KEY)/);
  expect(stderr).not.toContain(SHELL.KEY);
});

test('names stay readable in the record; a value that is only a part of a name is masked, but only in text', async () => {
  const [first] = await project.resultLines();
  const { run, metrics, text } = await openRun({
    cells: [{ results_dir: join(project.results, first?.results_dir ?? '') }],
  } as never);
  expect(run).toMatchObject({
    run_id: first?.id,
    sweep: first?.sweep,
    cell: first?.cell,
    agent_name: 'counting-agent',
    scenario: { name: first?.scenario_id, tags: ['nightly'] },
  });
  expect(run.workflow_id).toContain(`sweep/${first?.sweep ?? ''}/${first?.cell ?? ''}`);
  expect(run.scenario.file).toContain(first?.scenario_id);
  expect(metrics.details.map(({ subject }) => subject)).toContain('customers.csv');
  const transcript = await text('artifacts/transcript.raw.txt');
  expect(transcript).toContain('default nightly openai [REDACTED] customers.csv [REDACTED]');
  expect(await text('fixture/made')).toBe('[REDACTED]\n');
  expect(await text('fixture/customers.csv')).toBe('a,b\n');
});
