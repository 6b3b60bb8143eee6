import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type ConversationLimits,
  type ConversationState,
  decideEnd,
  END_CONDITIONS,
  type EndCondition,
  similarity,
} from '../../src/scenario/conversation.js';

const limits = (ends_when: EndCondition[] = [], more: Partial<ConversationLimits> = {}): ConversationLimits => ({
  turns: 5,
  total_secs: 100,
  ends_when,
  ...more,
});

/** After these turns, each the user's message and the agent's answer. */
const after = (
  said: [user: string, agent: string | null][],
  more: Partial<ConversationState> = {},
): ConversationState => ({
  turns: said.map(([user, agent], index) => ({ number: index + 1, user, agent })),
  completed: true,
  workedSecs: 1,
  answers: new Map(),
  ...more,
});

const reasonOf = (...[limits, state]: Parameters<typeof decideEnd>): string | null => {
  const decision = decideEnd(limits, state);
  return 'over' in decision && decision.over ? decision.reason : null;
};

describe('a conversation', () => {
  it.each<[EndCondition['type'], user: string, agent: string, holds: boolean]>([
    ['user_expresses_satisfaction', 'THANK YOU', 'You are welcome', true],
    ['user_expresses_satisfaction', 'no', 'It is fixed now', true],
    ['user_expresses_satisfaction', 'no', 'no', false],
    ['agent_provides_solution', 'What can I do?', 'Try this: restart it', true],
    ['agent_provides_solution', 'try this', 'Why?', false],
    ['escalation_needed', 'hm', 'I will transfer you', true],
    ['escalation_needed', 'your manager, please', 'No', false],
    ['goal_achieved', 'done', 'fine', true],
    ['goal_achieved', 'not yet', 'I see', false],
    ['max_turns_reached', 'done', 'done', false],
    ['custom_condition', 'anything', 'anything', false],
  ])('%s: user %j, agent %j: %s', (type, user, agent, holds) => {
    expect(reasonOf(limits([{ type }]), after([[user, agent]]))).toBe(holds ? type : null);
  });

  it('looks only at the last turn, and at the keywords that a condition names instead of the usual ones', () => {
    const condition: EndCondition = { type: 'goal_achieved', keywords: ['Tomatoes'] };
    expect(
      reasonOf(
        limits([condition]),
        after([
          ['tomatoes', 'yes'],
          ['done', 'done'],
        ]),
      ),
    ).toBeNull();
    expect(reasonOf(limits([condition]), after([['x', 'TOMATOES it is']]))).toBe('goal_achieved');
  });

  it('is stuck when the last two of at least three answers are alike', () => {
    const stuck = limits([{ type: 'conversation_stuck' }]);
    const same: [string, string] = ['?', 'please try turning it off'];
    expect(reasonOf(stuck, after([same, same]))).toBeNull();
    expect(reasonOf(stuck, after([['?', 'hello'], same, same]))).toBe('conversation_stuck');
    expect(reasonOf(stuck, after([same, same, ['?', 'something else entirely']]))).toBeNull();
  });

  it('asks a model about the first condition that it has not answered, unless an earlier one holds', () => {
    const asks: EndCondition = { type: 'custom_condition', judge: { prompt: 'Over?', threshold: 0.8 } };
    const conditions = limits([{ type: 'goal_achieved' }, asks, asks]);
    expect(decideEnd(conditions, after([['x', 'y']]))).toEqual({ ask: 1 });
    expect(decideEnd(conditions, after([['x', 'y']], { answers: new Map([[1, false]]) }))).toEqual({
      ask: 2,
    });
    expect(decideEnd(conditions, after([['done', 'y']]))).toEqual({ over: true, reason: 'goal_achieved' });
    const answers = new Map([
      [1, false],
      [2, true],
    ]);
    expect(reasonOf(conditions, after([['x', 'y']], { answers }))).toBe('custom_condition');
  });

  it('ends when its turns or its time are over, or the agent did not complete', () => {
    expect(
      reasonOf(
        limits([], { turns: 2 }),
        after([
          ['a', 'b'],
          ['c', 'd'],
        ]),
      ),
    ).toBe('max_turns_reached');
    expect(reasonOf(limits(), after([['a', 'b']], { workedSecs: 100 }))).toBe('total_timeout');
    expect(reasonOf(limits([{ type: 'goal_achieved' }]), after([['a', 'done']], { completed: false }))).toBe(
      'agent_did_not_complete',
    );
  });

  it('always ends or continues once every question is answered, and never after its last turn', () => {
    const condition = fc.record(
      {
        type: fc.constantFrom(...END_CONDITIONS),
        keywords: fc.array(fc.string({ minLength: 1 }), { minLength: 1 }),
        judge: fc.record({ prompt: fc.string(), threshold: fc.double({ min: 0, max: 1, noNaN: true }) }),
      },
      { requiredKeys: ['type'] },
    ) as fc.Arbitrary<EndCondition>;
    const turns = fc.array(fc.tuple(fc.string(), fc.option(fc.string())), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(fc.array(condition), turns, fc.boolean(), (ends_when, said, yes) => {
        const answers = new Map<number, boolean>();
        for (let asked = 0; asked <= ends_when.length; asked += 1) {
          const decision = decideEnd(limits(ends_when), after(said, { answers }));
          if ('ask' in decision) {
            expect(ends_when[decision.ask]?.judge).toBeDefined();
            expect(answers.has(decision.ask)).toBe(false);
            answers.set(decision.ask, yes);
          } else {
            if (said.length >= 5) expect(decision.over).toBe(true);
            return;
          }
        }
        throw new Error('it asks for more than its conditions');
      }),
    );
  });
});

describe('similarity', () => {
  it('is 1 for the same words, 0 for none in common, and the same in both directions', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (one, other) => {
        expect(similarity(one, one)).toBe(1);
        const value = similarity(one, other);
        expect(value).toBe(similarity(other, one));
        expect(value).toBeGreaterThanOrEqual(0);
        expect(value).toBeLessThanOrEqual(1);
      }),
    );
    expect(similarity('a b c', 'd e')).toBe(0);
    expect(similarity('a b', 'b c')).toBeCloseTo(1 / 3);
  });
});
