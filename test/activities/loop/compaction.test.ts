import { describe, expect, test } from 'vitest';
import { canSummarize, summaryDue, summaryMessages } from '../../../src/activities/loop/compaction.js';
import { type LoopRequest, type PlacedRequest, summarized } from '../../../src/activities/loop/conversation.js';
import type { ModelMessage } from '../../../src/host/models/call-model.js';

const NOTHING: LoopRequest = { system: '', sent: 1, answer: null, failure: null, stopped: null };

const placed = (result: Partial<LoopRequest>, output = ''): PlacedRequest => ({
  step: 'request',
  turn: 1,
  nth: 1,
  duration_ms: 1,
  attempt: 1,
  at: '2026-11-26T00:00:00Z',
  result: { ...NOTHING, ...result },
  results: [
    {
      result: { output, exitCode: 0, isError: false, truncated: false },
      duration_ms: 1,
      attempt: 1,
      at: '2026-11-26T00:00:00Z',
    },
  ],
});
const answer = (input: number | null): NonNullable<LoopRequest['answer']> => ({
  text: 'x',
  modelUsed: null,
  finishReason: 'stop',
  usage: { input, output: 50, reasoning: null, cache_read: 0, cache_write: null },
  wrong: [],
  reasoning: '',
  calls: [],
  messages: [],
});
const asked = (input: number, output = ''): PlacedRequest => placed({ answer: answer(input) }, output);
const refused = placed({
  failure: { kind: 'refused', message: 'too long', status: 400 },
  asksAgain: true,
});
const summary = placed({ answer: answer(10), summarizes: true, asksAgain: true });
const messages: ModelMessage[] = [{ role: 'user', content: 'u'.repeat(1000) }];

describe('summaryDue', () => {
  test.each<[string, PlacedRequest[], number | null, boolean]>([
    ['nothing was asked', [], 1000, false],
    ['there is room', [asked(100), asked(700)], 1000, false],
    ['the last request and its answer were large', [asked(100), asked(790)], 1000, true],
    ['the results of its calls are large', [asked(100), asked(100, 'x'.repeat(2700))], 1000, true],
    ['the limit is unknown', [asked(100), asked(1e6)], null, false],
    ['it was just summarized', [asked(100), asked(790), summary], 1000, false],
    ['a single request after a summary fills it again', [asked(790), summary, asked(990)], 1000, false],
    ['two requests after a summary fill it again', [summary, asked(100), asked(790)], 1000, true],
    ['the model has refused the last one', [asked(100), refused], null, true],
  ])('%s', (_, requests, limit, due) => {
    expect(summaryDue(requests, messages, limit) !== null).toBe(due);
  });

  test('each summary that is too long itself is followed by one of half its length', () => {
    const lengths = [1, 2, 3].map((count) =>
      summaryDue([asked(100), ...Array.from({ length: count }, () => refused)], messages, 1000),
    );
    expect(lengths).toEqual([2400, 1200, 600]);
  });
});

describe('canSummarize', () => {
  test.each<[string, PlacedRequest[], boolean]>([
    ['not the first request', [], false],
    ['not directly after a summary', [asked(1), summary], false],
    ['after an answer', [asked(1)], true],
    ['after three refusals', [asked(1), refused, refused, refused], true],
    ['not after four', [asked(1), refused, refused, refused, refused], false],
  ])('%s', (_, requests, can) => {
    expect(canSummarize(requests)).toBe(can);
  });
});

describe('summaryMessages', () => {
  const conversation: ModelMessage[] = [
    { role: 'user', content: 'the task' },
    {
      role: 'assistant',
      content: [
        { type: 'text', text: 'I look.' },
        { type: 'tool-call', toolCallId: '1', toolName: 'bash', input: { command: 'ls' } },
      ],
    },
    {
      role: 'tool',
      content: [
        {
          type: 'tool-result',
          toolCallId: '1',
          toolName: 'bash',
          output: { type: 'text', value: `first${'x'.repeat(5000)}last` },
        },
      ],
    },
  ];
  const textFor = (most: number): string => {
    const content = summaryMessages(conversation, most)[0]?.content;
    return typeof content === 'string' ? content : '';
  };

  test('has the whole conversation if it fits', () => {
    expect(textFor(1e6)).toMatch(
      /^<conversation>\nuser: the task\n\nassistant: I look\.\n\ncall of bash: \{"command":"ls"\}\n\nresult: firstx{5000}last\n/,
    );
  });

  test.each([3000, 800, 300, 50])('cuts results, and at last the middle, to %d characters', (most) => {
    const [, text = ''] = /^<conversation>\n([^]*)\n<\/conversation>/.exec(textFor(most)) ?? [];
    expect(text.length).toBeLessThan(most + 50);
    expect(text).toMatch(/^user: the task/);
    expect(text).toMatch(/last$/);
  });
});

test('the task stays in its own words', () => {
  expect(summarized('the task', 'I did it.')).toEqual([
    { role: 'user', content: expect.stringMatching(/^the task\n[^]*I did it\.$/) as string },
  ]);
});
