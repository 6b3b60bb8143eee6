import { z } from 'zod';
import { nonBlank } from '#input';
import { defined } from '#lib';
import { conversationText } from '#model';
import {
  answerSchema,
  askingFields,
  checkTurns,
  meanOf,
  NUMBER,
  percentText,
  readAnswer,
  share,
  shareProblem,
} from '../asking.js';
import { defineGate } from '../gate.js';
import { foldCase } from '../text-matcher.js';
import { fail, pass } from '../verdicts.js';

const POSITIVE = ['thank you', 'thanks', 'great', 'perfect', 'helpful', 'solved', 'fixed', 'working'];
const NEGATIVE = ['frustrated', 'unhelpful', 'confused', 'angry', 'useless', 'waste of time'];

const Answer = z.object({ reasoning: z.string(), satisfaction: z.number() });

const SCALE = 'from 0 (very dissatisfied) over 0.5 (neutral, or not shown) to 1 (very satisfied)';
const INSTRUCTIONS = {
  llm_judge: `You read a conversation between a user and an agent. Judge how satisfied the user is with it, ${SCALE}: whether the problem was solved, whether the user got what they wanted, and what they said about it.`,
  sentiment_analysis: `You read a conversation between a user and an agent. Judge the sentiment of the user's messages alone, ${SCALE}. Later messages weigh more than earlier ones.`,
} as const;

type Indicators = { positive?: string[] | undefined; negative?: string[] | undefined };

/** Tells a model which words are signs for or against satisfaction. */
const signs = ({ positive = [], negative = [] }: Indicators = {}): string =>
  [['satisfaction', positive] as const, ['dissatisfaction', negative] as const]
    .filter(([, words]) => words.length > 0)
    .map(([of, words]) => ` Signs of ${of} are: ${words.map((word) => JSON.stringify(word)).join(', ')}.`)
    .join('');

const LETTER = '[\\p{L}\\p{N}_]';

/** Counts the occurrences of words or phrases in a text: whole words, ignoring case. */
function occurrences(text: string, keywords: readonly string[]): number {
  const folded = foldCase(text);
  return [...new Set(keywords.map(foldCase))].reduce((sum, keyword) => {
    const escaped = keyword.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
    const whole = new RegExp(`(?<!${LETTER})${escaped}(?!${LETTER})`, 'gu');
    return sum + (folded.match(whole)?.length ?? 0);
  }, 0);
}

/** The satisfaction of a user by the words of their messages: the share of positive ones; 0.5 if there are none. */
export function satisfactionByKeywords(
  messages: readonly string[],
  { positive = POSITIVE, negative = NEGATIVE }: { positive?: readonly string[]; negative?: readonly string[] },
): { positive: number; negative: number; satisfaction: number } {
  // A phrase must not be found across two messages.
  const count = (keywords: readonly string[]): number =>
    messages.reduce((sum, message) => sum + occurrences(message, keywords), 0);
  const found = { positive: count(positive), negative: count(negative) };
  const all = found.positive + found.negative;
  return { ...found, satisfaction: all === 0 ? 0.5 : meanOf([found.positive / all]) };
}

const keywords = (examples: readonly string[]) =>
  z
    .array(nonBlank('a word or phrase'))
    .optional()
    .describe(`Words or phrases; without it, keyword_analysis counts ${examples.join(', ')}`);

export const userSatisfaction = defineGate({
  schema: z
    .strictObject({
      type: z.literal('user_satisfaction'),
      ...askingFields,
      satisfaction_threshold: share.default(0.7).describe('The lowest satisfaction that passes, 0 to 1'),
      measurement_method: z
        .enum(['llm_judge', 'sentiment_analysis', 'keyword_analysis'])
        .default('llm_judge')
        .describe(
          "A model judges all (llm_judge) or the user's messages; or words in these are counted: positive / all, 0.5 if none",
        ),
      indicators: z
        .strictObject({ positive: keywords(POSITIVE), negative: keywords(NEGATIVE) })
        .optional()
        .describe(
          'Words to count with keyword_analysis; a model is told that they are signs of satisfaction or the opposite',
        ),
    })
    .describe('The user seems satisfied with the conversation'),
  subject: ({ satisfaction_threshold: threshold, measurement_method: method }) =>
    `at least ${percentText(threshold)} by ${method}`,
  asks: ({ votes, measurement_method: method }) => (method === 'keyword_analysis' ? 0 : votes),
  check: ({ measurement_method: method, satisfaction_threshold: threshold, ...spec }, context) =>
    checkTurns(context, async (turns) => {
      const verdict = (satisfaction: number, why: string) => {
        const message = `satisfaction ${percentText(satisfaction)}; expected at least ${percentText(threshold)}; ${why}`;
        return satisfaction >= threshold ? pass(message) : fail(message);
      };
      if (method === 'keyword_analysis') {
        const { positive, negative } = spec.indicators ?? {};
        const found = satisfactionByKeywords(
          turns.map(({ user }) => user),
          {
            ...defined({ positive, negative }),
          },
        );
        const why = `${found.positive} positive and ${found.negative} negative words`;
        return { ...verdict(found.satisfaction, why), detail: found };
      }
      const votes = await context.ask({
        instructions: INSTRUCTIONS[method] + signs(spec.indicators),
        evidence: { conversation: conversationText(turns) },
        example: { reasoning: 'why, in a sentence', satisfaction: NUMBER },
        schema: answerSchema(Answer),
        read: readAnswer(Answer, ({ satisfaction }) => shareProblem('satisfaction', satisfaction)),
        votes: spec.votes,
        timeoutSecs: spec.timeout_secs,
      });
      const satisfaction = meanOf(votes.map((vote) => vote.satisfaction));
      const reasoning = votes[0]?.reasoning ?? '';
      return { ...verdict(satisfaction, reasoning), detail: { satisfaction, reasoning } };
    }),
});
