import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createProject, EMPTY_FIXTURE, scenario, type TestProject } from './project.js';

let project: TestProject;
beforeAll(async () => {
  project = await createProject({
    ...EMPTY_FIXTURE,
    'fixtures/plain.yaml': scenario('plain', { gates: ['{type: file_exists, path: README.md}'], steps: [] }),
  });
});
afterAll(() => project.remove());

const ann = { LLM_TOOL_TEST_OWNER: 'ann' };
const entries = async (): Promise<Record<string, unknown>[]> =>
  (JSON.parse((await project.cli(['audit', '--json'])).stdout) as { entries: Record<string, unknown>[] }).entries;

test('lists who started, retried, regraded and cleaned what, from before it was done', async () => {
  expect((await project.cli(['audit'])).stdout).toBe('nothing was done yet');
  const { document } = await project.run(['plain', '--agents', 'mock'], ann);
  const { sweep } = document;
  await project.cli(['retry', sweep, '--cell', document.cells[0]?.id ?? ''], { LLM_TOOL_TEST_OWNER: 'bob' });
  await project.cli(['regrade', sweep], ann);
  await project.cli(['clean', '--older-than', '30d'], ann);
  const done = await entries();
  expect(done.map(({ who, verb }) => [who, verb])).toEqual([
    ['ann', 'start'],
    ['bob', 'retry'],
    ['ann', 'regrade'],
    ['ann', 'clean'],
  ]);
  expect(done[0]).toMatchObject({ schema_version: 1, sweep });
  expect(done[3]).toMatchObject({ older_than: '30d' });
  const { stdout } = await project.cli(['audit', '--limit', '2']);
  expect(stdout).toMatch(/ann +regrade +\S+\n.*ann +clean +older than 30d\n\n2 older; show all with --limit 4$/);
  // `clean` knows the entries, and leaves them.
  const { stdout: cleaned } = await project.cli(['clean', '--older-than', '0d', '--dry-run', '--json'], ann);
  expect(JSON.parse(cleaned)).toMatchObject({ kept: { strangers: [] } });
  expect(await readdir(join(project.results, 'audit'))).toHaveLength(4);
});
