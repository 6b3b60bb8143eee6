import { describe, expect, it } from 'vitest';
import { modelAnswersSection, conversationSection, renderReport } from '../../../src/reports/run/report-md.js';
import { metrics, run } from '../../model/sample.js';
import { headings, tables } from '../markdown-shape.js';

const CONVERSATION = {
  turns: [
    { number: 1, user: 'I need | a list.', agent: 'Which\none?' },
    { number: 2, user: 'x'.repeat(600), agent: null },
  ],
  ended: [{ step: 0, turn: 2, reason: 'max_turns_reached' }],
};

describe('the conversation in a report', () => {
  it('is a table of what was said, with long messages shortened, and says why it ended', () => {
    const text = conversationSection(CONVERSATION);
    const [[head, , first, second] = []] = tables(text);
    expect(head).toEqual(['Turn', 'User', 'Agent']);
    expect(first?.slice(0, 1)).toEqual(['1']);
    expect(first?.[2]).toMatch(/Which.*one\?/);
    expect(second?.[1]).toHaveLength(501);
    expect(second?.[2]).toBe('said nothing');
    expect(text).toMatch(/The conversation ended after turn 2: max.*turns.*reached/);
  });

  it('is left out if there was one message only', () => {
    expect(headings(renderReport(run(), metrics(), null))).not.toContainEqual(expect.stringContaining('Conversation'));
    const text = renderReport(run({ conversation: CONVERSATION }), metrics(), null);
    expect(text).toContain('## Conversation');
  });
});

it('says what models were asked, and n/a for an unknown cost', () => {
  const usage = { input: 1, output: 1, reasoning: 0, cache_read: 0, cache_write: 0 };
  const asked = { model: 'house/small', answers: 2, usage, artifacts: [] };
  expect(modelAnswersSection({ ...asked, cost_usd: 0.01 })).toMatch(/^house\/small gave 2 answers, cost \$0\.01/);
  expect(modelAnswersSection({ ...asked, answers: 1, cost_usd: null })).toMatch(/gave 1 answer, cost n\/a/);
});
