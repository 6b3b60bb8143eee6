import { expect, test } from 'vitest';
import type { RunEvent } from '../../../src/model/records/events.js';
import { findIn } from '../../../src/viewer/shared/find-text.js';

const about = { ts: '2026-01-02T03:04:05Z', seq: 7, attempt: 1 };
const said = (text: string): RunEvent => ({ ...about, type: 'message', role: 'assistant', text });

test('finds a text whatever its case, with what stands around it', () => {
  expect(findIn(said('The parcel has 4 Lamps.'), 'lamps')).toEqual({
    ...{ seq: 7, before: 'The parcel has 4 ', found: 'Lamps', after: '.' },
  });
  const long = findIn(said(`${'a'.repeat(500)}needle${'b'.repeat(500)}`), 'needle');
  expect(long).toEqual({ seq: 7, before: `…${'a'.repeat(80)}`, found: 'needle', after: `${'b'.repeat(80)}…` });
});

test('looks in the arguments of calls, and not in what no reader sees', () => {
  const call: RunEvent = {
    ...{ ...about, type: 'tool_call', id: 'call_4711', name: 'write', command: null },
    input: { files: [{ path: 'notes.md' }] },
  };
  expect(findIn(call, 'notes.md')).toMatchObject({ found: 'notes.md' });
  expect(['4711', '2026', 'tool_call', 'path'].map((text) => findIn(call, text))).toEqual([null, null, null, null]);
});

test('shows foreign text without its control characters', () => {
  expect(findIn(said('\u001b[31mred\u001b[0m alert'), 'alert')).toMatchObject({ before: 'red ' });
});
