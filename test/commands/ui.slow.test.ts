import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SavedQuery } from '../../src/sweeps/sweep-document.js';
import type { SweepDocument } from '../../src/decide/documents/sweep-document.js';
import { createProject, EMPTY_FIXTURE, scenario, type TestProject } from './project.js';

const FILES = { ...EMPTY_FIXTURE, 'fixtures/small.yaml': scenario('small', { steps: ['say: x'] }) };

describe('ui with a local server of the engine', { timeout: 180_000 }, () => {
  let project: TestProject;
  beforeAll(async () => {
    project = await createProject(FILES, { ownServer: true });
  });
  afterAll(() => project.remove());

  test('starts the engine and prints the address of the Web UI, or of the workflow of a sweep or run', async () => {
    const { exitCode, stdout } = await project.cli(['ui']);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(await (await fetch(stdout)).text()).toContain('<html');

    const { document } = await project.run(['small']);
    const sweep = await project.cli(['ui', 'latest', '--json']);
    const { ui_url, queries } = JSON.parse(sweep.stdout) as { ui_url: string; queries: SavedQuery[] };
    expect(ui_url).toBe(document.ui_url);
    expect(queries.map(({ query }) => query)).toEqual(
      ['fail', 'error', 'running'].map((outcome) => `SweepId = "${document.sweep}" AND Outcome = "${outcome}"`),
    );
    const listed = (await project.cli(['ui', 'latest'])).stderr;
    for (const { title, url } of queries) expect(listed).toContain(`${title}: ${url}`);
    const run = document.cells[0]?.results_dir?.split('/').at(-1) ?? '';
    const page = (await project.cli(['ui', run])).stdout;
    expect(page.startsWith(stdout)).toBe(true);
    expect(decodeURIComponent(page)).toContain(`/workflows/sweep/${document.sweep}/small/mock/`);
  });
});

describe('ui with a given server', () => {
  let project: TestProject;
  let document: SweepDocument;
  beforeAll(async () => {
    project = await createProject(FILES);
    ({ document } = await project.run(['small']));
  });
  afterAll(() => project.remove());

  test('exits with 3 since the address of the Web UI is unknown, and names the workflow and namespace to look for', async () => {
    const { exitCode, stdout, stderr } = await project.cli(['ui', document.sweep, '--json']);
    expect(exitCode).toBe(3);
    expect(stderr).toContain(`for the workflow sweep/${document.sweep}, in the namespace default`);
    expect(JSON.parse(stdout)).toHaveProperty('error.code', 'infrastructure');
    expect((await project.cli(['ui'])).stderr).toMatch(/for the namespace default/);
  });

  test('refuses an unknown id with exit 2 before anything is started', async () => {
    const { exitCode, stderr } = await project.cli(['ui', 'nonesuch']);
    expect([exitCode, stderr]).toEqual([2, expect.stringMatching(/no sweep or run 'nonesuch'/)]);
  });
});
