import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  readConditionAnswer,
  userMessage,
  userPrompt,
  withEarlierTurns,
} from '../../src/scenario/conversation-prompts.js';

const USER = {
  persona: 'a cook',
  objective: 'a list',
  constraints: ['never says please'],
  knowledge_level: 'beginner' as const,
  temperature: 0.7,
  max_tokens: 200,
  emotional_state: 'hurried',
};

describe('the prompt for the simulated user', () => {
  it('names who the user is, and the constraints', () => {
    const { system } = userPrompt(USER, [{ number: 1, user: 'Hi', agent: 'Hello' }]);
    for (const text of ['a cook', 'a list', 'never says please', 'beginner', 'hurried']) expect(system).toContain(text);
  });

  it('cannot be left by anything that is said: the end of the data is marked by its own hash', () => {
    const said = fc.record({ number: fc.nat(), user: fc.string(), agent: fc.option(fc.string()) });
    fc.assert(
      fc.property(fc.array(said, { minLength: 1 }), (turns) => {
        const { user } = userPrompt(USER, turns);
        const mark = /^BEGIN (\w+) conversation\n/.exec(user)?.[1] ?? '';
        expect(mark).not.toBe('');
        expect(user.split(`END ${mark} conversation`)).toHaveLength(2);
      }),
    );
  });
});

describe('the message in an answer', () => {
  it.each([
    ['Hello', 'Hello'],
    ['  "Is milk on it?"\n', 'Is milk on it?'],
    ['User: And eggs?', 'And eggs?'],
    ['He said "yes"', 'He said "yes"'],
    ['two\nlines', 'two\nlines'],
    [' \n', null],
    ['""', null],
  ])('%j is %j', (answer, message) => {
    expect(userMessage(answer)).toBe(message);
  });
});

describe('an answer about a condition', () => {
  it.each([
    ['{"answer": "yes", "confidence": 0.9, "reason": "done"}', true],
    ['```json\n{"answer": "no", "confidence": 1, "reason": ""}\n```', true],
    ['yes', false],
    ['{"answer": "maybe", "confidence": 0.9, "reason": ""}', false],
    ['{"answer": "yes", "confidence": 90, "reason": ""}', false],
  ])('%s is usable: %s', (text, usable) => {
    expect(readConditionAnswer(text).ok).toBe(usable);
  });
});

it('an agent that has no session is given the earlier turns with the message', () => {
  expect(withEarlierTurns([], 'Hi')).toBe('Hi');
  expect(withEarlierTurns([{ number: 1, user: 'Hi', agent: null }], 'And?')).toBe(
    [
      'This is what the user and you said before:',
      'Turn 1:\nUser: Hi\nAgent: (no answer)',
      'Now the user says:',
      'And?',
    ].join('\n\n'),
  );
});
