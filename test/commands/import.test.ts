import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createProject, type TestProject } from './project.js';

let project: TestProject;
const EVALS = {
  skill_name: 'stamp',
  evals: [
    { id: 1, prompt: 'Stamp a.txt.', expected_output: 'A stamped file', files: ['evals/files/a.txt'] },
    { id: 'two', prompt: 'Stamp nothing.' },
  ],
};
beforeAll(async () => {
  project = await createProject({
    'skills/stamp/SKILL.md': '---\nname: stamp\ndescription: Stamps documents.\n---\n',
    'skills/stamp/evals/files/a.txt': 'a\n',
    'skills/stamp/evals/evals.json': JSON.stringify(EVALS),
    'prompts.csv': 'prompt,should_trigger\nStamp it,true\nSort it,false\n',
  });
});
afterAll(() => project.remove());

test('the evals of a skill become scenarios that validate, with its files', async () => {
  const { exitCode, stdout } = await project.cli(['import', 'skills/stamp/evals/evals.json', '--json']);
  expect(exitCode).toBe(0);
  expect(JSON.parse(stdout)).toEqual({
    skill: 'skills/stamp',
    scenarios: ['fixtures/stamp-1.yaml', 'fixtures/stamp-two.yaml'],
  });
  expect(await project.read('fixtures/stamp-1/evals/files/a.txt')).toBe('a\n');
  const env = { LLM_TOOL_TEST_JUDGE: 'openai/x' };
  const valid = await project.cli(['validate', '--json'], env);
  expect(JSON.parse(valid.stdout), valid.stderr).toMatchObject({ valid: true });
  const dry = await project.cli(['run', 'stamp-1', '--agents', 'mock', '--dry-run', '--json'], env);
  expect(JSON.parse(dry.stdout)).toMatchObject({
    scenarios: [{ variant: 'with', gates: 1 }, { variant: 'without' }],
  });
});

test('nothing is overwritten without --force', async () => {
  await project.cli(['import', 'prompts.csv', '--skill', 'skills/stamp', '--out', 'more']);
  await project.write('more/stamp-1.yaml', 'mine\n');
  const args = ['import', 'prompts.csv', '--skill', 'skills/stamp', '--out', 'more'];
  const refused = await project.cli(args);
  expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining('more/stamp-1.yaml')]);
  expect(await project.read('more/stamp-1.yaml')).toBe('mine\n');
  expect((await project.cli([...args, '--force'])).exitCode).toBe(0);
  expect(await project.read('more/stamp-1.yaml')).toContain('skill_used');
});

test('a suite with problems is refused with their places, and nothing is written', async () => {
  await project.write(
    'skills/stamp/evals/bad.json',
    '{"evals": [\n {"id": "A", "prompt": "x", "files": ["gone.txt"]},\n {"id": "a", "prompt": "y"}]}',
  );
  const { exitCode, stderr } = await project.cli(['import', 'skills/stamp/evals/bad.json', '--out', 'none']);
  expect(exitCode).toBe(2);
  expect(stderr).toContain("skills/stamp/evals/bad.json:2:39 evals[0].files[0]: 'gone.txt' was not found");
  expect(stderr).toContain('skills/stamp/evals/bad.json:3:9 evals[1].id: another case is also named stamp-a');
  expect(existsSync(join(project.folder, 'none'))).toBe(false);
  expect((await project.cli(['import', 'prompts.csv'])).stderr).toContain('--skill');
});
