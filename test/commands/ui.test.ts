import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SweepDocument } from '../../src/results/records/sweep-document.js';
import { createProject, EMPTY_FIXTURE, scenario, type TestProject } from './project.js';

const FILES = { ...EMPTY_FIXTURE, 'fixtures/small.yaml': scenario('small', { steps: ['say: x'] }) };

describe('ui of an engine of ours', { timeout: 180_000 }, () => {
  let project: TestProject;
  beforeAll(async () => {
    project = await createProject(FILES, { ownServer: true });
  });
  afterAll(() => project.remove());

  test('brings it up and prints where it is; of a sweep and a run, the page of their workflows', async () => {
    const { exitCode, stdout } = await project.cli(['ui']);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(await (await fetch(stdout)).text()).toContain('<html');

    const { document } = await project.run(['small']);
    const sweep = await project.cli(['ui', 'latest', '--json']);
    expect(JSON.parse(sweep.stdout)).toEqual({ ui_url: document.ui_url });
    const run = document.cells[0]?.results_dir?.split('/').at(-1) ?? '';
    const page = (await project.cli(['ui', run])).stdout;
    expect(page.startsWith(stdout)).toBe(true);
    expect(decodeURIComponent(page)).toContain(`/workflows/sweep/${document.sweep}/small/mock/`);
  });
});

describe('ui of a server that was given', () => {
  let project: TestProject;
  let document: SweepDocument;
  beforeAll(async () => {
    project = await createProject(FILES);
    ({ document } = await project.run(['small']));
  });
  afterAll(() => project.remove());

  test('cannot tell where its pages are, and says what to look for: exit 3', async () => {
    const { exitCode, stdout, stderr } = await project.cli(['ui', document.sweep, '--json']);
    expect(exitCode).toBe(3);
    expect(stderr).toContain(`for the workflow sweep/${document.sweep}, in the namespace default`);
    expect(JSON.parse(stdout)).toHaveProperty('error.code', 'infrastructure');
    expect((await project.cli(['ui'])).stderr).toMatch(/for the namespace default/);
  });

  test('an unknown id is told before anything is started: exit 2', async () => {
    const { exitCode, stderr } = await project.cli(['ui', 'nonesuch']);
    expect([exitCode, stderr]).toEqual([2, expect.stringMatching(/no sweep or run 'nonesuch'/)]);
  });
});
