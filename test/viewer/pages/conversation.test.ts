import { expect, test } from 'vitest';
import type { EventBody } from '../../../src/model/records/events.js';
import type { GateDetail } from '../../../src/model/records/result-line.js';
import {
  type Call,
  conversationOf,
  hasFailed,
  indexOfEvent,
  nextFailed,
  relatedCalls,
} from '../../../src/viewer/pages/conversation.js';

const numbered = (events: readonly EventBody[], attempt = 1) =>
  events.map((event, at) => ({ ...event, ts: '2026-01-02T03:04:05Z', seq: at + 1, attempt }));
const call = (id: string, command: string): EventBody => ({
  type: 'tool_call',
  id,
  name: 'shell',
  input: null,
  command,
});
const result = (id: string, exit_code: number | null, is_error = false): EventBody => ({
  type: 'tool_result',
  id,
  exit_code,
  is_error,
  output: '',
  truncated: false,
});
const usage = (cost_usd: number | null): EventBody => ({
  type: 'usage',
  input: 10,
  output: 5,
  reasoning: null,
  cache_read: null,
  cache_write: null,
  cost_usd,
});
const callsIn = (events: readonly EventBody[]): Call[] =>
  conversationOf(numbered(events)).items.filter((item): item is Call => item.kind === 'call');

test('results belong to the calls with their ids, also of calls at the same time', () => {
  const calls = callsIn([call('a', 'one'), call('b', 'two'), result('b', 1), result('a', 0), call('c', 'three')]);
  expect(calls.map(({ command, result: of }) => [command, of?.exit_code])).toEqual([
    ['one', 0],
    ['two', 1],
    ['three', undefined],
  ]);
  expect(calls.map(hasFailed)).toEqual([false, true, false]);
});

test('an id that a second start uses again is another call', () => {
  const events = [...numbered([call('a', 'one'), result('a', 0)]), ...numbered([call('a', 'two'), result('a', 2)], 2)];
  expect(conversationOf(events).used).toMatchObject({ calls: 2, failed: 1 });
});

const toolCall = (id: string, name: string, input: Record<string, string>): EventBody => ({
  type: 'tool_call',
  id,
  name,
  input,
  command: null,
});
const mcpCall = (tool: string, args: Record<string, string>, is_error = false): EventBody => ({
  type: 'mcp_call',
  server: 'files',
  tool,
  arguments: args,
  result: null,
  error: null,
  is_error,
  duration_ms: 12,
  mocked: false,
});

test('a call of an MCP server is one call, with what its proxy has recorded', () => {
  const { items, used } = conversationOf(
    numbered([
      ...[toolCall('a', 'mcp__files__read', { path: 'x' }), mcpCall('read', { path: 'x' }, true), result('a', null)],
      ...[mcpCall('write', { path: 'y' }), toolCall('b', 'mcp__files__read', { path: 'z' })],
      { type: 'mcp_problem', server: 'files', message: 'it ended' },
    ]),
  );
  expect(items.map((item) => [item.kind, item.kind === 'call' ? (item.mcp?.tool ?? null) : null])).toEqual([
    ['call', 'read'],
    ['mcp', null], // the agent has not reported it
    ['call', null], // its proxy has not recorded it yet
    ['problem', null],
  ]);
  expect(used).toMatchObject({ calls: 3, failed: 1, mcpCalls: 2 });
});

test('says which skills a call uses', () => {
  const events = [toolCall('a', 'Skill', { skill: 'stamp' }), call('b', 'cat skills/pdf/SKILL.md; ls')];
  expect(callsIn(events).map(({ skills }) => skills)).toEqual([['stamp'], ['pdf']]);
  expect(conversationOf(numbered([...events, ...events])).used.skills).toEqual(['stamp', 'pdf']);
});

test('adds up what is reported, and leaves unknown what is not', () => {
  expect(conversationOf(numbered([usage(0.5), usage(0.25)])).used).toMatchObject({
    tokensIn: 20,
    tokensOut: 10,
    costUsd: 0.75,
  });
  expect(conversationOf(numbered([usage(null)])).used.costUsd).toBeNull();
  const session: EventBody = { type: 'session', session_id: null, model_requested: null, model_used: null };
  const total: EventBody = { ...(usage(0.2) as Extract<EventBody, { type: 'usage' }>), cost_of_start: true };
  const resumed = [session, usage(0.1), session, usage(0.1), total];
  expect(conversationOf(numbered(resumed)).used.costUsd).toBeCloseTo(0.3);
});

