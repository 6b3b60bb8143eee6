import { expect, it, onTestFinished } from 'vitest';
import { createProject } from './project.js';

it('refuses files that are no task folders', async () => {
  const project = await createProject({
    'fixtures/a.yaml': 'name: a\ntask: {prompt: x}\nevaluation: {gates: [{type: file_exists, path: x}]}\n',
  });
  onTestFinished(() => project.remove());
  const { exitCode, stderr } = await project.cli(['validate', 'fixtures/a.yaml', '--tasks']);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining('fixtures/a.yaml is no task folder')]);
});
