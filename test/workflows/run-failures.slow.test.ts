import { Context } from '@temporalio/activity';
import { ApplicationFailure, WorkflowFailedError } from '@temporalio/client';
import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import type { Activities } from '../../src/activities/create-activities.js';
import type { Deps } from '../../src/activities/step/deps.js';
import { withRetryPolicy } from '../../src/activities/step/retry-policy.js';
import { LIMITS } from '../../src/lib/limits.js';
import type { EndReason } from '../../src/model/records/run-record.js';
import { STEPS } from '../../src/model/step-names.js';
import { attributesOf, useTemporal, resultOf } from './harness.js';
import { record } from './history.js';
import {
  brief,
  broken,
  runPlan,
  cell,
  flaky,
  FULL,
  gate,
  stepsOf,
  stubActivities,
  type Stubs,
} from './stub-activities.js';
import { isOwnServer } from '../activities/in-activity.js';

const onBench = useTemporal();
const it = test.concurrent; // they mostly wait

it('reports an unfit workspace and does not start the agent', async () => {
  const stubs = stubActivities({
    prepareWorkspace: () => Promise.resolve({ ...FULL, unfit: 'health check failed' }),
  });
  await onBench(stubs, async ({ startRun }) => {
    const handle = await startRun(cell());
    await handle.result();
  });
  expect(stepsOf(stubs)).toEqual(['prepareWorkspace', 'writeReport', 'cleanUp']);
});

it('reports a workspace that cannot be created and does not start the agent', async () => {
  const stubs = stubActivities({ prepareWorkspace: () => Promise.reject(broken('the store is gone')) });
  await onBench(stubs, async ({ startRun }) => (await startRun(cell())).result());
  expect(stepsOf(stubs)).toEqual(['prepareWorkspace', 'writeReport', 'cleanUp']);
  expect(stubs.argsOf('writeReport')[0]?.[1].failures).toEqual([{ step: STEPS.prepare, message: 'the store is gone' }]);
});

/** The steps of one run for each of these endings of its agent. */
async function stepsAfter(endings: EndReason[]): Promise<string[][]> {
  return Promise.all(
    endings.map(async (ending) => {
      const stubs = stubActivities({
        prepareWorkspace: () => Promise.resolve(FULL),
        runAgent: () => Promise.resolve(brief({ ending, completed: ending === 'done' })),
      });
      await onBench(stubs, async ({ startRun }) => resultOf(await startRun(cell())));
      return stepsOf(stubs);
    }),
  );
}

it('checks nothing after an agent that could not work or was cancelled', async () => {
  const unchecked = ['prepareWorkspace', 'runAgent', 'writeReport', 'cleanUp'];
  expect(await stepsAfter(['unable', 'cancelled'])).toEqual([unchecked, unchecked]);
});

it('checks what an agent left after any other ending', async () => {
  for (const steps of await stepsAfter(['gave_up', 'max_turns', 'timeout', 'idle_timeout', 'crashed'])) {
    expect(steps.slice(2, -2)).toEqual([
      ...['runPostScript 0', 'runPostScript 1', 'checkGate 0', 'checkGate 1', 'runEvaluator 0', 'runEvaluator 1'],
    ]);
  }
});

it('a failed gate is data: it is not tried again, and the steps after it are performed', async () => {
  const stubs = stubActivities({
    prepareWorkspace: () => Promise.resolve(FULL),
    checkGate: (_run, index) => Promise.resolve(index === 0 ? 'fail' : 'error'),
  });
  await onBench(stubs, async ({ startRun }) => (await startRun(cell())).result());
  expect(stepsOf(stubs).slice(4)).toEqual([
    ...['checkGate 0', 'checkGate 1', 'runEvaluator 0', 'runEvaluator 1', 'writeReport', 'cleanUp'],
  ]);
  expect(stubs.argsOf('writeReport')[0]?.[1].failures).toEqual([]);
});

it('reports steps that fail for good and performs the steps after them', async () => {
  const stubs = stubActivities({
    prepareWorkspace: () => Promise.resolve(FULL),
    runPostScript: (_run, index) => (index === 0 ? Promise.reject(broken('no space left')) : Promise.resolve()),
    checkGate: (_run, index) => (index === 0 ? Promise.reject(broken('too many open files')) : Promise.resolve('pass')),
    runEvaluator: (_run, index) => (index === 0 ? Promise.reject(broken('read-only file system')) : Promise.resolve()),
  });
  await onBench(stubs, async ({ startRun }) => {
    const handle = await startRun(cell());
    await handle.result();
    await record('run-with-failed-steps', handle);
  });
  expect(stepsOf(stubs)).toEqual([
    ...['prepareWorkspace', 'runAgent', 'runPostScript 0', 'runPostScript 1', 'checkGate 0', 'checkGate 1'],
    ...['runEvaluator 0', 'runEvaluator 1', 'writeReport', 'cleanUp'],
  ]);
  expect(stubs.argsOf('writeReport')[0]?.[1].failures).toEqual([
    { step: 'post 1', message: 'no space left' },
    { step: 'gate 1', message: 'too many open files' },
    { step: 'evaluator 1', message: 'read-only file system' },
  ]);
});

