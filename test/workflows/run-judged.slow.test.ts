import { expect, test } from 'vitest';
import type { Activities } from '../../src/activities/create-activities.js';
import { STEPS } from '../../src/model/step-names.js';
import { eventually, resultOf, useTemporal } from './harness.js';
import { record, summariesIn } from './history.js';
import {
  brief,
  broken,
  runPlan,
  cell,
  evaluator,
  flaky,
  gate,
  judge,
  stepsOf,
  stubActivities,
  untilCancelled,
  type Stubs,
} from './stub-activities.js';

const onBench = useTemporal();
const it = test.concurrent; // they mostly wait

/** The steps of a run with a judge, after its agent. */
async function stepsOfJudged(
  given: Parameters<typeof runPlan>[0],
  overrides: Parameters<typeof stubActivities>[0] = {},
): Promise<string[]> {
  const stubs = stubActivities({
    prepareWorkspace: () => Promise.resolve(runPlan({ judge: judge(), ...given })),
    ...overrides,
  });
  await onBench(stubs, async ({ startRun }) => (await startRun(cell())).result());
  return stepsOf(stubs).slice(2, -2);
}
const TWO_GATES = { gates: [gate('a'), gate('b')] };

it('the judge comes last, after passed gates and evaluators, with its own summary and limit', async () => {
  const stubs = stubActivities({
    prepareWorkspace: () =>
      Promise.resolve(runPlan({ ...TWO_GATES, evaluators: [evaluator('size')], judge: judge({ timeoutSecs: 120 }) })),
  });
  await onBench(stubs, async ({ startRun }) => {
    const handle = await startRun(cell());
    await handle.result();
    const history = await handle.fetchHistory();
    expect(summariesIn(history).slice(-3)).toEqual(['judge house/small rubric.yaml', 'write the report', 'clean up']);
    const scheduled = history.events?.flatMap((event) => event.activityTaskScheduledEventAttributes ?? []);
    const step = scheduled?.find(({ activityType }) => activityType?.name === 'judgeRun');
    expect(Number(step?.startToCloseTimeout?.seconds)).toBe(180);
    expect(Number(step?.heartbeatTimeout?.seconds)).toBe(60);
    await record('run-judged', handle);
  });
  expect(stepsOf(stubs).slice(2)).toEqual([
    ...['checkGate 0', 'checkGate 1', 'runEvaluator 0', 'judgeRun', 'writeReport', 'cleanUp'],
  ]);
});

it('does not judge a run after a failed or broken gate, except with `always`', async () => {
  const statuses: Activities['checkGate'][] = [
    (_run, index) => Promise.resolve(index === 0 ? 'fail' : 'pass'),
    (_run, index) => Promise.resolve(index === 1 ? 'error' : 'pass'),
    (_run, index) => (index === 0 ? Promise.reject(broken('no space left')) : Promise.resolve('pass')),
  ];
  for (const checkGate of statuses) {
    expect(await stepsOfJudged(TWO_GATES, { checkGate })).toEqual(['checkGate 0', 'checkGate 1']);
    const always = { ...TWO_GATES, judge: judge({ always: true }) };
    expect(await stepsOfJudged(always, { checkGate })).toEqual(['checkGate 0', 'checkGate 1', 'judgeRun']);
  }
});

it('judges a run without gates only when its agent completed, and one with passed gates in any case', async () => {
  const runAgent: Activities['runAgent'] = () => Promise.resolve(brief({ ending: 'gave_up', completed: false }));
  expect(await stepsOfJudged({})).toEqual(['judgeRun']);
  expect(await stepsOfJudged({}, { runAgent })).toEqual([]);
  expect(await stepsOfJudged({ judge: judge({ always: true }) }, { runAgent })).toEqual(['judgeRun']);
  expect(await stepsOfJudged({ gates: [gate('a')] }, { runAgent })).toEqual(['checkGate 0', 'judgeRun']);
});

it('does not judge a run after an agent that could not work, even with `always`', async () => {
  const runAgent: Activities['runAgent'] = () => Promise.resolve(brief({ ending: 'unable', completed: false }));
  expect(await stepsOfJudged({ judge: judge({ always: true }) }, { runAgent })).toEqual([]);
});

it('reports a judge that fails for good like any other step', async () => {
  const stubs = stubActivities({
    prepareWorkspace: () => Promise.resolve(runPlan({ gates: [gate('a')], judge: judge() })),
    judgeRun: () => Promise.reject(broken('house/small: HTTP 401')),
  });
  await onBench(stubs, async ({ startRun }) => {
    const handle = await startRun(cell());
    await handle.result();
  });
  expect(stepsOf(stubs).slice(2)).toEqual(['checkGate 0', 'judgeRun', 'writeReport', 'cleanUp']);
  expect(stubs.argsOf('writeReport')[0]?.[1].failures).toEqual([
    { step: STEPS.judge, message: 'house/small: HTTP 401' },
  ]);
});

it('asks a judge again for as long as the step does not give up', async () => {
  const refusals = 10; // more than a step that fails may have
  const stubs: Stubs = stubActivities({
    prepareWorkspace: () => Promise.resolve(runPlan({ judge: judge() })),
    judgeRun: () =>
      stubs.argsOf('judgeRun').length <= refusals
        ? Promise.reject(flaky('HTTP 429'))
        : Promise.resolve({ score: 0.9, passed: true }),
  });
  await onBench(stubs, async ({ startRun }) => (await startRun(cell())).result());
  expect(stubs.argsOf('judgeRun')).toHaveLength(refusals + 1);
  expect(stubs.argsOf('writeReport')[0]?.[1].failures).toEqual([]);
});

it('cancelling during the judge ends its step, and the run is reported as cancelled', async () => {
  const stubs = stubActivities({
    prepareWorkspace: () => Promise.resolve(runPlan({ judge: judge() })),
    judgeRun: () => untilCancelled(new Promise(() => undefined)),
  });
  await onBench(stubs, async ({ startRun }) => {
    const handle = await startRun(cell());
    await eventually(() => expect(stepsOf(stubs)).toContain('judgeRun'));
    await handle.cancel();
    expect(await resultOf(handle)).toMatchObject({ outcome: 'cancelled' });
  });
  expect(stepsOf(stubs).slice(2)).toEqual(['judgeRun', 'writeReport', 'cleanUp']);
});
