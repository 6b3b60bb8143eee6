import { expect, it, onTestFinished } from 'vitest';
import { createProject, EMPTY_FIXTURE, scenario } from './project.js';

it('names each part of a scenario that does not fit into a task folder, and writes nothing', async () => {
  const gates = ['{type: file_matches, path: a.txt, pattern: x}', '{type: file_exists, path: a.txt}'];
  const project = await createProject({ ...EMPTY_FIXTURE, 'fixtures/local.yaml': scenario('local', { gates }) });
  onTestFinished(() => project.remove());
  const { exitCode, stderr } = await project.cli(['export', 'local', '--task', 'tasks/local']);
  expect(exitCode).toBe(2);
  expect(stderr).toContain('local.yaml does not fit into a task folder in 2 parts');
  expect(stderr).toContain('a task runs in a container; set environment.type to docker');
  expect(stderr).toMatch(/local\.yaml:8:\d+.*file_matches cannot be written as a line of sh/);
  await expect(project.read('tasks/local/task.toml')).rejects.toThrow();
});

it('expects a form', async () => {
  const project = await createProject({});
  onTestFinished(() => project.remove());
  const { exitCode, stderr } = await project.cli(['export', 'latest']);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining('expected --harbor <folder> or --task <folder>')]);
});
