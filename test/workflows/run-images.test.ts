import { expect, test } from 'vitest';
import { ApplicationFailure } from '@temporalio/common';
import { useTemporal } from './harness.js';
import { record, summariesIn } from './history.js';
import { cell, runPlan, stepsOf, stubActivities } from './stub-activities.js';

const onBench = useTemporal();
const it = test.concurrent;

const BUILDS = runPlan({
  steps: [],
  builds: [
    { step: 'image', timeoutSecs: 700 },
    { step: 'verifier image', timeoutSecs: 700 },
  ],
});

/** The plan names images until a step has built them. */
const preparing = () => {
  const times = { prepared: 0 };
  return () => Promise.resolve((times.prepared += 1) === 1 ? BUILDS : runPlan());
};

it('builds images before the workspace is prepared, each as a step with its own limit', async () => {
  const stubs = stubActivities({ prepareWorkspace: preparing() });
  await onBench(stubs, async ({ startRun }) => {
    const handle = await startRun(cell());
    expect(await handle.result()).toMatchObject({ outcome: 'pass' });
    const history = await handle.fetchHistory();
    expect(summariesIn(history)).toEqual([
      ...['prepare notes', 'build the image', 'build the verifier image', 'prepare notes'],
      ...['agent mock default', 'write the report', 'clean up'],
    ]);
    const limits = (history.events ?? []).flatMap(({ activityTaskScheduledEventAttributes: step }) =>
      step?.activityType?.name === 'buildImage' ? [Number(step.startToCloseTimeout?.seconds)] : [],
    );
    expect(limits).toEqual([760, 760]);
    await record('run-with-images', handle);
  });
  expect(stubs.argsOf('buildImage').map(([, step]) => step)).toEqual(['image', 'verifier image']);
});

it('has the report say why, and builds nothing else, after an image that cannot be built', async () => {
  const stubs = stubActivities({
    prepareWorkspace: preparing(),
    buildImage: () => Promise.resolve('the image could not be built: no base'),
  });
  await onBench(stubs, async ({ startRun }) => {
    await (await startRun(cell())).result();
  });
  expect(stepsOf(stubs).filter((step) => /Image|prepare/.test(step))).toEqual([
    ...['prepareWorkspace', 'buildImage', 'prepareWorkspace'],
  ]);
});

it('goes to its report when the step fails for good', async () => {
  const stubs = stubActivities({
    prepareWorkspace: preparing(),
    buildImage: () => Promise.reject(ApplicationFailure.nonRetryable('docker is away')),
  });
  await onBench(stubs, async ({ startRun }) => {
    await (await startRun(cell())).result();
  });
  expect(stepsOf(stubs)).toEqual(['prepareWorkspace', 'buildImage', 'writeReport', 'cleanUp']);
  expect(stubs.argsOf('writeReport')[0]?.[1].failures).toEqual([{ step: 'image', message: 'docker is away' }]);
});