it('a step that fails once and succeeds at its second attempt is not reported as a failure', async () => {
  const failOnce = (of: Stubs['calls'], activity: string) =>
    of.filter((call) => call.activity === activity).length === 1 ? Promise.reject(flaky('connection reset')) : null;
  const stubs: Stubs = stubActivities({
    prepareWorkspace: () => Promise.resolve(runPlan({ gates: [gate('notes.md')] })),
    checkGate: () => failOnce(stubs.calls, 'checkGate') ?? Promise.resolve('pass'),
    writeReport: () =>
      failOnce(stubs.calls, 'writeReport') ?? Promise.resolve({ outcome: 'pass', message: '', costUsd: null }),
  });
  await onBench(stubs, async ({ startRun }) => (await startRun(cell())).result());
  expect(stubs.calls.map(({ activity, attempt }) => `${activity} ${attempt}`)).toEqual([
    ...[
      'prepareWorkspace 1',
      'runAgent 1',
      'checkGate 1',
      'checkGate 2',
      'writeReport 1',
      'writeReport 2',
      'cleanUp 1',
    ],
  ]);
  expect(stubs.argsOf('writeReport')[0]?.[1].failures).toEqual([]);
});

const DEPS: Deps = {
  resultsPath: '/nowhere',
  stateFolder: tmpdir(),
  isOwnServer,
  limits: { ...LIMITS, waitedOutMs: 1 },
};

/** A preparation with the retry policy of a worker; each of its attempts fails with this error. */
const failing = (fail: (attempt: number) => Error): Stubs => {
  let attempts = 0;
  const prepareWorkspace: Activities['prepareWorkspace'] = () => Promise.reject(fail(++attempts));
  return stubActivities(withRetryPolicy(DEPS, { prepareWorkspace }));
};

it('gives up a step after 8 failures of its own', async () => {
  const stubs = failing(() => flaky('no such thing'));
  await onBench(stubs, async ({ startRun }) => (await startRun(cell())).result());
  expect(stubs.argsOf('prepareWorkspace')).toHaveLength(8);
  expect(stubs.argsOf('writeReport')[0]?.[1].failures).toEqual([{ step: 'prepare', message: 'no such thing' }]);
});

it('attempts that failed because of a full disk do not count towards giving up a step', async () => {
  const full = Object.assign(new Error('ENOSPC'), { code: 'ENOSPC', syscall: 'write' });
  const stubs = failing((attempt) => (attempt <= 3 ? full : flaky('no such thing')));
  await onBench(stubs, async ({ startRun }) => (await startRun(cell())).result());
  expect(stubs.argsOf('prepareWorkspace')).toHaveLength(3 + 8);
});

/** Fails a step as another worker does after the death of its own (activities/watch/fail-orphaned-activities.ts). */
async function loseWorker(): Promise<void> {
  const { client, info } = Context.current();
  const { workflowId = '', runId = '' } = info.workflowExecution ?? {};
  await client.activity.fail({ workflowId, runId, activityId: info.activityId }, flaky('worker lost'));
}

it('gives up the step of an agent after 8 failures of its own; full disks and lost workers do not count', async () => {
  const full = Object.assign(new Error('ENOSPC'), { code: 'ENOSPC', syscall: 'write' });
  const runAgent: Activities['runAgent'] = async () => {
    const { attempt } = Context.current().info;
    if (attempt === 4) throw full;
    if (attempt > 5 && attempt <= 9) await loseWorker();
    throw flaky('no such thing');
  };
  const stubs = stubActivities(withRetryPolicy(DEPS, { runAgent }));
  await onBench(stubs, async ({ startRun }) => (await startRun(cell())).result());
  expect(stubs.argsOf('runAgent')).toHaveLength(8 + 1 + 4);
  expect(stubs.argsOf('writeReport')[0]?.[1].failures).toEqual([{ step: STEPS.agent(1), message: 'no such thing' }]);
});

it('a report that cannot be written fails the workflow after the clean-up', async () => {
  const stubs = stubActivities({ writeReport: () => Promise.reject(broken('no space left')) });
  await onBench(stubs, async ({ startRun }) => {
    const handle = await startRun(cell());
    const failure: unknown = await handle.result().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(WorkflowFailedError);
    const { cause } = failure as WorkflowFailedError;
    expect(cause).toBeInstanceOf(ApplicationFailure);
    expect(cause).toMatchObject({
      message: 'the report could not be written: no space left',
      type: 'ReportNotWritten',
      nonRetryable: true,
    });
    expect(attributesOf(await handle.describe())).toEqual({ Outcome: 'error' });
  });
  expect(stepsOf(stubs)).toEqual(['prepareWorkspace', 'runAgent', 'writeReport', 'cleanUp']);
});

it('a failed clean-up does not change the result', async () => {
  const stubs = stubActivities({ cleanUp: () => Promise.reject(broken('busy')) });
  await onBench(stubs, async ({ startRun }) => {
    expect(await (await startRun(cell())).result()).toMatchObject({ outcome: 'pass' });
  });
});

it('a failed clean-up does not hide why the report could not be written', async () => {
  const stubs = stubActivities({
    writeReport: () => Promise.reject(broken('no space left')),
    cleanUp: () => Promise.reject(broken('busy')),
  });
  await onBench(stubs, async ({ startRun }) => {
    const failure = await (await startRun(cell())).result().catch((error: unknown) => error as WorkflowFailedError);
    expect(failure).toMatchObject({ cause: { message: 'the report could not be written: no space left' } });
  });
});
