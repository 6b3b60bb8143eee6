import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { GateQuestion } from '../../../src/gates/gate.js';
import type { Turn } from '../../../src/model/records/conversation.js';
import { judgeFlow } from '../../../src/gates/types/conversation.js';
import { judgeRetention, testsOf } from '../../../src/gates/types/context-retention.js';
import { satisfactionByKeywords } from '../../../src/gates/types/user-satisfaction.js';
import type { Json } from '../../../src/lib/json.js';
import { check, errorsOf, newWorkspace, realContext } from '../real-context.js';

const TURNS: Turn[] = [
  { number: 1, user: 'My dog Rex is ill.', agent: 'I am sorry. How old is he?' },
  { number: 2, user: 'Three. Thanks for asking.', agent: 'Then Rex should see a doctor.' },
  { number: 3, user: 'Great, that solved it.', agent: null },
];

async function checked(gate: object, { turns = TURNS, answers = [] as Record<string, Json>[] } = {}) {
  const asked: Omit<GateQuestion<unknown>, 'read'>[] = [];
  const context = realContext(await newWorkspace(), { turns, answers, asked });
  return { verdict: await check(gate, context), asked };
}

describe('gates of conversations', () => {
  it.each([
    { type: 'conversation_length', max_turns: 9 },
    { type: 'conversation_flow', required_patterns: ['clarification_cycle'] },
    { type: 'user_satisfaction' },
    { type: 'user_satisfaction', measurement_method: 'keyword_analysis' },
    { type: 'context_retention', test_memory_of: ['Rex'] },
  ])('are errors if there is no conversation: %j', async (gate) => {
    const { verdict, asked } = await checked(gate, { turns: [] });
    expect(verdict).toEqual({
      status: 'error',
      message: 'there was no conversation with the agent that could be judged',
    });
    expect(asked).toEqual([]);
  });

  it('that ask a model give it the whole conversation as evidence', async () => {
    const { asked } = await checked({ type: 'user_satisfaction' }, { answers: [{ satisfaction: 1, reasoning: '' }] });
    expect(asked[0]?.evidence).toEqual({
      conversation:
        'Turn 1:\nUser: My dog Rex is ill.\nAgent: I am sorry. How old is he?\n\n' +
        'Turn 2:\nUser: Three. Thanks for asking.\nAgent: Then Rex should see a doctor.\n\n' +
        'Turn 3:\nUser: Great, that solved it.\nAgent: (no answer)',
    });
  });
});

describe('conversation_length', () => {
  const length = (fields: object) => checked({ type: 'conversation_length', ...fields });

  it('counts turns; limits are inclusive, and all of them count', async () => {
    expect((await length({ min_turns: 3, max_turns: 3 })).verdict.status).toBe('pass');
    expect((await length({ min_turns: 4 })).verdict.status).toBe('fail');
    expect((await length({ max_turns: 2 })).verdict.status).toBe('fail');
    expect((await length({ target_range: [3, 5] })).verdict.status).toBe('pass');
    expect((await length({ max_turns: 9, target_range: [4, 5] })).verdict.status).toBe('fail');
    expect((await length({ min_turns: 2, optimal_turns: 5 })).verdict).toEqual({
      status: 'pass',
      message: '3 turns; expected at least 2; optimal 5',
    });
  });

  it('refuses limits that say nothing or that no number is within', () => {
    const errors = (fields: object) => errorsOf({ type: 'conversation_length', ...fields });
    expect(errors({ optimal_turns: 3 })).toEqual([expect.stringContaining('max_turns: missing') as string]);
    expect(errors({ min_turns: 4, max_turns: 3 })).toHaveLength(1);
    expect(errors({ min_turns: 6, target_range: [1, 5] })).toHaveLength(1);
    expect(errors({ target_range: [1, 2, 3] })).not.toEqual([]);
    expect(errors({ min_turns: 0 })).toHaveLength(1);
  });
});

