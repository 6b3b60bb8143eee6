import { expect, test } from 'vitest';
import type { RunRecord } from '../../../src/model/records/run-record.js';
import { conversationOf } from '../../../src/viewer/pages/conversation.js';
import { mergeSpans, type Span, timelineOf } from '../../../src/viewer/pages/timeline.js';
import type { ShownEvent } from '../../../src/viewer/protocol.js';

const at = (seconds: number): string => new Date(Date.UTC(2026, 0, 1, 0, 0, seconds)).toISOString();
const said = (seq: number, seconds: number, role: 'user' | 'assistant', text: string): ShownEvent => ({
  ...{ type: 'message', role, text, ts: at(seconds), seq, attempt: 1 },
});
const called = (seq: number, seconds: number, id: string): ShownEvent => ({
  ...{ type: 'tool_call', id, name: 'shell', input: null, command: `run ${id}`, ts: at(seconds), seq, attempt: 1 },
});
const answered = (seq: number, seconds: number, id: string, exit_code: number): ShownEvent => ({
  ...{ type: 'tool_result', id, exit_code, is_error: exit_code !== 0, output: '', truncated: false },
  ...{ ts: at(seconds), seq, attempt: 1 },
});
const EVENTS = [
  said(1, 2, 'assistant', 'I look.'),
  called(2, 3, 'a'),
  called(3, 3, 'b'),
  answered(4, 5, 'a', 0),
  answered(5, 6, 'b', 1),
  said(6, 7, 'assistant', 'Again.'),
  called(7, 8, 'c'),
  said(8, 9, 'user', 'Stop.'),
  said(9, 10, 'assistant', 'Done.'),
];
const step = (name: string, seconds: number, ms: number | null): RunRecord['steps'][number] => ({
  ...{ name, status: 'done', duration_ms: ms, attempts: 1, note: null, ended_at: at(seconds) },
});
const lanesOf = (steps: RunRecord['steps']) =>
  Object.fromEntries(timelineOf(steps, conversationOf(EVENTS).items).lanes.map(({ name, spans }) => [name, spans]));

test('steps, turns and calls are on one line of time', () => {
  const { Steps, Turns, Calls } = lanesOf([step('agent', 10, 10_000), step('report', 10, null)]);
  expect(Steps).toMatchObject([{ label: 'agent', from: 0, length: 1, seq: null }]);
  expect(Calls).toMatchObject([
    { label: 'run a', from: 0.3, ms: 2000, seq: 2, hasFailed: false },
    { label: 'run b', from: 0.3, ms: 3000, seq: 3, hasFailed: true },
    { label: 'run c', from: 0.8, ms: 0, seq: 7, hasFailed: false },
  ]);
  // Calls of one answer belong to one turn, and a result or a user ends it.
  expect(Turns).toMatchObject([
    { label: 'I look.', from: 0.2, ms: 4000, hasFailed: true },
    { label: 'Again.', from: 0.7, ms: 1000, hasFailed: false },
    { label: 'Done.', from: 1, ms: 0 },
  ]);
});

test('a run that goes on has no steps, and one without events nothing at all', () => {
  expect(Object.keys(lanesOf([]))).toEqual(['Turns', 'Calls']);
  expect(timelineOf([], [])).toEqual({ totalMs: 1, lanes: [] });
});

test('leaves out what has no time', () => {
  const events = [{ ...said(1, 2, 'assistant', 'I look.'), ts: 'never' }, called(2, 3, 'a')];
  const { lanes } = timelineOf([{ ...step('agent', 3, 10), ended_at: 'x' }], conversationOf(events).items);
  expect(lanes.map(({ name, spans }) => [name, spans.length])).toEqual([['Calls', 1]]);
});

test('what cannot be told apart is drawn as one, but not what has failed', () => {
  const span = (from: number, hasFailed = false): Span => ({
    ...{ label: '', from, length: 0.0001, ms: 1, seq: 1, hasFailed, count: 1 },
  });
  const many = Array.from({ length: 10_000 }, (_, index) => span(index / 10_000, index === 5000));
  const merged = mergeSpans(many, 100);
  expect(merged.length).toBeLessThan(110);
  expect(merged.reduce((sum, { count }) => sum + count, 0)).toBe(10_000);
  expect(merged.filter(({ hasFailed }) => hasFailed)).toEqual([many[5000]]);
});
