import { setTimeout as sleep } from 'node:timers/promises';
import { ApplicationFailure, WorkflowFailedError } from '@temporalio/client';
import { expect, test } from 'vitest';
import type { Activities } from '../../src/activities/index.js';
import type { Ending } from '../../src/results/run-record.js';
import { STEPS } from '../../src/workflows/protocol.js';
import { attributesOf, eventually, useTemporal, type RunHandle } from './harness.js';
import { payloadSizes, record, summariesIn } from './history.js';
import {
  blockedAgents,
  brief,
  broken,
  card,
  cell,
  evaluator,
  flaky,
  gate,
  judge,
  post,
  stubActivities,
  untilCancelled,
  type Stubs,
} from './stub-activities.js';

const onBench = useTemporal();
const it = test.concurrent; // they mostly wait

const FULL = card({
  posts: [post('make'), post('make docs')],
  gates: [gate('notes.md'), gate('notes.md', 'file_contains')],
  evaluators: [evaluator('size'), evaluator('style')],
});

/** Activities with their index, as they were called: "checkGate 1". */
const stepsOf = ({ calls }: Stubs): string[] =>
  calls.map(({ activity, args }) => (typeof args[1] === 'number' ? `${activity} ${args[1]}` : activity));

const currentDetails = async (handle: RunHandle): Promise<string> => {
  const metadata = await handle.query<{ currentDetails: string }>('__temporal_workflow_metadata');
  return metadata.currentDetails;
};

it('performs every step as an activity of its own, in declared order, with a summary that says what it does', async () => {
  const stubs = stubActivities({ prepareWorkspace: () => Promise.resolve(FULL) });
  await onBench(stubs, async ({ name, startRun }) => {
    const handle = await startRun(cell(1, { model: 'small' }));
    expect(await handle.result()).toEqual({ outcome: 'pass', message: 'all gates passed', costUsd: 0.25 });
    expect(summariesIn(await handle.fetchHistory())).toEqual([
      'prepare notes',
      'agent mock small',
      'post script 1/2 make',
      'post script 2/2 make docs',
      'gate 1/2 file_exists notes.md',
      'gate 2/2 file_contains notes.md',
      'evaluator 1/2 size',
      'evaluator 2/2 style',
      'write the report',
      'clean up',
    ]);
    expect(stubs.argsOf('runAgent')[0]?.[0]).toMatchObject({
      sweep: name,
      workflowId: handle.workflowId,
      cell: { repetition: 1 },
    });
    expect(stubs.argsOf('writeReport')[0]?.[1]).toMatchObject({ failures: [], cancelled: false });
    await record('run-passed', handle);
  });
  expect(stepsOf(stubs)).toEqual([
    ...['prepareWorkspace', 'runAgent', 'runPostScript 0', 'runPostScript 1', 'checkGate 0', 'checkGate 1'],
    ...['runEvaluator 0', 'runEvaluator 1', 'writeReport', 'cleanUp'],
  ]);
});

it('gives every step its own limit and a minute, and notices within half a minute when its worker is lost', async () => {
  const stubs = stubActivities({
    prepareWorkspace: () =>
      Promise.resolve(
        card({
          agentTimeoutSecs: 600,
          gates: [gate('notes.md')],
          posts: [{ subject: 'make', timeoutSecs: 5 }],
        }),
      ),
  });
  await onBench(stubs, async ({ startRun }) => {
    const handle = await startRun(cell());
    await handle.result();
    const limits = (await handle.fetchHistory()).events?.flatMap(
      ({ activityTaskScheduledEventAttributes: step }) =>
        step
          ? [
              [
                step.activityType?.name,
                Number(step.startToCloseTimeout?.seconds),
                Number(step.heartbeatTimeout?.seconds),
              ],
            ]
          : [],
    );
    expect(limits).toEqual([
      ['prepareWorkspace', 3600, 30],
      ['runAgent', 660, 30],
      ['runPostScript', 65, 30],
      ['checkGate', 90, 30],
      ['writeReport', 3600, 30],
      ['cleanUp', 600, 30],
    ]);
  });
});

it('names the run the same for every step, by time, agent, model and scenario', async () => {
  const stubs = stubActivities({ prepareWorkspace: () => Promise.resolve(FULL) });
  await onBench(stubs, async ({ startRun }) => {
    await (await startRun(cell(1, { model: 'maker/large:free' }))).result();
  });
  const names = new Set(stubs.calls.map(({ args }) => (args[0] as { run: string }).run));
  expect([...names]).toEqual([
    expect.stringMatching(/^\d{8}-\d{6}-mock-maker_large_free-notes-[0-9a-f]{8}$/),
  ]);
});

