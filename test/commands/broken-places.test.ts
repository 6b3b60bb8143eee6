import { appendFile, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { processesWith } from '../host/processes.js';
import { sweepOf, untilStarted, writeGated } from './gated.js';
import { writePastSweep } from './past-sweep.js';
import { createProject, documentOf, EMPTY_FIXTURE, scenario, until, type TestProject } from './project.js';

/** Mounting a small file system requires root, which CI has. */
const isRoot = process.getuid?.() === 0;

let project: TestProject;
beforeEach(async () => {
  project = await createProject({
    ...EMPTY_FIXTURE,
    'fixtures/good.yaml': scenario('good', { steps: ['say: x'] }),
  });
  await mkdir(project.results, { recursive: true });
  writePastSweep(project.results, null, { id: 'past', daysAgo: 1, change: () => ({ outcome: 'error' }) });
  writePastSweep(project.results, null, { id: 'open', daysAgo: 1, open: true });
});
afterEach(() => project.remove());

const VERBS = [
  ['run', 'good'],
  ['show', 'past'],
  ['report', 'past'],
  ['compare', 'past', 'open'],
  ['sweeps'],
  ['resume', 'open'],
  ['retry', 'past'],
  ['pause', 'open'],
  ['cancel', 'open'],
  ['ui', 'open'],
  ['engine', 'start'],
  ['engine', 'status'],
  ['engine', 'stop'],
  ['clean', '--older-than', '0d'],
];

/**
 * Expects of every verb a documented exit code, exactly one document and no stack. Returns the error codes of the
 * verbs that failed.
 */
async function codesOfFailures(env: Record<string, string> = {}, verbs = VERBS): Promise<Record<string, string>> {
  const failed: Record<string, string> = {};
  for (const verb of verbs) {
    const { exitCode, stdout, stderr } = await project.cli([...verb, '--json'], env);
    const printed = { verb, exitCode, stdout, stderr };
    const document = JSON.parse(stdout) as { error?: { code: string } };
    expect(printed).toEqual({ ...printed, stderr: expect.not.stringMatching(/^\s+at .*\d+:\d+/m) as string });
    expect([0, 2, 3], JSON.stringify(printed)).toContain(exitCode);
    if (document.error === undefined) continue;
    const { code } = document.error;
    expect([verb, code === 'infrastructure', code === 'internal'], stderr).toEqual([verb, exitCode === 3, false]);
    failed[verb[0] === 'engine' ? verb.join(' ') : (verb[0] ?? '')] = code;
  }
  return failed;
}

test('a results log that is a folder is reported by the verbs that need it', async () => {
  const log = join(project.results, 'results.jsonl');
  await rm(log);
  await mkdir(log);
  expect(await codesOfFailures()).toMatchObject({
    show: 'infrastructure',
    report: 'infrastructure',
    retry: 'infrastructure',
    pause: 'infrastructure',
    cancel: 'infrastructure',
  });
  // The sweep ends once its results can be written. A log that cannot be read must not count as empty.
  await rm(log, { recursive: true });
  const { exitCode, stdout } = await project.cli(['cancel', 'open', '--json']);
  expect([exitCode, documentOf(stdout).status]).toEqual([0, 'cancelled']);
});

test('pause and cancel take effect while the results cannot be read, and name the file', async () => {
  await writeGated(project, 'held');
  await project.run(['held', '--name', 'held', '--detach']);
  await untilStarted(project, 'held');
  const sweep = await sweepOf(project, 'held');
  const log = join(project.results, 'results.jsonl');
  await rename(log, `${log}.away`);
  await mkdir(log);

  const paused = await project.cli(['pause', sweep, '--json']);
  const { error } = JSON.parse(paused.stdout) as { error: { code: string; message: string } };
  expect(error.message).toContain(log);
  expect([paused.exitCode, error.code]).toEqual([3, 'infrastructure']);
  const cancelling = project.start(['cancel', sweep, '--json']);
  await until('the agent is dead', () => (processesWith(`${project.folder}/held.go`).length === 0 ? true : null));
  await rm(log, { recursive: true });
  // A rename would replace what the worker has written by now.
  await appendFile(log, await readFile(`${log}.away`));
  const { exitCode, stdout } = await cancelling;
  expect(exitCode).toBe(0);
  expect(documentOf(stdout)).toMatchObject({ status: 'cancelled', totals: { cancelled: 1 } });
});

test('plans that cannot be read are reported by the verbs that need them', async () => {
  for (const sweep of ['past', 'open']) {
    await rm(join(project.results, 'sweeps', sweep, 'plan.json'));
    await mkdir(join(project.results, 'sweeps', sweep, 'plan.json'));
  }
  expect(await codesOfFailures()).toMatchObject({ show: 'infrastructure', resume: 'infrastructure' });
});

test('a results folder that is a file is reported by the verbs that need it', async () => {
  await rename(project.results, `${project.results}.away`);
  await writeFile(project.results, '');
  expect(await codesOfFailures()).toMatchObject({ run: 'results_unwritable', show: 'infrastructure' });
});

test('a state folder that cannot be created is reported by run and engine start', async () => {
  await project.write('file', '');
  const failed = await codesOfFailures({ LLM_TOOL_TEST_HOME: join(project.folder, 'file', 'state') });
  expect(failed).toMatchObject({
    run: 'infrastructure',
    'engine start': 'infrastructure',
  });
});

test.runIf(isRoot)('run reports a full results disk, without a stack', async () => {
  const full = join(project.folder, 'full');
  await mkdir(full);
  await execa('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', full]);
  try {
    await writeFile(join(full, 'ballast'), Buffer.alloc(1024 * 1024)).catch(() => undefined);
    const { exitCode, stdout, stderr } = await project.cli(['run', 'good', '--results', full, '--json']);
    expect({ exitCode, stderr }).toMatchObject({
      exitCode: 3,
      stderr: expect.not.stringMatching(/^\s+at /m) as string,
    });
    expect(JSON.parse(stdout)).toMatchObject({
      error: {
        code: 'infrastructure',
        message: expect.stringMatching(/the disk is full; free some space/) as string,
      },
    });
  } finally {
    await execa('umount', [full]);
  }
});
