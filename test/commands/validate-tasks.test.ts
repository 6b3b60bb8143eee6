import { expect, it, onTestFinished } from 'vitest';
import { createProject, EMPTY_FIXTURE, scenario } from './project.js';

it('refuses files that are no task folders', async () => {
  const project = await createProject({ ...EMPTY_FIXTURE, 'fixtures/a.yaml': scenario('a') });
  onTestFinished(() => project.remove());
  const { exitCode, stderr } = await project.cli(['validate', 'fixtures/a.yaml', '--tasks']);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining('fixtures/a.yaml is no task folder')]);
});
