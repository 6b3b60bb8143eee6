import { expect, it } from 'vitest';
import { callsWithoutResult } from '../../../src/model/transcript/calls-without-result.js';
import { shell, target } from '../transcripts.js';

const find = (events: ReturnType<typeof shell>[], hidesFailures = false): string[] =>
  callsWithoutResult(events.flat(), target, hidesFailures);

it('finds calls of the target that had not ended, and no other commands', () => {
  expect(find([shell('tool add'), shell('tool list', null), shell('sleep 9', null)])).toEqual(['tool list']);
  expect(find([shell('cd x && tool add; tool rm', null)])).toEqual(['tool add', 'tool rm']);
  expect(callsWithoutResult(shell('tool list', null), null, false)).toEqual([]);
});

it('takes the word of an agent for the end of a call, unless that hides failures', () => {
  const silent = shell('tool add', { exit_code: null });
  expect([find([silent]), find([silent], true)]).toEqual([[], ['tool add']]);
  const known = [shell('tool a', { exit_code: 0 }), shell('tool b', { exit_code: null, is_error: true })];
  expect(find(known, true)).toEqual([]);
});

it('assigns a result without a call to the call before it', () => {
  expect(find([shell('tool add', { exit_code: 0, id: 'other' })])).toEqual([]);
});
