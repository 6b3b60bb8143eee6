import { existsSync, readFileSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { createActivities, type Activities } from '../../src/activities/create-activities.js';
import { local } from '../../src/environments/local.js';
import { readJsonIfThere } from '../../src/host/fs/read-file.js';
import { waitUntil } from '../../src/host/process/waiting.js';
import { resultsLog, summaryFile, stateOfRun } from '../../src/store/results-folder.js';
import { readResults } from '../../src/store/results-log.js';
import { type ReportInput, type RunRef, sweepWorkflowId } from '../../src/protocol/index.js';
import { filesBelow } from '../commands/engine-parts.js';
import { scenario } from '../commands/project.js';
import { newFolder } from '../host/temporary.js';
import { latch } from '../workflows/stub-activities.js';
import { inActivity, isOwnServer } from './in-activity.js';
import { ordered, provenRun } from './proofs.js';
import { storeRun } from './stored-run.js';

let folder: string;
let activities: Activities;

const cell = {
  id: 'c',
  scenario: 'raced',
  agent: 'mock',
  model: 'default',
  variant: 'default',
  repetition: 1,
};
let run: RunRef;

beforeEach(async () => {
  folder = await newFolder();
  const [resultsPath, stateFolder] = [join(folder, 'results'), join(folder, 'state')];
  activities = createActivities({ resultsPath, stateFolder, isOwnServer });

  const wait = (name: string): string =>
    `echo x >> ${folder}/${name}.starts; until [ -e ${folder}/${name}.go ]; do sleep 0.02; done`;
  const text = scenario('raced', {
    gates: [`{type: command_succeeds, command: '${wait('gate')}'}`],
    more: `setup: {commands: ['${wait('setup')}', 'echo once >> ${folder}/second.log']}`,
  });
  await storeRun(resultsPath, cell, text, { plan: { cache: true } });
  run = await provenRun(
    { resultsPath, stateFolder },
    { sweep: 's', cell, run: 'run-raced-00000000', workflowId: 'test', firstRunId: 'r' },
  );
});

/** An attempt that the server has scheduled. */
const attempt = <R>(number: number, perform: () => Promise<R>): Promise<R> =>
  new MockActivityEnvironment({ attempt: number }).run(perform);

/** An attempt within a workflow task: each worker counts these from 1. */
const localAttempt = <R>(scheduledAt: number, perform: () => Promise<R>): Promise<R> =>
  new MockActivityEnvironment({
    isLocal: true,
    attempt: 1,
    currentAttemptScheduledTimestampMs: scheduledAt,
  }).run(perform);

async function untilStarts(name: string, count: number): Promise<void> {
  const file = join(folder, `${name}.starts`);
  const reached = await waitUntil(
    () => (existsSync(file) && readFileSync(file, 'utf8').split('\n').length > count ? true : null),
    120_000,
  );
  expect(reached).toBe(true);
}
const go = (name: string): Promise<void> => writeFile(join(folder, `${name}.go`), '');

test('an attempt that wakes up after another has taken over runs no more setup commands', async () => {
  const first = attempt(1, () => activities.prepareWorkspace(run)).catch((error: unknown) => error);
  await untilStarts('setup', 1);
  const second = attempt(2, () => activities.prepareWorkspace(run));
  await untilStarts('setup', 2);
  expect(await first).toMatchObject({ type: 'Superseded' });
  await go('setup');
  expect(await second).toMatchObject({ unfit: null });
  expect(readFileSync(join(folder, 'second.log'), 'utf8')).toBe('once\n');
});

test('the attempt that took over gives the result of a step; the earlier one publishes nothing', async () => {
  await go('setup');
  await attempt(1, () => activities.prepareWorkspace(run));
  const first = attempt(2, () => activities.checkGate(run, 0)).catch((error: unknown) => error);
  await untilStarts('gate', 1);
  const second = attempt(3, () => activities.checkGate(run, 0));
  await untilStarts('gate', 2);
  await go('gate');
  expect(await second).toBe('pass');
  expect(await first).toMatchObject({ type: 'Superseded' });
  const manifest = join(stateOfRun(join(folder, 'state'), run.run), 'steps', 'gate-1.json');
  expect(await readJsonIfThere(manifest)).toMatchObject({ attempt: 3 });
});

test('no attempt performs a published step again', async () => {
  await go('setup');
  await attempt(1, () => activities.prepareWorkspace(run));
  await attempt(5, () => activities.prepareWorkspace(run));
  expect(readFileSync(join(folder, 'second.log'), 'utf8')).toBe('once\n');
});

test('a reset of the workflow, which counts attempts from 1 again, supersedes the attempts of the earlier execution', async () => {
  await go('setup');
  await attempt(1, () => activities.prepareWorkspace(run));
  const before = attempt(2, () => activities.checkGate(run, 0)).catch((error: unknown) => error);
  await untilStarts('gate', 1);
  const workflowExecution = { workflowId: 'test', runId: 'after-the-reset' };
  const after = new MockActivityEnvironment({ attempt: 1, workflowExecution }).run(() => activities.checkGate(run, 0));
  await untilStarts('gate', 2);
  await go('gate');
  expect(await after).toBe('pass');
  expect(await before).toMatchObject({ type: 'Superseded' });
});

test('within workflow tasks the later scheduled attempt takes over, and an attempt through the server takes over from both', async () => {
  await go('setup');
  await attempt(1, () => activities.prepareWorkspace(run));
  const now = Date.now();
  const first = localAttempt(now, () => activities.checkGate(run, 0)).catch((error: unknown) => error);
  await untilStarts('gate', 1);
  const second = localAttempt(now + 5000, () => activities.checkGate(run, 0)).catch((error: unknown) => error);
  await untilStarts('gate', 2);
  const third = attempt(1, () => activities.checkGate(run, 0));
  await untilStarts('gate', 3);
  await go('gate');
  expect(await third).toBe('pass');
  expect(await first).toMatchObject({ type: 'Superseded' });
  expect(await second).toMatchObject({ type: 'Superseded' });
});

test('does not prepare a workspace that needs commands within a workflow task', async () => {
  expect(await localAttempt(Date.now(), () => activities.prepareWorkspace(run))).toBeNull();
  expect(existsSync(join(folder, 'setup.starts'))).toBe(false);
});

const REPORT: ReportInput = {
  failures: [],
  cancelled: true,
  startedAt: Date.parse('2026-01-02T03:04:05.000Z'),
  endedAt: Date.parse('2026-01-02T03:04:09.200Z'),
};

test('an attempt of the report that wakes up late writes nothing: no file, no result, no manifest', async () => {
  await go('setup');
  await attempt(1, () => activities.prepareWorkspace(run));
  const [collecting, awake] = [latch(), latch()];
  const view = local.view.bind(local);
  const frozen = vi.spyOn(local, 'view').mockImplementationOnce(async (handle, use) => {
    collecting.open();
    await awake.opened;
    return view(handle, use);
  });
  onTestFinished(() => frozen.mockRestore());
  const first = attempt(1, () => activities.writeReport(run, REPORT)).catch((error: unknown) => error);
  await collecting.opened;
  await attempt(2, () => activities.writeReport(run, REPORT));
  const files = () => filesBelow(join(folder, 'results'), join(stateOfRun(join(folder, 'state'), run.run), 'steps'));
  const written = files();
  expect(readFileSync(join(folder, 'results', run.run, 'report.md'), 'utf8')).toContain('raced');
  expect(readResults(resultsLog(join(folder, 'results'))).results).toHaveLength(1);
  awake.open();
  expect(await first).toMatchObject({ type: 'Superseded' });
  expect(files()).toEqual(written);
});

test('writes the report of a lost attempt again with the times of the run, not of the attempt', async () => {
  await go('setup');
  await attempt(1, () => activities.prepareWorkspace(run));
  await attempt(1, () => activities.writeReport(run, REPORT));
  // As if the worker was killed before anything was written.
  const results = join(folder, 'results');
  await rm(join(stateOfRun(join(folder, 'state'), run.run), 'steps', 'report.json'));
  await rm(join(results, run.run), { recursive: true });
  await rm(resultsLog(results));
  await attempt(2, () => activities.writeReport(run, REPORT));
  expect(await readJsonIfThere(join(results, run.run, 'artifacts', 'run.json'))).toMatchObject({
    started_at: '2026-01-02T03:04:05.000Z',
    ended_at: '2026-01-02T03:04:09.200Z',
    duration_secs: 4.2,
  });
  const line = { id: run.run, timestamp: '2026-01-02T03:04:05.000Z', duration_secs: 4.2 };
  expect(readResults(resultsLog(results)).results).toMatchObject([line]);
  const origin = await ordered({ resultsPath: results, stateFolder: join(folder, 'state') }, 'r');
  await inActivity(sweepWorkflowId('s'), () =>
    activities.finishSweep({ sweep: 's', round: 1, status: 'cancelled', lost: [], origin }),
  );
  expect(await readJsonIfThere(summaryFile(results, 's'))).toMatchObject({ cells: [{ duration_secs: 4.2 }] });
});

test('removes half-written files of lost attempts of any step together with the workspace', async () => {
  await go('setup');
  await attempt(1, () => activities.prepareWorkspace(run));
  const root = stateOfRun(join(folder, 'state'), run.run);
  const halves = ['steps/report.json', 'agent/1/exit'].map((file) => join(root, `${file}.99-0123abcd.tmp`));
  for (const half of halves) {
    await mkdir(dirname(half), { recursive: true });
    await writeFile(half, '');
  }
  await attempt(1, () => activities.cleanUp(run));
  expect(halves.filter((half) => existsSync(half))).toEqual([]);
});

test('does not write a report again that a lost attempt has written but not published', async () => {
  await go('setup');
  await attempt(1, () => activities.prepareWorkspace(run));
  const first = await attempt(1, () => activities.writeReport(run, REPORT));
  const written = filesBelow(join(folder, 'results'));
  await rm(join(stateOfRun(join(folder, 'state'), run.run), 'steps', 'report.json'));
  // A report within a workflow task gets a new time when the task is performed again.
  const second = await attempt(2, () => activities.writeReport(run, { ...REPORT, endedAt: REPORT.endedAt + 5000 }));
  expect(second).toEqual(first);
  expect(filesBelow(join(folder, 'results'))).toEqual(written);
});
