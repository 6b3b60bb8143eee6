import { ApplicationFailure } from '@temporalio/common';
import { expect, test } from 'vitest';
import { useTemporal } from './harness.js';
import { record, summariesIn } from './history.js';
import { agentStep, brief, cell, command, conversation, gate, runPlan, stubActivities } from './stub-activities.js';

const onBench = useTemporal();
const it = test.concurrent; // they mostly wait

const lastsTurns = (turns: number) => ({
  endConversation: (_run: unknown, { number }: { number: number }) =>
    Promise.resolve({ reason: number >= turns ? 'goal_achieved' : null, workedSecs: 10 * number }),
});

it('performs each turn, its gates, the decision and the message of the user as activities with readable summaries', async () => {
  const plan = runPlan({
    steps: [agentStep(), conversation({ subject: 'get a list' }), command('make')],
    gates: [
      { ...gate('polite', 'string_contains'), after: 1, everyTurn: true },
      { ...gate('list.txt'), after: 1 },
      gate('end.txt'),
    ],
  });
  const stubs = stubActivities({ prepareWorkspace: () => Promise.resolve(plan), ...lastsTurns(3) });
  await onBench(stubs, async ({ startRun }) => {
    const handle = await startRun(cell(1));
    expect((await handle.result()).outcome).toBe('pass');
    expect(summariesIn(await handle.fetchHistory())).toEqual([
      'prepare notes',
      'agent mock default',
      'agent mock default, turn 2',
      'gate 1 of 3: string_contains polite after turn 2',
      'is the conversation over? get a list',
      'user, turn 3: get a list',
      'agent mock default, turn 3',
      'gate 1 of 3: string_contains polite after turn 3',
      'is the conversation over? get a list',
      'gate 2 of 3: file_exists list.txt',
      'post script 1 of 1: make',
      'gate 3 of 3: file_exists end.txt',
      'write the report',
      'clean up',
    ]);
    await record('run-conversation', handle);
  });
  expect(stubs.argsOf('runAgent').map(([, nth, turn]) => [nth, turn])).toEqual([
    [undefined, undefined],
    [1, { number: 2, at: 1 }],
    [1, { number: 3, at: 1 }],
  ]);
});

it('gives a turn only the time that is left of the conversation', async () => {
  const plan = runPlan({ steps: [conversation({ timeoutSecs: 30, totalSecs: 45 })] });
  const stubs = stubActivities({ prepareWorkspace: () => Promise.resolve(plan), ...lastsTurns(4) });
  await onBench(stubs, async ({ startRun }) => {
    await (await startRun(cell(1))).result();
  });
  expect(stubs.argsOf('runAgent').map(([, , turn]) => turn?.limitSecs)).toEqual([undefined, undefined, 25, 15]);
});

it('a step that fails for good ends the conversation, and the run is reported', async () => {
  const plan = runPlan({ steps: [conversation()], gates: [gate('end.txt')] });
  const stubs = stubActivities({
    prepareWorkspace: () => Promise.resolve(plan),
    ...lastsTurns(3),
    simulateUser: () => Promise.reject(ApplicationFailure.nonRetryable('no model')),
  });
  await onBench(stubs, async ({ startRun }) => {
    const handle = await startRun(cell(1));
    await handle.result();
  });
  expect(stubs.argsOf('runAgent')).toHaveLength(1);
  expect(stubs.argsOf('checkGate')).toEqual([]);
  const [[, report] = []] = stubs.argsOf('writeReport');
  expect(report?.failures).toEqual([{ step: 'user 2', message: 'no model' }]);
});

it('a wait for the provider in a later turn is not ended by the signal for an earlier one', async () => {
  const plan = runPlan({ steps: [agentStep(), agentStep()] });
  const refused = brief({
    ending: 'unable',
    completed: false,
    message: 'not served',
    costUsd: null,
    provider: 'house',
    again: { why: 'busy', at: null },
  });
  const stubs = stubActivities({
    prepareWorkspace: () => Promise.resolve(plan),
    runAgent: (_run, nth) => Promise.resolve(nth === 2 ? brief() : refused),
  });
  await onBench(stubs, async ({ startRun }) => {
    const handle = await startRun(cell(1));
    expect((await handle.result()).outcome).toBe('pass');
    const timers = (await handle.fetchHistory()).events?.filter(({ timerStartedEventAttributes: timer }) => timer);
    expect(timers).toHaveLength(2);
  });
});