const gate = (more: Partial<GateDetail>): GateDetail => ({
  index: 0,
  gate_type: 'script',
  name: null,
  subject: '',
  status: 'fail',
  passed: false,
  message: '',
  detail: null,
  duration_ms: 1,
  ...more,
});
const CALLS = callsIn([
  ...[call('a', 'cat report.md'), result('a', 0), call('b', 'stock remove lamps'), result('b', 2)],
  ...[call('c', 'echo 1 > report.md'), result('c', 0)],
]);
const related = (more: Partial<GateDetail>): (string | null)[] =>
  relatedCalls(gate(more), CALLS).map(({ call: { command } }) => command);

test('finds the calls that a gate quotes, the last one that names its file, and those that failed', () => {
  expect(related({ message: '1 of 3 commands failed: "stock remove lamps"' })).toEqual(['stock remove lamps']);
  expect(related({ gate_type: 'file_matches', subject: 'report.md' })).toEqual(['echo 1 > report.md']);
  expect(related({ gate_type: 'no_transcript_errors' })).toEqual(['stock remove lamps']);
});

test('a command that only begins like the one that a gate quotes is another one', () => {
  const scripts = [
    ...['mytool list --keep 30', 'mytool list --keep 3', 'cd x && mytool list --keep 3 | head', 'mytool list'],
    ...['FORCE=1 mytool list --keep 3', 'echo "mytool list --keep 3"', 'if ok; then mytool list --keep 3; fi'],
  ];
  const calls = callsIn(scripts.flatMap((script, at) => [call(String(at), script), result(String(at), 1)]));
  const named = (message: string, type = 'script'): number[] =>
    relatedCalls(gate({ gate_type: type, message }), calls).map(({ call: { event } }) => Number(event.id));
  expect(named('1 of 9 commands failed: "mytool list --keep 3"', 'no_transcript_errors')).toEqual([1, 2, 4]);
  expect(named('found "mytool list"')).toEqual([3]);
  expect(named('found "mytool list --keep 30"')).toEqual([0]);
  expect(named('found "if ok; then mytool li…"')).toEqual([6]);
  expect(named('mytool list --keep 3')).toEqual([]);
});

test('a gate on failed calls names none that succeeded, and one on a file none that names another file', () => {
  const calls = callsIn([
    ...[call('a', 'mytool list 1'), result('a', 0), call('b', 'mytool list 1'), result('b', 2)],
    ...[call('c', 'cat old-notes.md'), result('c', 0), call('d', 'cat ./notes.md'), result('d', 0)],
    ...[call('e', 'cat notes.md.bak notes.md/x'), result('e', 0)],
  ]);
  const named = (more: Partial<GateDetail>): string[] =>
    relatedCalls(gate(more), calls).map(({ call: { event } }) => event.id);
  expect(named({ gate_type: 'no_transcript_errors', message: '1 failed: "mytool list 1"' })).toEqual(['b']);
  expect(named({ gate_type: 'file_contains', subject: 'notes.md' })).toEqual(['d']);
});

test('finds the item that shows an event, and the next failed call, beginning again after the last one', () => {
  const { items } = conversationOf(
    numbered([call('a', 'one'), usage(null), result('a', 1), call('b', 'two'), result('b', 0), call('c', 'three')]),
  );
  expect([1, 2, 3, 5, 6, 99].map((seq) => indexOfEvent(items, seq))).toEqual([0, 0, 0, 1, 2, 2]);
  expect([0, 1, 4].map((after) => nextFailed(items, after))).toEqual([1, 1, 1]);
  expect(nextFailed(items.slice(1), 0)).toBeNull();
});

test('of a gate that asks for no errors of MCP servers, names the calls that failed', () => {
  const calls = callsIn([
    ...[toolCall('a', 'files.read', { path: 'x' }), mcpCall('read', { path: 'x' })],
    ...[toolCall('b', 'files.read', { path: 'y' }), mcpCall('read', { path: 'y' }, true)],
  ]);
  expect(relatedCalls(gate({ gate_type: 'mcp_no_errors' }), calls).map(({ call: of }) => of.event.id)).toEqual(['b']);
});

test('names no call if nothing is known', () => {
  expect(related({ gate_type: 'file_exists', subject: 'other.md' })).toEqual([]);
  expect(related({ message: 'there are 14 cables' })).toEqual([]);
});

test('of an agent that is known by its text only, nobody knows how many calls it made', () => {
  const text: EventBody = { type: 'message', role: 'assistant', text: 'Done.' };
  expect(conversationOf(numbered([text])).used.calls).toBeNull();
  expect(conversationOf(numbered([usage(null), text])).used.calls).toBe(0);
});