it('an unfit workspace is reported and the agent is not started', async () => {
  const stubs = stubActivities({
    prepareWorkspace: () => Promise.resolve({ ...FULL, unfit: 'health check failed' }),
  });
  await onBench(stubs, async ({ startRun }) => {
    const handle = await startRun(cell());
    await handle.result();
    await record('run-unfit', handle);
  });
  expect(stepsOf(stubs)).toEqual(['prepareWorkspace', 'writeReport', 'cleanUp']);
});

it('a workspace that cannot be made is reported and the agent is not started', async () => {
  const stubs = stubActivities({ prepareWorkspace: () => Promise.reject(broken('the store is gone')) });
  await onBench(stubs, async ({ startRun }) => (await startRun(cell())).result());
  expect(stepsOf(stubs)).toEqual(['prepareWorkspace', 'writeReport', 'cleanUp']);
  expect(stubs.argsOf('writeReport')[0]?.[1].failures).toEqual([
    { step: STEPS.prepare, message: 'the store is gone' },
  ]);
});

/** The steps of runs whose agents end like this. */
async function stepsAfter(endings: Ending[]): Promise<string[][]> {
  return Promise.all(
    endings.map(async (ending) => {
      const stubs = stubActivities({
        prepareWorkspace: () => Promise.resolve(FULL),
        runAgent: () => Promise.resolve(brief({ ending, completed: ending === 'done' })),
      });
      await onBench(stubs, async ({ startRun }) => (await startRun(cell())).result());
      return stepsOf(stubs);
    }),
  );
}

it('after an agent that could not work or was cancelled nothing is checked', async () => {
  const unchecked = ['prepareWorkspace', 'runAgent', 'writeReport', 'cleanUp'];
  expect(await stepsAfter(['unable', 'cancelled'])).toEqual([unchecked, unchecked]);
});

it('takes the result of an earlier run of the same inputs, and runs nothing', async () => {
  const stubs = stubActivities({ prepareWorkspace: () => Promise.resolve(card({ reuse: 'earlier' })) });
  await onBench(stubs, async ({ startRun }) => {
    const handle = await startRun(cell());
    expect(await handle.result()).toEqual({
      outcome: 'pass',
      message: 'as earlier',
      costUsd: null,
      cached: true,
    });
    await record('run-reused', handle);
  });
  expect(stubs.calls.map(({ activity }) => activity)).toEqual(['prepareWorkspace', 'reuseResult', 'cleanUp']);
});

it('runs after all when the earlier run is gone meanwhile', async () => {
  const stubs = stubActivities({
    prepareWorkspace: () => Promise.resolve(card({ reuse: 'earlier' })),
    reuseResult: () => Promise.resolve(null),
  });
  await onBench(stubs, async ({ startRun }) => {
    expect(await (await startRun(cell())).result()).toMatchObject({ outcome: 'pass', costUsd: 0.25 });
  });
  expect(stubs.calls.map(({ activity }) => activity)).toContain('runAgent');
});

it('a run whose agent ended as cancelled is reported as cancelled', async () => {
  const stubs = stubActivities({
    runAgent: () => Promise.resolve(brief({ ending: 'cancelled', completed: false })),
  });
  await onBench(stubs, async ({ startRun }) => {
    expect(await (await startRun(cell())).result()).toMatchObject({ outcome: 'cancelled' });
  });
});

it('what an agent left is checked however else it ended', async () => {
  for (const steps of await stepsAfter(['gave_up', 'max_turns', 'timeout', 'idle_timeout', 'crashed'])) {
    expect(steps.slice(2, -2)).toEqual([
      ...[
        'runPostScript 0',
        'runPostScript 1',
        'checkGate 0',
        'checkGate 1',
        'runEvaluator 0',
        'runEvaluator 1',
      ],
    ]);
  }
});

