import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { waitUntil } from '../../src/host/process/waiting.js';
import type { HostRecord } from '../../src/model/records/host-record.js';
import { createProject, documentOf, EMPTY_FIXTURE, scenario, type TestProject } from './project.js';
import { addScripted } from './scripted-sides.js';

/* A sweep on two hosts, and commands on three other machines, each with a private state of its own. */

let project: TestProject;
let place: string;
let shared: string;
const hosts: ReturnType<TestProject['start']>[] = [];

const as = (machine: string) => ({ LLM_TOOL_TEST_HOME: join(place, machine) });
const cli = (machine: string, args: string[]) => project.cli([...args, '--results', shared], as(machine));
const hostsSeen = async (): Promise<HostRecord[]> => {
  const { stdout } = await cli('first', ['workers', '--json']);
  // Before the first host has joined, nothing is shared.
  return (JSON.parse(stdout) as { hosts?: HostRecord[] }).hosts ?? [];
};

beforeAll(async () => {
  place = await mkdtemp(join(tmpdir(), 'llm-tool-test-shared-'));
  shared = join(place, 'results');
  // Each run ends only once two have begun. A host has one slot, so both hosts must take part.
  const meet = `mkdir -p ${place}/met; mktemp -p ${place}/met; until [ $(ls ${place}/met | wc -l) -ge 2 ]; do sleep 0.1; done; echo x > notes.md`;
  project = await createProject({
    ...EMPTY_FIXTURE,
    'fixtures/notes.yaml': scenario('notes', {
      gates: ['{type: file_exists, path: notes.md}'],
      steps: [`run: ${JSON.stringify(meet)}`],
    }),
  });
  for (const name of ['one', 'two'])
    hosts.push(project.start(['worker', '--results', shared, '--slots', '1', '--name', name], as(`host-${name}`)));
  const seen = await waitUntil(async () => ((await hostsSeen()).length === 2 ? true : null), 60_000, 500);
  expect(seen).toBe(true);
}, 90_000);

afterAll(async () => {
  for (const host of hosts) host.kill('SIGTERM');
  await Promise.all(hosts);
  await project.remove();
  await rm(place, { recursive: true, force: true });
});

const run = ['run', 'notes', '--agents', 'mock', '--repeat', '2'];

test('the runs of a sweep take place on both hosts, and every machine can show them', async () => {
  const started = await cli('first', [...run, '--json']);
  expect(started.exitCode, started.stderr).toBe(0);
  const { sweep, totals } = documentOf(started.stdout);
  expect(totals).toMatchObject({ cells: 2, passed: 2 });

  const shown = await cli('second', ['show', sweep, '--json']);
  const { status, cells } = documentOf(shown.stdout);
  expect(status).toBe('completed');
  const names = await Promise.all(
    cells.map(async ({ results_dir: folder }) => {
      const { stdout } = await cli('second', ['show', folder?.split('/').at(-1) ?? '', '--json']);
      return (JSON.parse(stdout) as { run: { host: { name: string } } }).run.host.name;
    }),
  );
  expect(names.sort()).toEqual(['one', 'two']);
});

test('a sweep that runs until its verdict is clear decides on several hosts, also after errors, and every machine shows the same', async () => {
  await addScripted(project, 'sides', { good: '1', bad: '00e0' });
  const started = await cli('first', ['run', 'sides', '--until-clear', '--base', 'good', '--json']);
  expect(started.exitCode, started.stderr).toBe(1);
  const { sweep, decision, cells } = documentOf(started.stdout);
  expect(decision).toMatchObject({ verdict: 'worse', stopped: 'clear', pairs_left_out: 0 });
  expect(decision?.runs_again).toBeGreaterThan(0);
  expect(cells).toHaveLength(decision?.runs ?? 0);
  expect(cells.reduce((sum, { earlier_runs }) => sum + (earlier_runs?.runs ?? 0), 0)).toBe(decision?.runs_again);
  const shown = documentOf((await cli('second', ['show', sweep, '--json'])).stdout);
  expect(shown.decision).toEqual(decision);
  // Each machine has a copy of its own.
  const anywhere = (all: typeof cells) =>
    all.map(({ results_dir, ...cell }) => ({ ...cell, run: basename(results_dir ?? '') }));
  expect(anywhere(shown.cells)).toEqual(anywhere(cells));
});

test('results are reused whatever host they come from', async () => {
  const { stdout, exitCode } = await cli('second', [...run, '--json']);
  expect(exitCode).toBe(0);
  expect(documentOf(stdout).totals).toMatchObject({ passed: 2, cached: 2 });
});

test('cells are run again, and work is checked again on the host that has it', async () => {
  const again = await cli('third', ['retry', 'latest', '--cell', 'notes/mock/default/default/1', '--json']);
  expect(again.exitCode, again.stderr).toBe(0);
  expect(documentOf(again.stdout).totals).toMatchObject({ passed: 2, cached: 1 });
  const { sweeps } = JSON.parse((await cli('first', ['sweeps', '--json'])).stdout) as {
    sweeps: { totals: object }[];
  };
  expect(sweeps[0]?.totals).toMatchObject({ passed: 2, cached: 1 });

  const regraded = await cli('third', ['regrade', 'latest', '--json']);
  expect(regraded.exitCode, regraded.stderr).toBe(0);
  expect(documentOf(regraded.stdout).totals).toMatchObject({ cells: 2, passed: 2 });
});

test('a schedule that one machine created is triggered and followed from another', async () => {
  const created = await cli('first', ['schedule', 'create', 'nightly', 'notes', '--every', '24h', '--json']);
  expect(created.exitCode, created.stderr).toBe(0);
  const fired = await cli('second', ['schedule', 'trigger', 'nightly', '--wait', '--json']);
  expect(fired.exitCode, fired.stderr).toBe(0);
  const { sweep } = JSON.parse(fired.stdout) as { sweep: string };
  const shown = await cli('third', ['show', sweep, '--json']);
  expect(documentOf(shown.stdout).totals).toMatchObject({ cells: 1, passed: 1 });
});
