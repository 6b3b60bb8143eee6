import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createProject, documentOf, EMPTY_FIXTURE, scenario, type TestProject } from './project.js';

let project: TestProject;

/** Counts the starts of the agent: it writes a line at each start. */
const starts = async (): Promise<number> => {
  const text = await project.read('starts').catch(() => '');
  return text.split('\n').length - 1;
};
const failing = scenario('never', {
  gates: ['{type: file_exists, path: never.md}'],
  more: 'tool_matrix: [{tool: own}]',
});

beforeAll(async () => {
  project = await createProject({
    ...EMPTY_FIXTURE,
    'llm-tool-test-config.toml': '[agents.own]\ncommand = "./agent.sh"\nfree = true\n',
    'fixtures/never.yaml': failing,
    'fixtures/other.yaml': failing.replaceAll('never', 'other'),
  });
  // 127: the agent could not work, which is an error.
  const agent = `echo start >> ${project.folder}/starts; [ ! -e ${project.folder}/broken ] || exit 127`;
  await project.write('agent.sh', `#!/bin/sh\n${agent}\n`, 0o755);
});
afterAll(() => project.remove());

describe('run --cell', () => {
  test('runs only the named cells of the selection, by id or label', async () => {
    const { document } = await project.run([
      ...['never', 'other', '--repeat', '3', '--no-cache'],
      ...['--cell', 'never/own/default/default/2', '--cell', 'never own/default', '--cell', 'never own/default #3'],
    ]);
    expect(document.cells.map(({ id }) => id)).toEqual(
      [1, 2, 3].map((repetition) => `never/own/default/default/${repetition}`),
    );
    const plan = await project.read(`llm-tool-test-results/sweeps/${document.sweep}/plan.json`);
    expect(JSON.parse(plan)).toMatchObject({ scenarios: [{ name: 'never' }] });
    expect(plan).not.toContain('other.yaml');
  });

  test.each([
    ['nevr/own/default/default/1', "did you mean 'never/own/default/default/1'?"],
    ['never own/default #9', "did you mean 'never own/default"],
    ['x', 'Cells: never/own/default/default/1, never/own/default/default/2'],
  ])('starts nothing for the unknown cell %s', async (name, hint) => {
    const before = await starts();
    const args = ['run', 'never', '--repeat', '2', '--no-cache', '--cell', name];
    const { exitCode, stdout, stderr } = await project.cli([...args, '--json']);
    expect(exitCode).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'unknown_cell', problems: [] } });
    expect(stderr).toContain(hint);
    expect(await starts()).toBe(before);
  });
});

describe('retry', () => {
  let sweep: string;
  beforeEach(async () => {
    ({ sweep } = (await project.run(['never', '--repeat', '3', '--no-cache'])).document);
  });

  test('--cell reruns exactly the named cell, and lists only that', async () => {
    const before = await starts();
    const { exitCode, stdout, stderr } = await project.cli(['retry', sweep, '--cell', 'never own/default #2']);
    expect([exitCode, await starts()]).toEqual([1, before + 1]);
    expect(stderr.match(/^\[.*$/gm)).toEqual([expect.stringMatching(/^\[3\/3\] fail {3}never own\/default #2/)]);
    expect(stdout).toContain('3 cells: 3 failed');
  });

  test('--failed lists the rerun cells, and no line of the round before', async () => {
    const { stderr } = await project.cli(['retry', sweep, '--failed']);
    expect(stderr.match(/^\[\d\/3\]/gm)).toEqual(['[1/3]', '[2/3]', '[3/3]']);
  });

  test('--cell with an unknown cell changes nothing', async () => {
    const before = await starts();
    const { exitCode, stderr } = await project.cli(['retry', sweep, '--cell', 'never/own/default/default/4']);
    expect(stderr).toMatch(/^error: no cell 'never\/own\/default\/default\/4'; did you mean/);
    expect([exitCode, await starts()]).toEqual([2, before]);
    expect((await project.cli(['show', sweep])).stdout).not.toContain('running');
  });

  test('--cell cannot be combined with --failed or --now', async () => {
    for (const other of ['--failed', '--now'])
      expect((await project.cli(['retry', sweep, '--cell', 'x', other])).exitCode).toBe(2);
  });
});

test('retry takes an error from the cache if another sweep has its result, and retry --cell does not', async () => {
  await project.write('broken', '');
  const args = ['other', '--repeat', '2'];
  const { document } = await project.run(args);
  expect(document.totals.errored).toBe(2);
  await rm(join(project.folder, 'broken'));
  await project.run(args);

  const before = await starts();
  const cell = document.cells[0]?.id ?? '';
  const named = documentOf((await project.cli(['retry', document.sweep, '--cell', cell, '--json'])).stdout);
  expect([named.totals, await starts()]).toMatchObject([{ failed: 1, errored: 1, cached: 0 }, before + 1]);
  const rest = documentOf((await project.cli(['retry', document.sweep, '--json'])).stdout);
  expect([rest.totals, await starts()]).toMatchObject([{ failed: 2, cached: 1 }, before + 1]);
});
