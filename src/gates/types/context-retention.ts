import { z } from 'zod';
import { nonBlank } from '#input';
import { conversationText, type Turn } from '#model';
import {
  answerSchema,
  askingFields,
  BOOLEAN,
  checkTurns,
  isMajority,
  meanOf,
  onceProblem,
  percentText,
  readAnswer,
  share,
} from '../asking.js';
import { defineGate, type Verdict } from '../gate.js';
import { foldCase } from '../text-matcher.js';
import { broken, fail, pass, quotedText } from '../verdicts.js';

const Answer = z.object({
  tests: z.array(z.object({ item: z.string(), turn: z.int(), reasoning: z.string(), aware: z.boolean() })),
});

/** A turn in which the agent should still know something that the user has mentioned before. */
interface Test {
  item: string;
  turn: number;
}

/**
 * The turns in which each item is tested: those that follow its first mention by the user, at most `retentionTurns`. A
 * text instead says why an item cannot be tested.
 */
export function testsOf(turns: readonly Turn[], items: readonly string[], retentionTurns: number): Test[] | string {
  const tests: Test[] = [];
  for (const item of items) {
    const mention = turns.findIndex(({ user }) => foldCase(user).includes(foldCase(item)));
    if (mention === -1) return `the user never mentioned ${quotedText(item)}`;
    const later = turns.slice(mention + 1, mention + 1 + retentionTurns);
    if (later.length === 0)
      return `the user mentioned ${quotedText(item)} only in the last turn, so what the agent remembers was not tested`;
    tests.push(...later.map(({ number }) => ({ item, turn: number })));
  }
  return tests;
}

/** Judges what the agent remembered: the mean, over the items, of the share of turns in which it was aware of one. */
export function judgeRetention(
  tests: readonly Test[],
  threshold: number,
  votes: readonly z.infer<typeof Answer>[],
): Verdict {
  const results = tests.map((test) => {
    const answers = votes.flatMap((vote) => vote.tests.filter((one) => keyOf(one) === keyOf(test)));
    return { ...test, aware: isMajority(answers.map(({ aware }) => aware)) };
  });
  const items = [...new Set(tests.map(({ item }) => item))].map((item) => {
    const own = results.filter((one) => one.item === item);
    return { item, accuracy: meanOf(own.map(({ aware }) => (aware ? 1 : 0))) };
  });
  const accuracy = meanOf(items.map((one) => one.accuracy));
  const each = items.map((one) => `${quotedText(one.item)} ${percentText(one.accuracy)}`).join(', ');
  const message = `remembered ${percentText(accuracy)}; expected at least ${percentText(threshold)} (${each})`;
  return {
    ...(accuracy >= threshold ? pass(message) : fail(message)),
    detail: { accuracy, items, tests: results },
  };
}

const keyOf = ({ item, turn }: Test): string => `${item} in turn ${turn}`;

export const contextRetention = defineGate({
  schema: z
    .strictObject({
      type: z.literal('context_retention'),
      ...askingFields,
      test_memory_of: z
        .array(nonBlank('a word or phrase'))
        .min(1)
        .refine((list) => new Set(list).size === list.length, { error: 'expected different items' })
        .describe('Words or phrases that the user mentions; case is ignored'),
      retention_turns: z
        .int()
        .min(1)
        .default(3)
        .describe('In how many turns after the first mention the agent must be aware of an item'),
      memory_accuracy_threshold: share
        .default(0.8)
        .describe('The lowest accuracy that passes, 0 to 1: the share of these turns, as the mean of all items'),
    })
    .describe(
      'The agent still knows what the user mentioned, as a model judges; if the user did not mention an item, or not before the last turn, the verdict is `error`',
    ),
  subject: ({ test_memory_of }) => test_memory_of.join(', '),
  asks: ({ votes }) => votes,
  check: ({ test_memory_of: items, memory_accuracy_threshold: threshold, ...spec }, context) =>
    checkTurns(context, async (turns) => {
      const tests = testsOf(turns, items, spec.retention_turns);
      if (typeof tests === 'string') return broken(tests);
      const votes = await context.ask({
        instructions: [
          'You analyse what an agent remembers in a conversation with a user. For each item and turn below, say whether the answer of the agent in that turn shows that it is aware of the item. It is aware if it refers to the item, uses what the user said about it, or builds on it; it is not if it asks for it again, contradicts it or ignores it where it matters.',
          ...tests.map(({ item, turn }) => `- ${JSON.stringify(item)} in turn ${turn}`),
        ].join('\n'),
        evidence: { conversation: conversationText(turns) },
        example: {
          tests: tests.map((test) => ({ ...test, reasoning: 'why, in a sentence', aware: BOOLEAN })),
        },
        schema: answerSchema(Answer),
        read: readAnswer(Answer, (answer) => onceProblem(tests.map(keyOf), answer.tests.map(keyOf))),
        votes: spec.votes,
        timeoutSecs: spec.timeout_secs,
      });
      return judgeRetention(tests, threshold, votes);
    }),
});
