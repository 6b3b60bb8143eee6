import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createProject, type TestProject } from '../commands/project.js';

let project: TestProject;
beforeAll(async () => {
  project = await createProject({
    'promptfoo/promptfooconfig.yaml': 'prompts: [Hi]\nproviders: [echo]\n',
    'other/suite.yaml': 'prompts: [Hi]\nproviders: [echo]\n',
    'skill/evals.json': '{}',
    'inspect/arc.py': 'from inspect_ai import Task\n',
    'log/one.eval': 'PK',
    'pytest/test_a.py': 'def test_a(): pass\n',
    'vitest/a.test.ts': '',
    'empty/.gitkeep': '',
  });
});
afterAll(() => project.remove());

describe('the files of another tool in a folder without scenarios', () => {
  test.each([
    [
      'promptfoo',
      'promptfoo/promptfooconfig.yaml is a config of promptfoo; import it with `llm-tool-test import promptfoo/promptfooconfig.yaml`',
    ],
    ['other', 'other/suite.yaml is a config of promptfoo; import it'],
    ['skill', 'skill/evals.json is evals of a skill; import it'],
    ['inspect', 'inspect/arc.py is a task of Inspect; write a scenario with its prompt'],
    ['log', 'log/one.eval is a log of Inspect'],
    ['pytest', 'pytest/test_a.py is a test of pytest; a gate of type script can run it'],
    ['vitest', 'vitest/a.test.ts is a test of JavaScript; scenarios can be among these tests'],
    ['empty', 'create a first scenario with `llm-tool-test init`'],
  ])('%s', async (folder, hint) => {
    const { exitCode, stderr } = await project.cli(['run', folder]);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(hint)]);
  });
});

test('a name that is not found in a folder without scenarios says where it looked, and what to do', async () => {
  const { exitCode, stderr } = await project.cli(['run', 'hello']);
  expect(exitCode).toBe(2);
  expect(stderr).toContain(
    "scenario 'hello' was not found as a path or in fixtures; there is no folder fixtures; create a first scenario with `llm-tool-test init`",
  );
});
