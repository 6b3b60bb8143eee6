import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SweepSummary } from '../../src/decide/documents/sweep-list.js';
import { writePastSweep } from './past-sweep.js';
import { createProject, type TestProject } from './project.js';

let project: TestProject;
const list = async (...args: string[]): Promise<SweepSummary[]> => {
  const { stdout, exitCode } = await project.cli(['sweeps', '--json', ...args]);
  expect(exitCode).toBe(0);
  return (JSON.parse(stdout) as { sweeps: SweepSummary[] }).sweeps;
};

beforeAll(async () => {
  project = await createProject({});
});
afterAll(() => project.remove());

test('sweeps says that an empty results folder has no sweeps yet', async () => {
  expect(await list()).toEqual([]);
  expect((await project.cli(['sweeps'])).stdout).toMatch(/no sweeps yet/);
});

test('sweeps lists the newest first, whatever their names, with counts, cost, scenarios and agents', async () => {
  const { results } = project;
  const failing = (index: number) =>
    index === 0 ? ({ outcome: 'fail', cost_usd: 0.25 } as const) : { cost_usd: index === 1 ? 0.5 : null };
  writePastSweep(results, null, { id: 'zebra', daysAgo: 9, runs: 4, agents: ['a', 'b'], change: failing });
  writePastSweep(results, null, { id: 'apple', daysAgo: 1, runs: 2, open: true });
  writePastSweep(results, null, { id: 'mango', daysAgo: 5, change: () => ({ cached_from: 'x' }) });
  const sweeps = await list();
  expect(sweeps.map(({ id, status }) => [id, status])).toEqual([
    ['apple', 'open'],
    ['mango', 'completed'],
    ['zebra', 'completed'],
  ]);
  expect(sweeps[2]).toMatchObject({
    totals: { cells: 4, passed: 3, failed: 1, errored: 0, cancelled: 0, cached: 0 },
    cost_usd: 0.75,
    cost_unknown: 2,
    duration_secs: 1.5,
    scenarios: ['notes'],
    agents: ['a/default', 'b/default'],
  });
  expect(sweeps[0]).toMatchObject({ duration_secs: null, cost_usd: null });
  expect(sweeps[1]).toMatchObject({ totals: { passed: 1, cached: 1 }, cost_unknown: 0 });

  expect((await list('--limit', '1')).map(({ id }) => id)).toEqual(['apple']);
  const { stdout } = await project.cli(['sweeps', '--limit', '2']);
  expect(stdout).toMatch(/^apple +24h ago +open +✓ 2/);
  expect(stdout).toMatch(/1 older; show all with --limit 3/);
  expect(stdout).not.toContain('zebra');
});

test('latest means the newest sweep for every verb that takes a sweep', async () => {
  const open = await project.cli(['retry', 'latest']);
  expect([open.exitCode, open.stderr]).toEqual([2, expect.stringMatching(/apple has not ended/)]);
  const ended = join(project.folder, 'ended');
  writePastSweep(ended, null, { id: 'older', daysAgo: 2 });
  writePastSweep(ended, null, { id: 'newer', daysAgo: 1 });
  const asked = ['resume', 'pause', 'cancel', 'retry'].map(async (verb) => {
    const { exitCode, stdout } = await project.cli([verb, 'latest', '--results', ended, '--json']);
    expect([exitCode, (JSON.parse(stdout) as { sweep: string }).sweep], verb).toEqual([0, 'newer']);
  });
  await Promise.all(asked);
});

test('show latest shows the newest sweep', async () => {
  const { stdout } = await project.cli(['show', 'latest', '--json']);
  expect(JSON.parse(stdout)).toMatchObject({ sweep: 'apple', totals: { cells: 2 } });
  const empty = await project.cli(['show', 'latest', '--results', 'nowhere']);
  expect([empty.exitCode, empty.stderr]).toEqual([2, expect.stringMatching(/no sweep or run 'latest'/)]);
});

test('a sweep with an unreadable plan is left out with a warning', async () => {
  mkdirSync(join(project.results, 'sweeps', 'broken'));
  writeFileSync(join(project.results, 'sweeps', 'broken', 'plan.json'), '{"created_at": 7');
  const { stdout, stderr, exitCode } = await project.cli(['sweeps', '--json']);
  expect(exitCode).toBe(0);
  expect((JSON.parse(stdout) as { sweeps: unknown[] }).sweeps).toHaveLength(3);
  expect(stderr).toMatch(/broken\/plan\.json cannot be read/);
});

test('show prints a sweep with many cells as a matrix when it writes to a pipe', async () => {
  writePastSweep(project.results, null, {
    id: 'wide',
    daysAgo: 0,
    runs: 24,
    scenarios: ['add', 'remove'],
    agents: ['one', 'two', 'three', 'four'],
    change: (index) => (index === 0 ? { outcome: 'fail', message: 'nothing was added' } : {}),
  });
  const { stdout } = await project.cli(['show', 'wide']);
  expect(stdout).toMatch(/^ +one +two +three +four\nadd +✗ 2\/3 +✓ 3\/3 +✓ 3\/3 +✓ 3\/3\n/);
  expect(stdout).toMatch(/pass rate +83% +100%/);
  expect(stdout).toMatch(/✗ fail {2}nothing was added\n {2}add one\/default #1 +\S+report\.md/);
});

test('sweeps --mine and --owner list those of one person', async () => {
  const { results } = project;
  for (const [id, owner] of [
    ['of-ada', 'ada'],
    ['of-bob', 'bob'],
  ] as const) {
    writePastSweep(results, null, { id, daysAgo: 0 });
    const file = join(results, 'sweeps', id, 'plan.json');
    writeFileSync(file, JSON.stringify({ ...(JSON.parse(readFileSync(file, 'utf8')) as object), owner }));
  }
  expect((await list('--owner', 'ada')).map(({ id, owner }) => [id, owner])).toEqual([['of-ada', 'ada']]);
  const mine = await project.cli(['sweeps', '--mine'], { LLM_TOOL_TEST_OWNER: 'bob' });
  expect(mine.stdout).toMatch(/^of-bob .*notes · mock\/default · bob/s);
  expect((await project.cli(['sweeps', '--mine'], { LLM_TOOL_TEST_OWNER: 'eve' })).stdout).toContain(
    'no sweeps of eve',
  );
  expect((await project.cli(['sweeps', '--mine', '--owner', 'ada'])).exitCode).toBe(2);
});
