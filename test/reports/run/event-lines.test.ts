import { expect, test } from 'vitest';
import type { EventBody } from '../../../src/model/records/events.js';
import { eventLines } from '../../../src/reports/run/event-lines.js';

const lines = (event: EventBody): string[] => eventLines(event, false);
const result = {
  type: 'tool_result',
  id: '1',
  exit_code: 0,
  is_error: false,
  output: '',
  truncated: false,
} as const;

test('shows commands, their output and exit code, and messages', () => {
  expect(lines({ type: 'tool_call', id: '1', name: 'Bash', input: {}, command: 'ls\npwd' })).toEqual(['$ ls', 'pwd']);
  expect(lines({ type: 'tool_call', id: '1', name: 'Read', input: { a: 1 }, command: null })).toEqual(['Read {"a":1}']);
  expect(lines({ ...result, output: 'a\nb\n' })).toEqual(['  a', '  b']);
  expect(lines({ ...result, exit_code: 2, is_error: true })).toEqual(['  [exit code 2]']);
  expect(lines({ ...result, exit_code: null, is_error: true })).toEqual(['  [failed]']);
  expect(lines({ type: 'message', role: 'assistant', text: 'done\n' })).toEqual(['done']);
  expect(lines({ type: 'message', role: 'user', text: 'go on' })).toEqual(['user: go on']);
  expect(lines({ type: 'error', message: 'overloaded', retryable: true })).toEqual(['error: overloaded']);
  expect(lines({ type: 'result', ending: 'completed', exit_code: 0 })).toEqual(['the agent ended: completed']);
});

test('shows the first lines of a long output, and how many more there are', () => {
  const output = Array.from({ length: 40 }, (_, at) => `line ${at}`).join('\n');
  expect(lines({ ...result, output })).toHaveLength(11);
  expect(lines({ ...result, output }).at(-1)).toBe('  … 30 more lines');
});

test('contains no terminal sequences of the agent', () => {
  expect(lines({ ...result, output: '\x1b[2Jx\x07' })).toEqual(['  x']);
});
