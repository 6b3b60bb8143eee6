import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createProject, EMPTY_FIXTURE, scenario, type TestProject } from './project.js';

let project: TestProject;
const steps = ['say: x'];

beforeAll(async () => {
  project = await createProject({
    ...EMPTY_FIXTURE,
    'fixtures/orders.yaml': scenario('orders_report', { steps }),
    'fixtures/quoted.yml': scenario('"the quoted" # one', { steps }),
    'fixtures/flow.yaml': [
      '{ name: flowing, description: d,',
      '  template_folder: empty, target: {binary: cat},',
      '  task: {prompt: x}, evaluation: {gates: []}, mock: {steps: [{say: x}]} }\n',
    ].join('\n'),
    'fixtures/twice.yaml': scenario('other', { steps }),
    'fixtures/sub/named.yaml': scenario('twice', { steps }),
    'fixtures/sub/broken.yaml': `${scenario('broken_one', { steps })}tsak: {}\n`,
    'fixtures/group/a.yaml': scenario('in_group', { steps }),
    'fixtures/grouped.yaml': scenario('group', { steps }),
    'fixtures/empty/data.yaml': 'name: not_a_scenario\n',
  });
});
afterAll(() => project.remove());

const planned = async (name: string): Promise<string[]> => {
  const { stdout, stderr } = await project.cli(['run', name, '--dry-run', '--json']);
  expect(stderr).toBe('');
  return (JSON.parse(stdout) as { scenarios: { name: string }[] }).scenarios.map((one) => one.name);
};
const refusal = async (name: string): Promise<string> => {
  const { exitCode, stdout, stderr } = await project.cli(['run', name, '--dry-run', '--json']);
  expect(exitCode).toBe(2);
  expect(JSON.parse(stdout)).toMatchObject({ error: {} });
  return stderr;
};

describe('a scenario can be named', () => {
  test.each([
    ['its name, as `scenarios` prints it', 'orders_report', 'orders_report'],
    ['the name of its file', 'orders', 'orders_report'],
    ['a quoted name with a blank', 'the quoted', 'the quoted'],
    ['a name in flow style', 'flowing', 'flowing'],
    ['its path', 'fixtures/sub/named.yaml', 'twice'],
  ])('by %s', async (_how, name, found) => {
    expect(await planned(name)).toEqual([found]);
  });

  test('although another file, such as its tool, has that name', async () => {
    await project.write('orders', '#!/bin/sh\n', 0o755);
    expect(await planned('orders')).toEqual(['orders_report']);
  });

  test('by its name also if it is not valid, which is reported', async () => {
    expect(await refusal('broken_one')).toMatch(/sub\/broken\.yaml:\d+:1 tsak: unknown key/);
  });

  test('only if the name is unambiguous', async () => {
    expect(await refusal('twice')).toContain(
      "'twice' could mean fixtures/twice.yaml or fixtures/sub/named.yaml; name one of these paths",
    );
    expect(await refusal('group')).toContain("'group' could mean fixtures/grouped.yaml or fixtures/group;");
  });

  test('by nothing else; a similar name is suggested', async () => {
    expect(await refusal('order_report')).toContain("; did you mean 'orders_report'?");
    expect(await refusal('not_a_scenario')).toContain("'not_a_scenario' was not found");
  });
});
