import { expect, test } from 'vitest';
import type { McpEvent } from '../../../src/model/records/mcp-events.js';
import { createMcpCollector, type McpRecord } from '../../../src/model/transcript/mcp-record.js';

const call = (change: Partial<Extract<McpEvent, { type: 'mcp_call' }>> = {}): McpEvent => ({
  type: 'mcp_call',
  server: 'files',
  tool: 'write',
  arguments: {},
  result: null,
  error: null,
  is_error: false,
  duration_ms: 1,
  mocked: false,
  ...change,
});

function recordOf(events: readonly McpEvent[]): McpRecord {
  const collector = createMcpCollector();
  for (const event of events) collector.add(event);
  return collector.end();
}

test('a record has the calls with their arguments, and why one failed', () => {
  const text = 'x'.repeat(100_000);
  const { calls, callCount } = recordOf([
    call({ arguments: { text } }),
    call({ is_error: true, result: { content: [{ type: 'text', text: 'disk full' }] } }),
    call({ is_error: true, error: 'no such tool' }),
  ]);
  expect(calls.map(({ arguments: args, why }) => [args, why])).toEqual([
    [{ text }, null],
    [{}, 'disk full'],
    [{}, 'no such tool'],
  ]);
  expect(callCount).toBe(3);
});

test('a record counts all calls, but keeps a thousand, and no more text of arguments than fits into memory', () => {
  const many = recordOf(Array.from({ length: 1500 }, () => call()));
  expect([many.calls.length, many.callCount]).toEqual([1000, 1500]);
  const long = call({ arguments: { text: 'x'.repeat(1024 * 1024) } });
  const large = recordOf(Array.from({ length: 20 }, () => long));
  expect([large.calls.length, large.callCount]).toEqual([7, 20]);
});
