import { expect, test } from 'vitest';
import type { Json } from '../../../src/lib/json.js';
import type { EventBody, RunEvent } from '../../../src/model/records/events.js';
import { pairMcpCalls } from '../../../src/model/transcript/mcp-record.js';

const agent = (name: string, input: Json): EventBody => ({
  type: 'tool_call',
  id: name,
  name,
  input,
  command: null,
});
const proxy = (tool: string, args: Json): EventBody => ({
  type: 'mcp_call',
  server: 'my-files',
  tool,
  arguments: args,
  result: null,
  error: null,
  is_error: false,
  duration_ms: 1,
  mocked: false,
});
const numbered = (events: readonly (EventBody & { attempt?: number })[]): RunEvent[] =>
  events.map((event, at) => ({ ts: '', seq: at + 1, attempt: 1, ...event }));
const pairs = (...events: (EventBody & { attempt?: number })[]): [number, number][] =>
  [...pairMcpCalls(numbered(events))].toSorted();

test.each(['mcp__my-files__read', 'my-files.read', 'my-files_read', 'mcp_my-files_read', 'my_files_read', 'read'])(
  'the call of %s is the recorded call of the server, whichever is reported first',
  (name) => {
    expect(pairs(agent(name, { path: 'a' }), proxy('read', { path: 'a' }))).toEqual([[2, 1]]);
    expect(pairs(proxy('read', { path: 'a' }), agent(name, { path: 'a' }))).toEqual([[1, 2]]);
  },
);

test('calls at the same time go together by their arguments, and equal ones in their order', () => {
  const [a, b] = [{ path: 'a', more: 1 }, { path: 'b' }];
  expect(
    pairs(
      ...[agent('my-files.read', a), agent('my-files.read', b), agent('my-files.read', b)],
      ...[proxy('read', b), proxy('read', { more: 1, path: 'a' }), proxy('read', b)],
    ),
  ).toEqual([
    [4, 2],
    [5, 1],
    [6, 3],
  ]);
});

test('a call whose arguments the agent reports differently still is the same call', () => {
  expect(pairs(agent('my-files.read', null), proxy('read', { path: 'a' }))).toEqual([[2, 1]]);
});

test('a tool of another server, of the agent itself, or of another start is another call', () => {
  expect(pairs(agent('other.read', { path: 'a' }), proxy('read', { path: 'a' }))).toEqual([]);
  expect(pairs(agent('read', { path: 'b' }), proxy('read', { path: 'a' }))).toEqual([]);
  expect(pairs(agent('my-files.write', {}), proxy('read', {}))).toEqual([]);
  expect(pairs(agent('my-files.read', {}), { ...proxy('read', {}), attempt: 2 })).toEqual([]);
});

test('a call that the agent reports once is not paired with two recorded ones', () => {
  expect(pairs(agent('my-files.read', {}), proxy('read', {}), proxy('read', {}))).toEqual([[2, 1]]);
});
