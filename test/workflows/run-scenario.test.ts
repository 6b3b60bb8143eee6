import { expect, test } from 'vitest';
import { attributesOf, eventually, resultOf, useTemporal, type RunHandle } from './harness.js';
import { payloadSizes, record, summariesIn } from './history.js';
import {
  agentStep,
  blockedAgents,
  broken,
  runPlan,
  cell,
  command,
  evaluator,
  FULL,
  gate,
  stepsOf,
  stubActivities,
} from './stub-activities.js';

const onBench = useTemporal();
const it = test.concurrent;

const currentDetails = async (handle: RunHandle): Promise<string> => {
  const metadata = await handle.query<{ currentDetails: string }>('__temporal_workflow_metadata');
  return metadata.currentDetails;
};

it('performs every step as a separate activity, in declared order, with a summary of what it does', async () => {
  const stubs = stubActivities({ prepareWorkspace: () => Promise.resolve(FULL) });
  await onBench(stubs, async ({ name, startRun }) => {
    const handle = await startRun(cell(1, { model: 'small' }));
    expect(await handle.result()).toEqual({ outcome: 'pass', message: 'all gates passed', costUsd: 0.25 });
    expect(summariesIn(await handle.fetchHistory())).toEqual([
      'prepare notes',
      'agent mock small',
      'post script 1 of 2: make',
      'post script 2 of 2: make docs',
      'gate 1 of 2: file_exists notes.md',
      'gate 2 of 2: file_contains notes.md',
      'evaluator 1 of 2: size',
      'evaluator 2 of 2: style',
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

it('gives every step its own limit plus a minute, and notices a lost worker within a minute', async () => {
  const stubs = stubActivities({
    prepareWorkspace: () =>
      Promise.resolve(
        runPlan({
          steps: [agentStep(600), command('make', 5)],
          gates: [gate('notes.md')],
        }),
      ),
  });
  await onBench(stubs, async ({ startRun }) => {
    const handle = await startRun(cell());
    await handle.result();
    const limits = (await handle.fetchHistory()).events?.flatMap(({ activityTaskScheduledEventAttributes: step }) =>
      step
        ? [[step.activityType?.name, Number(step.startToCloseTimeout?.seconds), Number(step.heartbeatTimeout?.seconds)]]
        : [],
    );
    expect(limits).toEqual([
      ['prepareWorkspace', 3600, 60],
      ['runAgent', 660, 60],
      ['runPostScript', 65, 60],
      ['checkGate', 90, 60],
      ['writeReport', 3600, 60],
      ['cleanUp', 600, 60],
    ]);
  });
});

it('adds the time to rebuild the workspace to the limit of the agent step', async () => {
  const rebuilding = runPlan({ steps: [agentStep(600, 1230)] });
  const stubs = stubActivities({ prepareWorkspace: () => Promise.resolve(rebuilding) });
  await onBench(stubs, async ({ startRun }) => {
    const handle = await startRun(cell());
    await handle.result();
    const steps = (await handle.fetchHistory()).events?.flatMap(({ activityTaskScheduledEventAttributes: step }) =>
      step ? [step] : [],
    );
    const agent = steps?.find(({ activityType }) => activityType?.name === 'runAgent');
    expect(Number(agent?.startToCloseTimeout?.seconds)).toBe(600 + 1230 + 60);
  });
});

it('gives every step the same run name, made of time, agent, model and scenario', async () => {
  const stubs = stubActivities({ prepareWorkspace: () => Promise.resolve(FULL) });
  await onBench(stubs, async ({ startRun }) => {
    await (await startRun(cell(1, { model: 'maker/large:free' }))).result();
  });
  const names = new Set(stubs.calls.map(({ args }) => (args[0] as { run: string }).run));
  expect([...names]).toEqual([expect.stringMatching(/^\d{8}-\d{6}-mock-maker_large_free-notes-[0-9a-f]{8}$/)]);
});

it('takes the result of an earlier run with the same inputs and runs nothing', async () => {
  const stubs = stubActivities({ prepareWorkspace: () => Promise.resolve(runPlan({ reuse: 'earlier' })) });
  await onBench(stubs, async ({ startRun }) => {
    const handle = await startRun(cell());
    expect(await handle.result()).toEqual({
      outcome: 'pass',
      message: 'as earlier',
      costUsd: null,
      cached: true,
    });
  });
  expect(stubs.calls.map(({ activity }) => activity)).toEqual(['prepareWorkspace', 'reuseResult', 'cleanUp']);
});

it('runs after all when the earlier run has disappeared in the meantime', async () => {
  const stubs = stubActivities({
    prepareWorkspace: () => Promise.resolve(runPlan({ reuse: 'earlier' })),
    reuseResult: () => Promise.resolve(null),
  });
  await onBench(stubs, async ({ startRun }) => {
    expect(await (await startRun(cell())).result()).toMatchObject({ outcome: 'pass', costUsd: 0.25 });
  });
  expect(stubs.calls.map(({ activity }) => activity)).toContain('runAgent');
});

it('sets outcome and cost as search attributes, and leaves out an unknown cost', async () => {
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
        await resultOf(handle);
        return attributesOf(await handle.describe());
      }),
    );
  }
  expect(seen).toEqual([{ Outcome: 'fail', CostUsd: 0.5 }, { Outcome: 'error' }]);
});

it('the current details of a run are a table of its steps so far', async () => {
  const agents = blockedAgents();
  const stubs = stubActivities({
    prepareWorkspace: () => Promise.resolve(runPlan({ gates: [gate('a|b'), gate('notes.md')] })),
    runAgent: agents.runAgent,
    checkGate: (_run, index) => (index === 0 ? Promise.reject(broken('too many open files')) : Promise.resolve('pass')),
  });
  await onBench(stubs, async ({ startRun }) => {
    const handle = await startRun(cell());
    await eventually(() => expect(agents.started).toHaveLength(1));
    const head = ['| | step | |', '|---|---|---|', '| ✓ | prepare | prepare notes |'];
    expect((await currentDetails(handle)).split('\n')).toEqual([...head, '| ▶ | agent | agent mock default |']);
    agents.releaseAll();
    await handle.result();
    expect((await currentDetails(handle)).split('\n')).toEqual([
      ...['**pass**: all gates passed', ''],
      ...head,
      '| ✓ | agent | agent mock default |',
      '| ✗ | gate 1 | gate 1 of 2: file_exists a\\|b |',
      '| ✓ | gate 2 | gate 2 of 2: file_exists notes.md |',
      '| ✓ | report | write the report |',
      '| ✓ | clean up | clean up |',
    ]);
  });
});

it('the history stays small with many gates, long names and long messages', async () => {
  const long = '説明'.repeat(30);
  const stubs = stubActivities({
    prepareWorkspace: () =>
      Promise.resolve(
        runPlan({
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
