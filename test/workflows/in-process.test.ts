import { Context } from '@temporalio/activity';
import { expect, test } from 'vitest';
import { STEPS } from '../../src/model/step-names.js';
import { eventually, useTemporal } from './harness.js';
import { localActivitiesIn, summariesIn } from './history.js';
import { broken, runPlan, cell, flaky, gate, stubActivities } from './stub-activities.js';

const onBench = useTemporal();
const it = test.concurrent; // they mostly wait

const isLocal = (): boolean => Context.current().info.isLocal;

it('performs a check that starts no process within a workflow task, and shows its name and summary', async () => {
  const looks = [1, 2, 3].map((number) => ({ ...gate(`${number}.md`), inProcess: true }));
  const stubs = stubActivities({
    prepareWorkspace: () => Promise.resolve(runPlan({ gates: [...looks, gate('make', 'command_succeeds')] })),
  });
  await onBench(stubs, async ({ startRun }) => {
    const handle = await startRun(cell());
    expect(await handle.result()).toMatchObject({ outcome: 'pass' });
    const history = await handle.fetchHistory();
    expect(localActivitiesIn(history).filter(([name]) => name?.startsWith('gate'))).toEqual([
      ['gate 1 file_exists', 'gate 1 of 4: file_exists 1.md'],
      ['gate 2 file_exists', 'gate 2 of 4: file_exists 2.md'],
      ['gate 3 file_exists', 'gate 3 of 4: file_exists 3.md'],
    ]);
    expect(summariesIn(history)).toContain('gate 4 of 4: command_succeeds make');
    const tasks = history.events?.filter((event) => event.workflowTaskCompletedEventAttributes) ?? [];
    expect(tasks).toHaveLength(6); // the start, and one after each of the five steps that the server hands out
  });
});

it('a check that fails within a workflow task is scheduled through the server, which shows why it keeps failing', async () => {
  const places: boolean[] = [];
  let mended = false;
  const stubs = stubActivities({
    prepareWorkspace: () => Promise.resolve(runPlan({ gates: [{ ...gate('1.md'), inProcess: true }] })),
    checkGate: () => {
      places.push(isLocal());
      return mended ? Promise.resolve('pass') : Promise.reject(flaky('too many open files'));
    },
  });
  await onBench(stubs, async ({ startRun }) => {
    const handle = await startRun(cell());
    await eventually(async () => {
      const { raw } = await handle.describe();
      expect(raw.pendingActivities?.[0]?.lastFailure?.message).toBe('too many open files');
    });
    mended = true;
    expect(await handle.result()).toMatchObject({ outcome: 'pass' });
  });
  expect(places.slice(0, 2)).toEqual([true, false]);
  expect(stubs.argsOf('writeReport')[0]?.[1].failures).toEqual([]);
});

it('performs quick steps within workflow tasks, and through the server those that report that they take longer', async () => {
  const stubs = stubActivities(
    {
      prepareWorkspace: () => Promise.resolve(runPlan()),
      writeReport: () =>
        Promise.resolve(isLocal() ? null : { outcome: 'pass', message: 'a large workspace', costUsd: null }),
    },
    { quick: true },
  );
  await onBench(stubs, async ({ startRun }) => {
    const handle = await startRun(cell());
    expect(await handle.result()).toMatchObject({ message: 'a large workspace' });
    const history = await handle.fetchHistory();
    expect(localActivitiesIn(history)).toEqual([
      ['prepareWorkspace', 'prepare notes'],
      ['writeReport', 'write the report'],
      ['cleanUp', 'clean up'],
    ]);
    expect(summariesIn(history)).toEqual(['agent mock default', 'write the report']);
  });
});

it('reports a step that fails for good within a workflow task like any other failure', async () => {
  const stubs = stubActivities({ prepareWorkspace: () => Promise.reject(broken('no space left')) }, { quick: true });
  await onBench(stubs, async ({ startRun }) => {
    await (await startRun(cell())).result();
  });
  expect(stubs.argsOf('writeReport')[0]?.[1].failures).toEqual([{ step: STEPS.prepare, message: 'no space left' }]);
});
