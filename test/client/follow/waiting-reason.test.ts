import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { noteOpenRun, noteReason, noteWait } from '../../../src/activities/step/open-runs.js';
import { waitingRuns, openRunsIn, reasonText } from '../../../src/client/follow/waiting-reason.js';
import type { RunRef } from '../../../src/protocol/index.js';
import { newFolder } from '../../host/temporary.js';

const cell = (id: string) => ({
  id,
  scenario: 's',
  agent: 'mock',
  model: 'default',
  variant: 'default',
  repetition: 1,
});
const ref = (id: string): RunRef => ({
  sweep: 'w',
  cell: cell(id),
  run: `run-${id}`,
  workflowId: `flow-${id}`,
  firstRunId: 'r',
  proof: '',
});

test('an open run says what it waits for, as long as it does', async () => {
  const stateFolder = await newFolder();
  await mkdir(join(stateFolder, 'open-runs'));
  const state = { stateFolder, resultsPath: '', isOwnServer: () => Promise.resolve(true) };
  const [judging, parked, working] = [ref('a'), ref('b'), ref('c')];
  for (const run of [judging, parked, working]) noteOpenRun(state, run);
  noteReason(state, judging, 'house: HTTP 503');
  noteWait(state, parked, {
    waiting: { why: 'busy', provider: 'openai', until: null },
    reason: 'openai: its provider could not be reached',
  });
  const reasons = () =>
    Object.fromEntries(openRunsIn(stateFolder).map(({ workflowId, reason }) => [workflowId, reason]));
  expect(reasons()).toEqual({
    'flow-a': 'house: HTTP 503',
    'flow-b': 'openai: its provider could not be reached',
    'flow-c': null,
  });
  // The sweep knows of parked runs, which hold no slot.
  expect(waitingRuns(stateFolder, 'w').map(({ workflowId }) => workflowId)).toEqual(['flow-a']);
  expect(waitingRuns(stateFolder, 'another')).toEqual([]);

  noteReason(state, judging, null);
  noteWait(state, parked, null);
  expect(reasons()).toEqual({ 'flow-a': null, 'flow-b': null, 'flow-c': null });
  noteReason(state, ref('over'), 'house: HTTP 503');
  expect(openRunsIn(stateFolder)).toHaveLength(3);
});

test('the reasons of several runs become one line', () => {
  expect(reasonText([])).toBeNull();
  expect(reasonText([{ reason: 'house: HTTP 503' }])).toBe('waiting for house: HTTP 503');
  expect(reasonText([{ reason: 'a: x' }, { reason: 'b: y' }])).toBe('waiting for a: x (and 1 other run)');
  expect(reasonText([{ reason: 'a: x' }, { reason: 'b: y' }, { reason: 'c' }])).toMatch(/ 2 other runs\)$/);
});
