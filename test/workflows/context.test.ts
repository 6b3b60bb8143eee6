import { expect, test } from 'vitest';
import { STEPS } from '../../src/model/step-names.js';
import type { ContextBrief } from '../../src/protocol/index.js';
import { resultOf, useTemporal } from './harness.js';
import { summariesIn } from './history.js';
import {
  agentStep,
  broken,
  runPlan,
  cell,
  gate,
  script,
  stepsOf,
  stubActivities,
  untilCancelled,
  type Stubs,
} from './stub-activities.js';

const onBench = useTemporal();
const it = test.concurrent; // they mostly wait

const PRIMED = runPlan({
  steps: [script('check-coverage src/a.c', 5), script('task-next', 60), agentStep()],
  gates: [gate('notes.md')],
});
const stubsWith = (...given: (() => Promise<ContextBrief>)[]): Stubs =>
  stubActivities({
    prepareWorkspace: () => Promise.resolve(PRIMED),
    runContextScript: (_run, index) => (given[index] ?? fit)(),
  });
const fit = (): Promise<ContextBrief> => Promise.resolve({ unfit: null });
const activitiesOf = ({ calls }: Stubs): string[] => calls.map(({ activity }) => activity);

it('runs the scripts of task.context before the agent, in order, each with its own limit plus a minute', async () => {
  const stubs = stubsWith();
  await onBench(stubs, async ({ startRun }) => {
    const handle = await startRun(cell());
    expect(await handle.result()).toMatchObject({ outcome: 'pass' });
    const history = await handle.fetchHistory();
    expect(summariesIn(history).slice(0, 4)).toEqual([
      'prepare notes',
      'context 1 of 2: check-coverage src/a.c',
      'context 2 of 2: task-next',
      'agent mock default',
    ]);
    const limits = (history.events ?? []).flatMap(({ activityTaskScheduledEventAttributes: step }) =>
      step?.activityType?.name === 'runContextScript' ? [Number(step.startToCloseTimeout?.seconds)] : [],
    );
    expect(limits).toEqual([65, 120]);
  });
  expect(stubs.argsOf('runContextScript').map(([, index]) => index)).toEqual([0, 1]);
});

it('a context script with an unfit answer ends the preparation: no later script and no agent is started', async () => {
  const stubs = stubsWith(() => Promise.resolve({ unfit: 'check-coverage broke the contract' }));
  await onBench(stubs, async ({ startRun }) => {
    const handle = await startRun(cell());
    await handle.result();
  });
  expect(activitiesOf(stubs)).toEqual(['prepareWorkspace', 'runContextScript', 'writeReport', 'cleanUp']);
  // The step itself has recorded this for the report.
  expect(stubs.argsOf('writeReport')[0]?.[1].failures).toEqual([]);
});

it('a context script that could not be run is a failed step, and the agent is not started', async () => {
  const stubs = stubsWith(fit, () => Promise.reject(broken('the disk is full')));
  await onBench(stubs, async ({ startRun }) => (await startRun(cell())).result());
  expect(activitiesOf(stubs)).toEqual([
    ...['prepareWorkspace', 'runContextScript', 'runContextScript', 'writeReport', 'cleanUp'],
  ]);
  expect(stubs.argsOf('writeReport')[0]?.[1].failures).toEqual([
    { step: STEPS.context(1), message: 'the disk is full' },
  ]);
});

it('starts nothing more when cancelled while a context script runs', async () => {
  let begun = (): void => undefined;
  const running = new Promise<void>((resolve) => (begun = resolve));
  const stubs = stubsWith(async () => {
    begun();
    return untilCancelled(new Promise<never>(() => undefined));
  });
  await onBench(stubs, async ({ startRun }) => {
    const handle = await startRun(cell());
    await running;
    await handle.cancel();
    expect(await resultOf(handle)).toMatchObject({ outcome: 'cancelled' });
    expect(summariesIn(await handle.fetchHistory())).toEqual([
      'prepare notes',
      'context 1 of 2: check-coverage src/a.c',
      'stop', // brings the cancel to the script
      'write the report',
      'clean up',
    ]);
  });
  expect(stepsOf(stubs)).toEqual(['prepareWorkspace', 'runContextScript 0', 'writeReport', 'cleanUp']);
});
