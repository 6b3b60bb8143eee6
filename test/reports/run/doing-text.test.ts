import fc from 'fast-check';
import { expect, test } from 'vitest';
import { doingText } from '../../../src/reports/run/event-lines.js';

const call = { type: 'tool_call', id: '1', name: 'Read', input: { path: 'a.md' } } as const;

test.each([
  [{ ...call, command: 'stock add\n  lamps 5' }, '$ stock add lamps 5'],
  [{ ...call, command: null }, 'Read {"path":"a.md"}'],
  [{ type: 'message', role: 'assistant', text: 'I will\n\nlook.' }, 'I will look.'],
  [{ type: 'reasoning', text: 'Hm' }, 'Hm'],
  [{ type: 'reasoning', text: 'x'.repeat(100) }, `${'x'.repeat(80)}…`],
  [{ type: 'error', message: 'overloaded', retryable: true }, 'error: overloaded'],
  [{ type: 'message', role: 'user', text: 'Do it' }, null],
  [{ type: 'message', role: 'assistant', text: ' \n' }, null],
  [{ type: 'result', ending: 'completed', exit_code: 0 }, null],
] as const)('%j is shown as %j', (event, text) => {
  expect(doingText(event)).toBe(text);
});

test('is one short line without control characters, whatever the agent says', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300, size: 'max' }), (text) => {
      const doing = doingText({ type: 'message', role: 'assistant', text }) ?? '';
      expect(doing.length).toBeLessThanOrEqual(81);
      expect(doing).not.toMatch(/\p{Cc}/u);
    }),
  );
});
