import { existsSync } from 'node:fs';
import { chmod, copyFile, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { connect } from '../../src/engine/temporal/temporal-client.js';
import { mirrorFolder, stateOfSharedProject } from '../../src/host/folders.js';
import { publishResult, publishSweep } from '../../src/store/index.js';
import { endSharedRound, beginRound } from '../../src/store/sweep-round.js';
import type { SharedProject } from '../../src/store/shared/shared-project.js';
import { readResults } from '../../src/store/results-log.js';
import type { SweepInput } from '../../src/protocol/index.js';
import { joinAs } from '../store/shared/join-as.js';
import { writePastSweep } from './past-sweep.js';
import { createProject, EMPTY_FIXTURE, scenario, type TestProject } from './project.js';

/* Commands on results that several hosts share, as far as that takes no host. */

let project: TestProject;
let place: string;
let shared: string;
/** Another machine, which has made a sweep. */
let other: SharedProject;

const cli = (args: string[], env: Record<string, string> = {}) => project.cli([...args, '--results', shared], env);
const json = async (...args: string[]): Promise<unknown> => {
  const { stdout, stderr, exitCode } = await cli([...args, '--json']);
  expect(stderr, stderr).not.toContain('error');
  expect(exitCode).toBe(0);
  return JSON.parse(stdout);
};

/** Publishes a sweep as hosts do. Returns the ids of its runs. */
async function publishPast(id: string): Promise<string[]> {
  const local = await mkdtemp(join(place, 'past-'));
  const runs = writePastSweep(other.resultsPath, null, { id, daysAgo: 1, runs: 2 });
  await publishSweep(other, id);
  await beginRound(other.resultsPath, id, 1);
  for (const line of readResults(join(other.resultsPath, 'results.jsonl')).results.filter(({ sweep }) => sweep === id))
    await publishResult(other, { sweep: id, cell: line.cell, round: 1, incarnation: 1 }, line);
  await rm(local, { recursive: true });
  return runs;
}

beforeAll(async () => {
  project = await createProject({
    ...EMPTY_FIXTURE,
    'fixtures/notes.yaml': scenario('notes', { gates: ['{type: file_exists, path: notes.md}'] }),
  });
  place = await mkdtemp(join(tmpdir(), 'llm-tool-test-shared-'));
  shared = join(place, 'results');
  other = await joinAs(join(place, 'other'), shared);
});
afterAll(async () => {
  await project.remove();
  await rm(place, { recursive: true, force: true });
});

const mirror = (): string => mirrorFolder(stateOfSharedProject(other.id, project.state));

describe('commands that read', () => {
  test('see what other machines have published, and bring runs when they are shown', async () => {
    const [first = ''] = await publishPast('past');
    expect(await json('sweeps')).toMatchObject({ sweeps: [{ id: 'past', totals: { passed: 2 } }] });
    expect(await json('show', 'latest')).toMatchObject({ sweep: 'past', totals: { cells: 2, passed: 2 } });
    expect(existsSync(join(mirror(), first, 'report.md'))).toBe(true);
    await rm(join(mirror(), first), { recursive: true });
    const { stdout } = await cli(['report', 'past', '--format', 'md']);
    expect(stdout).toContain('past');
    expect(existsSync(join(mirror(), first, 'report.md'))).toBe(true);
  });

  test('say that a sweep has ended once its last round has', async () => {
    await publishPast('ended');
    const summary = await readFile(join(other.resultsPath, 'sweeps', 'ended', 'summary.json'), 'utf8');
    await endSharedRound(other, 'ended', 1, summary);
    expect(await json('show', 'ended')).toMatchObject({ status: 'completed' });
    const { exitCode, stderr } = await cli(['pause', 'ended']);
    expect([exitCode, stderr]).toEqual([0, expect.stringContaining('ended')]);
  });

  test('find the shared folder by the config file too', async () => {
    await project.write('llm-tool-test-config.toml', `results_path = ${JSON.stringify(shared)}\n`);
    const { stdout } = await project.cli(['sweeps', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({
      sweeps: expect.arrayContaining([expect.anything()]) as unknown,
    });
    await rm(join(project.folder, 'llm-tool-test-config.toml'));
  });
});

describe('run', () => {
  test('publishes the plan and starts the sweep on the server of the hosts, without an engine', async () => {
    const { exitCode, stdout, stderr } = await cli(['run', 'notes', '--agents', 'mock', '--detach', '--json']);
    expect(exitCode, stderr).toBe(0);
    const { sweep } = JSON.parse(stdout) as { sweep: string };
    expect(existsSync(join(shared, 'sweeps', sweep, 'plan.json'))).toBe(true);
    expect((await readdir(join(shared, '.store'))).length).toBeGreaterThanOrEqual(2);
    const state = stateOfSharedProject(other.id, project.state);
    expect(existsSync(join(state, 'engine.json'))).toBe(false);
    expect(existsSync(join(state, 'env'))).toBe(false);

    const client = await connect({
      address: inject('temporalAddress'),
      namespace: 'default',
      external: true,
    });
    const handle = client.workflow.getHandle(`sweep/${sweep}`);
    try {
      const { taskQueue, status } = await handle.describe();
      expect([taskQueue, status.name]).toEqual([`llm-tool-test-${other.id}`, 'RUNNING']);
      const { events } = await handle.fetchHistory();
      const data = events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads?.[0]?.data;
      const input = JSON.parse(Buffer.from(data ?? []).toString()) as SweepInput;
      expect(input).toMatchObject({ sweep, round: 1, placed: true });
    } finally {
      await handle.terminate();
      await client.connection.close();
    }
  });

  test('needs to know the server of the hosts', async () => {
    const { exitCode, stderr } = await cli(['run', 'notes', '--agents', 'mock'], { TEMPORAL_ADDRESS: '' });
    expect(exitCode).toBe(2);
    expect(stderr).toContain('--address');
  });

  test('sends the program of a target to the hosts, unless it may need other files', async () => {
    await copyFile('/bin/true', join(project.folder, 'tool'));
    const withTarget = (target: string): string =>
      scenario('tool', { target, gates: ['{type: file_exists, path: notes.md}'] });
    await project.write('fixtures/tool.yaml', withTarget('{binary: ../tool}'));
    const started = await cli(['run', 'tool', '--agents', 'mock', '--detach', '--json']);
    expect(started.exitCode, started.stderr).toBe(0);
    const { sweep } = JSON.parse(started.stdout) as { sweep: string };
    const plan = JSON.parse(await readFile(join(shared, 'sweeps', sweep, 'plan.json'), 'utf8')) as {
      scenarios: { hash: string }[];
    };
    const stored = join(shared, '.store');
    const text = await readFile(join(stored, plan.scenarios[0]?.hash ?? '', 'scenario.json'), 'utf8');
    const { target_stored } = JSON.parse(text) as { target_stored: string };
    const program = join(stored, target_stored, 'program');
    expect(await readFile(program)).toEqual(await readFile('/bin/true'));

    await project.write('tool', '#!/bin/sh\nexec ./other\n');
    await chmod(join(project.folder, 'tool'), 0o755);
    const refused = await cli(['run', 'tool', '--agents', 'mock']);
    expect([refused.exitCode, refused.stderr]).toEqual([
      2,
      expect.stringMatching(/is a script.*target\.files to \[\]/s),
    ]);
    await project.write('fixtures/tool.yaml', withTarget('{binary: ../tool, files: []}'));
    expect((await cli(['run', 'tool', '--agents', 'mock', '--dry-run'])).exitCode).toBe(0);
  });
});

describe('what cannot be done', () => {
  test.each([
    [['clean', '--older-than', '1d'], 'nothing is deleted'],
    [['engine', 'start'], 'no engine runs here'],
    [['engine', 'status'], 'no engine runs here'],
    [['run', 'notes', '--agents', 'mock', '--env-file', 'x'], 'worker --env-file'],
  ])('%j is refused with a reason', async (args, reason) => {
    const { exitCode, stderr } = await cli(args);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(reason)]);
  });

  test('a folder that is not shared is an ordinary results folder', async () => {
    const before = await project.cli(['sweeps', '--results', join(place, 'ordinary')]);
    expect([before.exitCode, before.stdout]).toEqual([0, expect.stringContaining('no sweeps yet')]);
  });
});