describe('conversation_flow', () => {
  const patterns = ['question_then_answer', 'empathy_then_solution'];
  const answer = (...present: boolean[]) => ({
    patterns: present.map((one, at) => ({
      pattern: patterns[at] ?? 'other',
      reasoning: `turn ${at + 1}`,
      present: one,
    })),
  });
  const flow = (fields: object, ...answers: Record<string, Json>[]) =>
    checked({ type: 'conversation_flow', required_patterns: patterns, ...fields }, { answers });

  it('passes if enough of the patterns are there', async () => {
    expect((await flow({}, answer(true, true))).verdict.status).toBe('pass');
    const { verdict } = await flow({}, answer(true, false));
    expect(verdict).toMatchObject({
      status: 'fail',
      message: '1 of 2 patterns; expected at least 70 %; missing: empathy_then_solution',
      detail: { share: 0.5 },
    });
    expect((await flow({ flow_quality_threshold: 0.5 }, answer(true, false))).verdict.status).toBe('pass');
  });

  it('asks once for all patterns, and says what they mean', async () => {
    const { asked } = await flow({}, answer(true, true));
    expect(asked).toHaveLength(1);
    expect(asked[0]?.instructions).toContain('the agent asks a question, and the user answers it');
    expect(asked[0]?.instructions).not.toContain('escalation_pattern');
  });

  it('refuses an answer that leaves out a pattern', async () => {
    await expect(flow({}, answer(true))).rejects.toThrow('"empathy_then_solution" is not answered');
    await expect(flow({}, answer(true, true, true))).rejects.toThrow('"other" was not asked for');
  });

  it('more patterns that are there never make it worse', () => {
    const list = fc.array(fc.boolean(), { minLength: 2, maxLength: 2 });
    fc.assert(
      fc.property(list, fc.nat(1), fc.double({ min: 0, max: 1, noNaN: true }), (present, at, threshold) => {
        const better = present.map((one, index) => one || index === at);
        const status = (votes: boolean[]) => judgeFlow(patterns, threshold, [answer(...votes)]).status;
        if (status(present) === 'pass') expect(status(better)).toBe('pass');
      }),
    );
  });
});

describe('user_satisfaction', () => {
  const satisfied = (fields: object, ...answers: Record<string, Json>[]) =>
    checked({ type: 'user_satisfaction', ...fields }, { answers });

  it('asks a model, and takes the mean of its votes', async () => {
    const say = (satisfaction: number) => ({ satisfaction, reasoning: 'They said thanks.' });
    expect((await satisfied({}, say(0.7))).verdict).toMatchObject({
      status: 'pass',
      message: 'satisfaction 70 %; expected at least 70 %; They said thanks.',
      detail: { satisfaction: 0.7 },
    });
    expect((await satisfied({ votes: 3 }, say(0.7), say(0.7), say(0.7))).verdict.status).toBe('pass');
    expect((await satisfied({ votes: 2 }, say(1), say(0.3))).verdict.status).toBe('fail');
    await expect(satisfied({}, say(7))).rejects.toThrow('satisfaction: expected a number from 0 to 1');
    const sentiment = await satisfied({ measurement_method: 'sentiment_analysis' }, say(1));
    expect(sentiment.asked[0]?.instructions).toContain('sentiment');
  });

  it('counts words of the user without a model', async () => {
    const counting = { measurement_method: 'keyword_analysis' };
    const { verdict, asked } = await satisfied(counting);
    expect(asked).toEqual([]);
    expect(verdict).toEqual({
      status: 'pass',
      message: 'satisfaction 100 %; expected at least 70 %; 3 positive and 0 negative words',
      detail: { positive: 3, negative: 0, satisfaction: 1 },
    });
    const indicators = { positive: ['rex'], negative: ['ill', 'doctor', 'asking'] };
    // "doctor" is a word of the agent.
    expect((await satisfied({ ...counting, indicators })).verdict).toMatchObject({
      status: 'fail',
      detail: { positive: 1, negative: 2 },
    });
  });

  it.each([
    [['This is unhelpful.'], 0, 1, 0],
    [['Nothing to say.'], 0, 0, 0.5],
    [['THANKS! thank you, thanksgiving'], 2, 0, 1],
    [['a waste', 'of time'], 0, 0, 0.5],
    [['fixed, but confused'], 1, 1, 0.5],
    [['fixé, fixedé'], 0, 0, 0.5],
  ])('finds whole words in %j', (messages, positive, negative, satisfaction) => {
    expect(satisfactionByKeywords(messages, {})).toEqual({ positive, negative, satisfaction });
  });

  it('finds any keyword that stands alone, with any characters in it', () => {
    const word = fc.string({ minLength: 1 }).filter((text) => text.trim() !== '');
    fc.assert(
      fc.property(word, (keyword) => {
        const found = satisfactionByKeywords([` ${keyword} `], { positive: [keyword], negative: [] });
        expect(found.positive).toBeGreaterThanOrEqual(1);
        expect(found.satisfaction).toBe(1);
      }),
    );
  });

  it('tells a model which words are signs of satisfaction', async () => {
    const indicators = { positive: ['rex', 'so "good"'] };
    const { asked } = await satisfied({ indicators }, { satisfaction: 1, reasoning: '' });
    expect(asked[0]?.instructions).toMatch(/Signs of satisfaction are: "rex", "so \\"good\\""\.$/);
    const negative = await satisfied({ indicators: { negative: ['bad'] } }, { satisfaction: 1, reasoning: '' });
    expect(negative.asked[0]?.instructions).toMatch(/Signs of dissatisfaction are: "bad"\.$/);
    const plain = await satisfied({}, { satisfaction: 1, reasoning: '' });
    expect(plain.asked[0]?.instructions).not.toContain('Signs');
  });
});

