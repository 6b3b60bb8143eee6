import { expect, test } from 'vitest';
import { useTemporal } from './harness.js';
import { summariesIn } from './history.js';
import { agentStep, cell, command, conversation, gate, runPlan, stubActivities } from './stub-activities.js';

const onBench = useTemporal();

const steps = [agentStep(), conversation({ subject: 'get a list' }), command('make')];
const gates = [
  { ...gate('polite', 'string_contains'), after: 1, everyTurn: true as const },
  { ...gate('list.txt'), after: 1 },
  gate('end.txt'),
];

test('checks the gates of kept steps and of their turns, and performs none of the steps', async () => {
  const plan = runPlan({ steps, gates, kept: { completed: true, turns: [[], [2, 3], []] } });
  const stubs = stubActivities({ prepareWorkspace: () => Promise.resolve(plan) });
  await onBench(stubs, async ({ startRun }) => {
    const handle = await startRun(cell(1));
    expect((await handle.result()).outcome).toBe('pass');
    expect(summariesIn(await handle.fetchHistory())).toEqual([
      'prepare notes',
      'gate 1 of 3: string_contains polite after turn 2',
      'gate 1 of 3: string_contains polite after turn 3',
      'gate 2 of 3: file_exists list.txt',
      'gate 3 of 3: file_exists end.txt',
      'write the report',
      'clean up',
    ]);
  });
});

test.each([
  [true, ['judge house/strict rubric.yaml']],
  [false, []],
])('asks the judge if the kept agent has completed: %s', async (completed, asked) => {
  const plan = runPlan({
    steps: [agentStep()],
    gates: [],
    kept: { completed, turns: [[]] },
    judge: { model: 'house/strict', rubric: 'rubric.yaml', timeoutSecs: 10, always: false },
  });
  const stubs = stubActivities({ prepareWorkspace: () => Promise.resolve(plan) });
  await onBench(stubs, async ({ startRun }) => {
    const handle = await startRun(cell(1));
    await handle.result();
    const summaries = summariesIn(await handle.fetchHistory());
    expect(summaries.filter((summary) => summary.startsWith('judge'))).toEqual(asked);
  });
});
