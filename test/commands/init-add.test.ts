import { afterEach, expect, test } from 'vitest';
import { createProject, type TestProject } from './project.js';

let project: TestProject;
afterEach(() => project.remove());

const CONFIG = 'fixtures_path = "scenarios"\n[limits]\nconcurrency = 2';
const open = async (files: Record<string, string> = {}) =>
  (project = await createProject({ 'llm-tool-test-config.toml': CONFIG, 'scenarios/.gitkeep': '', ...files }));

test.each([
  ['skill', 'scenarios/invoice_totals.yaml', []],
  ['mcp', 'scenarios/order_lamps.yaml', []],
  ['eliza', 'scenarios/shopping.scenario.yaml', ['llm-tool-test-config.toml']],
  ['acp', 'scenarios/lamp_list.yaml', ['llm-tool-test-config.toml']],
  ['harbor', 'scenarios/greeting/task.toml', []],
])('init --add %s adds valid scenarios to the fixtures folder of the project', async (name, file, changed) => {
  await open();
  const { exitCode, stdout, stderr } = await project.cli(['init', '--add', name, '--json']);
  expect([exitCode, stderr]).toEqual([0, '']);
  const added = JSON.parse(stdout) as { files: string[]; changed: string[] };
  expect(added.files).toContain(file);
  expect(added.files).not.toContain('llm-tool-test-config.toml');
  expect(added.changed).toEqual(changed);
  expect(await project.read('llm-tool-test-config.toml')).toMatch(CONFIG);
  const valid = await project.cli(['validate', '--json']);
  expect(JSON.parse(valid.stdout), valid.stderr).toMatchObject({ valid: true });
});

test('what was added runs with the agent that was added', async () => {
  await open();
  await project.cli(['init', '--add', 'acp']);
  const { document, stderr } = await project.run(['lamp_list']);
  expect(document.cells, stderr).toMatchObject([{ agent: 'acp-stand-in', outcome: 'pass' }]);
});

test('nothing is added to a project that has it already', async () => {
  await open({ 'scenarios/invoice_totals.yaml': 'mine\n' });
  const taken = await project.cli(['init', '--add', 'skill']);
  expect([taken.exitCode, taken.stderr]).toEqual([2, expect.stringContaining('scenarios/invoice_totals.yaml')]);
  expect(await project.read('scenarios/invoice_totals.yaml')).toBe('mine\n');
  await project.write('llm-tool-test-config.toml', '[agents.stand-in]\ncommand = "true"\n');
  const known = await project.cli(['init', '--add', 'eliza']);
  expect([known.exitCode, known.stderr]).toEqual([2, expect.stringContaining('has an agent stand-in')]);
});

test('a folder that is in no project is refused with the command that makes one', async () => {
  project = await createProject({});
  const { exitCode, stderr } = await project.cli(['init', '--add', 'skill']);
  expect(exitCode).toBe(2);
  expect(stderr).toContain('create one with `llm-tool-test init --template skill`');
});
