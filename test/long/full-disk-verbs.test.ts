import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { letGo, startsOf, sweepOf, untilStarted, writeGated } from '../commands/gated.js';
import { documentOf, scenario, until, type TestProject } from '../commands/project.js';
import { canMount, DISKS, fill, collectStderr, mend, onSmallDisks, type Small } from '../chaos/small-disks.js';

const why = canMount ? '' : ' (skipped: only root may mount a small file system)';

interface Sweeps extends Small {
  /** Ids of sweeps with waiting agents, and of one that has ended with a cell that could not be tested. */
  followed: string;
  paused: string;
  cancelled: string;
  ended: string;
}

/** Makes sweeps for all verbs, and then fills the disk. */
async function sweepsOn(disk: 'state' | 'results'): Promise<Sweeps> {
  const one = await onSmallDisks({}, {});
  const project: TestProject = { ...one.project, results: one.results };
  const healthy = `{binary: cat, health_check: "test -e ${project.folder}/healthy"}`;
  await project.write('fixtures/ended.yaml', scenario('ended', { steps: ['say: x'], target: healthy }));
  await one.start(['run', 'ended', '--name', 'ended', '--json']);
  await project.write('healthy', '');
  const waiting = ['followed', 'paused', 'cancelled'] as const;
  for (const name of waiting) {
    await writeGated(project, name);
    // Cancelling deletes files of the running cell. A summary of so many cells needs more room than that frees.
    const cells = name === 'cancelled' ? ['--repeat', '100', '--concurrency', '1'] : [];
    await one.start(['run', name, '--name', name, ...cells, '--detach', '--json']);
    await untilStarted(project, name);
  }
  const ids = await Promise.all([...waiting, 'ended'].map((name) => sweepOf(project, name)));
  const [followed = '', paused = '', cancelled = '', ended = ''] = ids;
  for (const path of DISKS[disk](one)) fill(path);
  return { ...one, project, followed, paused, cancelled, ended };
}

/** Starts a command and waits until it says what it waits for; returns a function to wait for its end. */
async function waitingFor(
  { start }: Small,
  args: string[],
  disk: string,
): Promise<() => ReturnType<TestProject['start']>> {
  const command = start([...args, '--json']);
  const output = collectStderr(command);
  await until(`\`${args.join(' ')}\` says what it waits for`, () =>
    output().includes('waiting') && output().includes(disk) && output().includes('the disk is full: free some space')
      ? true
      : null,
  );
  expect(command.exitCode).toBeNull();
  return () => command;
}

/** Expects exit 3, one document, and a message without a stack that names the disk and what to do. */
async function expectRefused({ start }: Small, args: string[], disk: string): Promise<void> {
  const { exitCode, stdout, stderr } = await start([...args, ...(args[0] === 'report' ? [] : ['--json'])]);
  expect({ args, exitCode, stdout, stderr }).toMatchObject({
    exitCode: 3,
    stderr: expect.not.stringMatching(/^\s+at /m) as string,
  });
  const message = new RegExp(`${disk}.*the disk is full.* free some space`);
  expect(stderr).toMatch(message);
  if (args[0] !== 'report')
    expect(JSON.parse(stdout)).toEqual({
      error: {
        code: 'infrastructure',
        message: expect.stringMatching(message) as string,
        problems: [],
      },
    });
}

/** Expects that verbs which write nothing work, and that `doctor` names the disk. */
async function expectReadable(sweeps: Sweeps, name: 'state' | 'results'): Promise<void> {
  const { start, followed, ended, [name]: disk } = sweeps;
  for (const args of [
    ['show', ended],
    ['show', followed],
    ['report', ended],
    ['sweeps'],
    ['engine', 'status'],
    ['clean', '--older-than', '0d', '--dry-run'],
  ]) {
    const { exitCode, stdout, stderr } = await start([...args, '--json']);
    expect({ args, exitCode, stderr }).toMatchObject({ exitCode: 0 });
    expect(JSON.parse(stdout)).toBeTypeOf('object');
  }
  const { exitCode, stdout } = await start(['doctor', '--json']);
  expect(exitCode).toBe(3);
  const { checks } = JSON.parse(stdout) as { checks: { name: string; status: string }[] };
  expect(checks.filter(({ status }) => status === 'problem')).toMatchObject([
    {
      name,
      message: expect.stringContaining(disk) as string,
      remedy: 'the disk is full: free some space',
    },
  ]);
  // `doctor` leaves nothing behind here either.
  expect(readdirSync(disk).filter((name) => name.startsWith('.llm-tool-test-'))).toEqual([]);
}

describe.concurrent(`each verb while a disk is full${why}`, () => {
  test.runIf(canMount)(
    'results: verbs that must write there exit with 3 and say where and what to do; followers wait and resume; the others work',
    async ({ onTestFinished }) => {
      const sweeps = await sweepsOn('results');
      onTestFinished(() => sweeps.remove());
      const { start, project, results, followed, paused, cancelled, ended } = sweeps;
      const cancelling = expectRefused(sweeps, ['cancel', cancelled], results);
      const following = await Promise.all([
        waitingFor(sweeps, ['resume', followed], results),
        waitingFor(sweeps, ['retry', ended], results),
      ]);
      await expectRefused(sweeps, ['run', 'ended'], results);
      await expectRefused(sweeps, ['report', ended, '--output', join(results, 'report.md')], results);
      await expectRefused(sweeps, ['clean', '--older-than', '0d'], results);
      await expectReadable(sweeps, 'results');
      expect((await start(['engine', 'start', '--json'])).exitCode).toBe(0);
      const pausing = await start(['pause', paused, '--json']);
      expect([pausing.exitCode, documentOf(pausing.stdout).status]).toEqual([0, 'paused']);
      await cancelling;

      await mend(results);
      await until('the cancelled sweep has written its end', async () => {
        const { stdout } = await start(['show', cancelled, '--json']);
        return documentOf(stdout).status === 'cancelled' ? true : null;
      });
      for (const name of ['followed', 'paused']) await letGo(project, name);
      for (const command of following) {
        const { exitCode, stdout, stderr } = await command();
        expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
        expect(documentOf(stdout)).toMatchObject({ status: 'completed', totals: { passed: 1 } });
      }
      expect(startsOf(project, 'followed')).toBe(1);
    },
  );

  test.runIf(canMount)(
    'state: verbs that need the engine say what they wait for and then continue; the others work',
    async ({ onTestFinished }) => {
      const sweeps = await sweepsOn('state');
      onTestFinished(() => sweeps.remove());
      const { project, state, followed, paused, cancelled, ended } = sweeps;
      const waiting = await Promise.all(
        [
          ['resume', followed],
          ['run', 'ended', '--no-cache'],
          ['retry', ended],
          ['pause', paused],
          ['cancel', cancelled],
          ['engine', 'start'],
        ].map((args) => waitingFor(sweeps, args, state)),
      );
      await expectReadable(sweeps, 'state');

      await mend(state);
      await letGo(project, 'followed');
      const ends = await Promise.all(waiting.map((command) => command()));
      await letGo(project, 'paused'); // only after it is paused, or it would complete
      // The agent that worked meanwhile may not have been able to write, so its cell could not be tested.
      expect(ends.map(({ exitCode }) => exitCode)).toEqual([3, 0, 0, 0, 0, 0]);
      const documents = ends.slice(0, 5).map(({ stdout }) => documentOf(stdout).status);
      expect(documents).toEqual(['completed', 'completed', 'completed', 'paused', 'cancelled']);
      expect(startsOf(project, 'followed')).toBe(1);
    },
  );
});
