import { expect, test } from 'vitest';
import { mockWarnings } from '../../src/model/output-warnings.js';
import type { MockedCalls } from '../../src/model/records/mocked-calls.js';

const call = (...args: string[]) => ({ args, step: 'agent', exit_code: 127, failed_by_chance: false });
const calls = (more: Partial<MockedCalls>): MockedCalls => ({
  by_mock: [],
  unmatched: [],
  more: false,
  ...more,
});

test('names unused mocks by number, command and arguments', () => {
  const by_mock = [
    { command: 'gh', args: ['pr'], calls: [call('pr')] },
    { command: 'gh', args: ['pr', 'a b'], calls: [] },
    { command: 'git', args: [], calls: [] },
  ];
  expect(mockWarnings(calls({ by_mock }))).toEqual([
    "mock 2 (gh pr 'a b') was never used",
    'mock 3 (git) was never used',
  ]);
});

test('calls no mock unused if calls were left out', () => {
  expect(mockWarnings(calls({ by_mock: [{ command: 'gh', args: [], calls: [] }], more: true }))).toEqual([]);
});

test('counts requests together, and shows them with query and body', () => {
  const request = (command: string, ...args: string[]) => ({ command, ...call(''), args });
  const unmatched = [request('GET /a', '?x=1'), request('POST /b', '{"y":1}'), request('GET /a', '?x=1')];
  expect(mockWarnings(calls({ unmatched }))).toEqual(['3 requests matched no mock: GET /a?x=1; POST /b {"y":1}']);
});

test('names matchers that threw', () => {
  const matcher_errors = [{ mock: 2, message: 'TypeError: x', calls: 3 }];
  expect(mockWarnings({ ...calls({}), matcher_errors })).toEqual([
    'the matcher of mock 2 threw in 3 calls: TypeError: x',
  ]);
});

test('counts unmatched calls by command, and shows a few different ones', () => {
  const unmatched = [
    ...['a', 'b', 'a', 'c', 'd'].map((name) => ({ command: 'gh', ...call(name) })),
    { command: 'git', ...call('x'.repeat(300)) },
  ];
  expect(mockWarnings(calls({ unmatched }))).toEqual([
    '5 calls of gh matched no mock: gh a; gh b; gh c; …',
    `1 call of git matched no mock: git ${'x'.repeat(196)}…`,
  ]);
});