describe('context_retention', () => {
  const aware = (...tests: [item: string, turn: number, aware: boolean][]) => ({
    tests: tests.map(([item, turn, aware]) => ({ item, turn, reasoning: '', aware })),
  });
  const retained = (fields: object, ...answers: Record<string, Json>[]) =>
    checked({ type: 'context_retention', test_memory_of: ['rex'], ...fields }, { answers });

  it('tests the turns after the first mention, and compares the share with the threshold', async () => {
    const { verdict } = await retained({}, aware(['rex', 2, true], ['rex', 3, false]));
    expect(verdict).toMatchObject({
      status: 'fail',
      message: 'remembered 50 %; expected at least 80 % ("rex" 50 %)',
      detail: { accuracy: 0.5, items: [{ item: 'rex', accuracy: 0.5 }] },
    });
    expect((await retained({ retention_turns: 1 }, aware(['rex', 2, true]))).verdict.status).toBe('pass');
  });

  it('is an error, and asks nothing, if an item was never mentioned or only in the last turn', async () => {
    for (const [item, message] of [
      ['Max', 'the user never mentioned "Max"'],
      ['doctor', 'the user never mentioned "doctor"'],
      ['solved', 'the user mentioned "solved" only in the last turn'],
    ] as const) {
      const { verdict, asked } = await retained({ test_memory_of: ['rex', item] });
      expect(verdict).toMatchObject({
        status: 'error',
        message: expect.stringContaining(message) as string,
      });
      expect(asked).toEqual([]);
    }
  });

  it('refuses an answer that is not about exactly these turns', async () => {
    await expect(retained({}, aware(['rex', 2, true]))).rejects.toThrow('"rex in turn 3" is not answered');
    const more = aware(['rex', 1, true], ['rex', 2, true], ['rex', 3, true]);
    await expect(retained({}, more)).rejects.toThrow('"rex in turn 1" was not asked for');
  });

  it('the accuracy is 1 if the agent is always aware, 0 if it never is, and the mean of the items between', () => {
    const turns = fc.integer({ min: 2, max: 8 });
    fc.assert(
      fc.property(turns, fc.integer({ min: 1, max: 5 }), fc.nat(6), (count, retention, mention) => {
        const at = Math.min(mention, count - 2);
        const talk = Array.from({ length: count }, (_, index) => ({
          number: index + 1,
          user: index === at ? 'the FIRST one' : index === 0 ? 'second' : 'hm',
          agent: 'yes',
        }));
        const items = at === 0 ? ['first'] : ['first', 'second'];
        const tests = testsOf(talk, items, retention);
        if (typeof tests === 'string') throw new Error(tests);
        const own = tests.filter(({ item }) => item === 'first').map(({ turn }) => turn);
        expect(own).toEqual(Array.from({ length: Math.min(retention, count - at - 1) }, (_, index) => at + 2 + index));
        const judged = (of: (item: string) => boolean) =>
          judgeRetention(tests, 0.8, [
            aware(...tests.map(({ item, turn }): [string, number, boolean] => [item, turn, of(item)])),
          ]);
        expect(judged(() => true).status).toBe('pass');
        expect(judged(() => false)).toMatchObject({ status: 'fail', detail: { accuracy: 0 } });
        expect(judged((item) => item === 'first')).toMatchObject({ detail: { accuracy: 1 / items.length } });
      }),
    );
  });
});