it('a failed gate is data: it is not tried again and the steps after it are performed', async () => {
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

it('steps that fail for good are reported and the steps after them are performed', async () => {
  const stubs = stubActivities({
    prepareWorkspace: () => Promise.resolve(FULL),
    runPostScript: (_run, index) =>
      index === 0 ? Promise.reject(broken('no space left')) : Promise.resolve(),
    checkGate: (_run, index) =>
      index === 0 ? Promise.reject(broken('too many open files')) : Promise.resolve('pass'),
    runEvaluator: (_run, index) =>
      index === 0 ? Promise.reject(broken('read-only file system')) : Promise.resolve(),
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

/** The steps of a run with a judge, after its agent. */
async function stepsOfJudged(
  given: Parameters<typeof card>[0],
  overrides: Parameters<typeof stubActivities>[0] = {},
): Promise<string[]> {
  const stubs = stubActivities({
    prepareWorkspace: () => Promise.resolve(card({ judge: judge(), ...given })),
    ...overrides,
  });
  await onBench(stubs, async ({ startRun }) => (await startRun(cell())).result());
  return stepsOf(stubs).slice(2, -2);
}
const TWO_GATES = { gates: [gate('a'), gate('b')] };

it('the judge comes last, after gates that passed and evaluators, with a summary and a limit of its own', async () => {
  const stubs = stubActivities({
    prepareWorkspace: () =>
      Promise.resolve(
        card({ ...TWO_GATES, evaluators: [evaluator('size')], judge: judge({ timeoutSecs: 120 }) }),
      ),
  });
  await onBench(stubs, async ({ startRun }) => {
    const handle = await startRun(cell());
    await handle.result();
    const history = await handle.fetchHistory();
    expect(summariesIn(history).slice(-3)).toEqual([
      'judge house/small rubric.yaml',
      'write the report',
      'clean up',
    ]);
    const scheduled = history.events?.flatMap((event) => event.activityTaskScheduledEventAttributes ?? []);
    const step = scheduled?.find(({ activityType }) => activityType?.name === 'judgeRun');
    expect(Number(step?.startToCloseTimeout?.seconds)).toBe(180);
    expect(Number(step?.heartbeatTimeout?.seconds)).toBe(30);
    await record('run-judged', handle);
  });
  expect(stepsOf(stubs).slice(2)).toEqual([
    ...['checkGate 0', 'checkGate 1', 'runEvaluator 0', 'judgeRun', 'writeReport', 'cleanUp'],
  ]);
});

it('a run is not judged when a gate failed or could not be checked, unless it always is', async () => {
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

it('without gates a run is judged when its agent completed, and one with gates also when it did not', async () => {
  const runAgent: Activities['runAgent'] = () =>
    Promise.resolve(brief({ ending: 'gave_up', completed: false }));
  expect(await stepsOfJudged({})).toEqual(['judgeRun']);
  expect(await stepsOfJudged({}, { runAgent })).toEqual([]);
  expect(await stepsOfJudged({ judge: judge({ always: true }) }, { runAgent })).toEqual(['judgeRun']);
  expect(await stepsOfJudged({ gates: [gate('a')] }, { runAgent })).toEqual(['checkGate 0', 'judgeRun']);
});

it('after an agent that could not work nothing is judged, not even always', async () => {
  const runAgent: Activities['runAgent'] = () =>
    Promise.resolve(brief({ ending: 'unable', completed: false }));
  expect(await stepsOfJudged({ judge: judge({ always: true }) }, { runAgent })).toEqual([]);
});

it('a judge that fails for good is reported like any step', async () => {
  const stubs = stubActivities({
    prepareWorkspace: () => Promise.resolve(card({ gates: [gate('a')], judge: judge() })),
    judgeRun: () => Promise.reject(broken('house/small: HTTP 401')),
  });
  await onBench(stubs, async ({ startRun }) => {
    const handle = await startRun(cell());
    await handle.result();
    await record('run-with-failed-judge', handle);
  });
  expect(stepsOf(stubs).slice(2)).toEqual(['checkGate 0', 'judgeRun', 'writeReport', 'cleanUp']);
  expect(stubs.argsOf('writeReport')[0]?.[1].failures).toEqual([
    { step: STEPS.judge, message: 'house/small: HTTP 401' },
  ]);
});

it('a judge with a rate limit is asked more often than a broken disk', async () => {
  const stubs: Stubs = stubActivities({
    prepareWorkspace: () => Promise.resolve(card({ judge: judge() })),
    judgeRun: () => Promise.reject(flaky('HTTP 429')),
  });
  await onBench(stubs, async ({ startRun }) => (await startRun(cell())).result());
  expect(stubs.argsOf('judgeRun')).toHaveLength(20);
});

it('cancelling while the judge thinks ends the question, and the run is reported as cancelled', async () => {
  const stubs = stubActivities({
    prepareWorkspace: () => Promise.resolve(card({ judge: judge() })),
    judgeRun: () => untilCancelled(new Promise(() => undefined)),
  });
  await onBench(stubs, async ({ startRun }) => {
    const handle = await startRun(cell());
    await eventually(() => expect(stepsOf(stubs)).toContain('judgeRun'));
    await handle.cancel();
    expect(await handle.result()).toMatchObject({ outcome: 'cancelled' });
  });
  expect(stepsOf(stubs).slice(2)).toEqual(['judgeRun', 'writeReport', 'cleanUp']);
});

it('a step that fails once succeeds at its second attempt and is no failure', async () => {
  const failOnce = (of: Stubs['calls'], activity: string) =>
    of.filter((call) => call.activity === activity).length === 1
      ? Promise.reject(flaky('connection reset'))
      : null;
  const stubs: Stubs = stubActivities({
    prepareWorkspace: () => Promise.resolve(card({ gates: [gate('notes.md')] })),
    checkGate: () => failOnce(stubs.calls, 'checkGate') ?? Promise.resolve('pass'),
    writeReport: () =>
      failOnce(stubs.calls, 'writeReport') ??
      Promise.resolve({ outcome: 'pass', message: '', costUsd: null }),
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

it('a step that keeps failing is given up after a while', async () => {
  const stubs = stubActivities({ prepareWorkspace: () => Promise.reject(flaky('the disk is full')) });
  await onBench(stubs, async ({ startRun }) => (await startRun(cell())).result());
  expect(stubs.argsOf('prepareWorkspace')).toHaveLength(8);
  expect(stubs.argsOf('writeReport')[0]?.[1].failures).toEqual([
    { step: 'prepare', message: 'the disk is full' },
  ]);
});

it('cancelling kills the agent, reports the run as cancelled, cleans up and completes', async () => {
  let agentSaw: unknown = null;
  const agents = blockedAgents();
  const stubs = stubActivities({
    prepareWorkspace: () => Promise.resolve(FULL),
    runAgent: (run) =>
      agents.runAgent(run).catch((error: unknown) => Promise.reject((agentSaw = error) as Error)),
  });
  await onBench(stubs, async ({ startRun }) => {
    const handle = await startRun(cell());
    await eventually(() => expect(agents.started).toHaveLength(1));
    await handle.cancel();
    expect(await handle.result()).toMatchObject({ outcome: 'cancelled' });
    expect((await handle.describe()).status.name).toBe('COMPLETED');
    await record('run-cancelled', handle);
  });
  expect(agentSaw).toMatchObject({ name: 'CancelledFailure' });
  expect(stepsOf(stubs)).toEqual(['prepareWorkspace', 'runAgent', 'writeReport', 'cleanUp']);
  expect(stubs.argsOf('writeReport')[0]?.[1]).toMatchObject({ cancelled: true, failures: [] });
});

it('the report of a cancelled run waits until its agent has ended', async () => {
  const events: string[] = [];
  const agents = blockedAgents();
  const dying = (): Promise<void> => sleep(500);
  const stubs = stubActivities({
    runAgent: (run) =>
      agents
        .runAgent(run)
        .finally(dying)
        .finally(() => events.push('agent ended')),
    writeReport: () => {
      events.push('report');
      return Promise.resolve({ outcome: 'cancelled', message: '', costUsd: null });
    },
  });
  await onBench(stubs, async ({ startRun }) => {
    const handle = await startRun(cell());
    await eventually(() => expect(agents.started).toHaveLength(1));
    await handle.cancel();
    await handle.result();
  });
  expect(events).toEqual(['agent ended', 'report']);
});

it('cancelling during a gate skips the gates after it', async () => {
  const stubs = stubActivities({
    prepareWorkspace: () => Promise.resolve(FULL),
    checkGate: () => untilCancelled(new Promise(() => undefined)),
  });
  await onBench(stubs, async ({ startRun }) => {
    const handle = await startRun(cell());
    await eventually(() => expect(stepsOf(stubs)).toContain('checkGate 0'));
    await handle.cancel();
    await handle.result();
  });
  expect(stepsOf(stubs).slice(4)).toEqual(['checkGate 0', 'writeReport', 'cleanUp']);
  expect(stubs.argsOf('writeReport')[0]?.[1].cancelled).toBe(true);
});

it('a run is cancelled also when the step that was under way breaks instead of ending as cancelled', async () => {
  const agents = blockedAgents();
  const stubs = stubActivities({
    prepareWorkspace: () => Promise.resolve(FULL),
    runAgent: (run) => agents.runAgent(run).catch(() => Promise.reject(flaky('the worker was lost'))),
  });
  await onBench(stubs, async ({ startRun }) => {
    const handle = await startRun(cell());
    await eventually(() => expect(agents.started).toHaveLength(1));
    await handle.cancel();
    expect(await handle.result()).toMatchObject({ outcome: 'cancelled' });
  });
  expect(stepsOf(stubs)).toEqual(['prepareWorkspace', 'runAgent', 'writeReport', 'cleanUp']);
  const failures = [{ step: 'agent', message: 'the worker was lost' }];
  expect(stubs.argsOf('writeReport')[0]?.[1]).toMatchObject({ cancelled: true, failures });
});

it('a run that is cancelled before it begins is reported', async () => {
  const stubs = stubActivities();
  await onBench(
    stubs,
    async ({ startRun, work }) => {
      const handle = await startRun(cell());
      await handle.cancel();
      await work(() => handle.result());
    },
    { idle: true },
  );
  expect(stepsOf(stubs)).toEqual(['writeReport', 'cleanUp']);
  expect(stubs.argsOf('writeReport')[0]?.[1].cancelled).toBe(true);
});

it('a report that cannot be written fails the workflow, after the clean-up', async () => {
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

it('a clean-up that fails changes nothing of the result', async () => {
  const stubs = stubActivities({ cleanUp: () => Promise.reject(broken('busy')) });
  await onBench(stubs, async ({ startRun }) => {
    expect(await (await startRun(cell())).result()).toMatchObject({ outcome: 'pass' });
  });
});

it('a clean-up that fails too does not hide why the report could not be written', async () => {
  const stubs = stubActivities({
    writeReport: () => Promise.reject(broken('no space left')),
    cleanUp: () => Promise.reject(broken('busy')),
  });
  await onBench(stubs, async ({ startRun }) => {
    const failure = await (
      await startRun(cell())
    )
      .result()
      .catch((error: unknown) => error as WorkflowFailedError);
    expect(failure).toMatchObject({ cause: { message: 'the report could not be written: no space left' } });
  });
});

it('outcome and cost are search attributes, and a cost that is not known is none', async () => {
  const results = [
    { outcome: 'fail', message: '', costUsd: 0.5 },
    { outcome: 'error', message: '', costUsd: null },
  ] as const;
  const seen = [];
  for (const result of results) {
    const stubs = stubActivities({ writeReport: () => Promise.resolve(result) });
    seen.push(
      await onBench(stubs, async ({ startRun }) => {
        const handle = await startRun(cell());
        await handle.result();
        return attributesOf(await handle.describe());
      }),
    );
  }
  expect(seen).toEqual([{ Outcome: 'fail', CostUsd: 0.5 }, { Outcome: 'error' }]);
});

it('its current details are a table of the steps so far', async () => {
  const agents = blockedAgents();
  const stubs = stubActivities({
    prepareWorkspace: () => Promise.resolve(card({ gates: [gate('a|b'), gate('notes.md')] })),
    runAgent: agents.runAgent,
    checkGate: (_run, index) =>
      index === 0 ? Promise.reject(broken('too many open files')) : Promise.resolve('pass'),
  });
  await onBench(stubs, async ({ startRun }) => {
    const handle = await startRun(cell());
    await eventually(() => expect(agents.started).toHaveLength(1));
    const head = ['| | step | |', '|---|---|---|', '| ✓ | prepare | prepare notes |'];
    expect((await currentDetails(handle)).split('\n')).toEqual([
      ...head,
      '| ▶ | agent | agent mock default |',
    ]);
    agents.releaseAll();
    await handle.result();
    expect((await currentDetails(handle)).split('\n')).toEqual([
      ...head,
      '| ✓ | agent | agent mock default |',
      '| ✗ | gate 1 | gate 1/2 file_exists a\\|b |',
      '| ✓ | gate 2 | gate 2/2 file_exists notes.md |',
      '| ✓ | report | write the report |',
      '| ✓ | clean up | clean up |',
    ]);
  });
});

it('nothing big is in the history, with many gates, long names and long messages', async () => {
  const long = '説明'.repeat(30);
  const stubs = stubActivities({
    prepareWorkspace: () =>
      Promise.resolve(
        card({
          gates: Array.from({ length: 50 }, () => gate(long, 'command_output_contains')),
          evaluators: [evaluator('e'.repeat(3000))],
        }),
      ),
    checkGate: (_run, index) =>
      index < 3 ? Promise.reject(broken(`EACCES: ${'x'.repeat(20_000)}`)) : Promise.resolve('fail'),
  });
  await onBench(stubs, async ({ startRun }) => {
    const handle = await startRun(cell(1, { scenario: 's'.repeat(3000), model: 'm'.repeat(3000) }));
    await handle.result();
    const history = await handle.fetchHistory();
    expect(summariesIn(history)).toHaveLength(55);
    expect(Math.max(...payloadSizes(history))).toBeLessThan(16 * 1024);
  });
});
