import { dataRule, findObject, markData, type MarkedData } from '#gates';
import { type Json, withoutMiddle } from '#lib';
import { conversationText, type Turn } from '#model';
import { z } from 'zod';
import type { SimulatedUser } from './conversation.js';

const ConditionAnswer = z.object({
  answer: z.enum(['yes', 'no']),
  confidence: z.number().min(0).max(1),
  reason: z.string(),
});
type ConditionAnswer = z.infer<typeof ConditionAnswer>;

/** The form of the answer to `conditionPrompt`, as a JSON schema. */
export const conditionSchema = z.toJSONSchema(ConditionAnswer, { target: 'draft-7' }) as Record<string, Json>;

/** Reads a model's answer to `conditionPrompt`. */
export function readConditionAnswer(
  text: string,
): { ok: true; answer: ConditionAnswer } | { ok: false; problem: string } {
  const read = ConditionAnswer.safeParse(findObject(text));
  return read.success
    ? { ok: true, answer: read.data }
    : {
        ok: false,
        problem: 'expected a JSON object with answer (yes or no), confidence (0 to 1) and reason',
      };
}

/** A prompt for a model: rules, and the recorded data. */
interface ConversationPrompt {
  system: string;
  user: string;
}

/** In characters: a conversation may be long, and its beginning and end matter most. */
const MAX_CONVERSATION = 40_000;

function markTurns(turns: readonly Turn[]): MarkedData {
  return markData([['conversation', withoutMiddle(conversationText(turns), MAX_CONVERSATION)]]);
}

/** The prompt by which a model plays the user. Its answer is the user's next message. */
export function userPrompt(user: SimulatedUser, turns: readonly Turn[]): ConversationPrompt {
  const { mark, text } = markTurns(turns);
  return {
    system: [
      'You play the user in a test of an assistant. Write the next message of the user.',
      '',
      `Who the user is: ${user.persona}`,
      `What the user wants: ${user.objective}`,
      `How the user writes: ${user.style ?? 'naturally'}`,
      `What the user knows of the subject: ${user.knowledge_level}`,
      ...(user.emotional_state === undefined ? [] : [`The user's mood: ${user.emotional_state}`]),
      ...user.constraints.map((constraint) => `The user keeps to this: ${constraint}`),
      '',
      dataRule(mark),
      'Answer with the message alone, in 20 to 100 words: without quotes, without a name before it, without comments.',
    ].join('\n'),
    user: text,
  };
}

/** Reads the answer to `userPrompt`. Null if it contains no message. */
export function userMessage(answer: string): string | null {
  const text = answer.trim().replace(/^(user|user response|response)\s*:\s*/i, '');
  const unquoted = /^"([^]*)"$/.exec(text)?.[1] ?? text;
  const message = unquoted.trim();
  return message === '' ? null : message;
}

/** The prompt that asks a model whether a condition of the conversation holds. */
export function conditionPrompt(question: string, turns: readonly Turn[]): ConversationPrompt {
  const { mark, text } = markTurns(turns);
  return {
    system: [
      'You watch a conversation between a user and an assistant, and decide whether it should end.',
      '',
      question,
      '',
      dataRule(mark),
      'Answer with exactly one JSON object and nothing else, in this form:',
      '{"answer": "yes" or "no", "confidence": <number from 0 to 1>, "reason": "<one sentence>"}',
    ].join('\n'),
    user: text,
  };
}

/**
 * The message for an agent that cannot resume its session, or whose session was lost: what was said before, and the new
 * message.
 */
export const withEarlierTurns = (turns: readonly Turn[], message: string): string =>
  turns.length === 0
    ? message
    : ['This is what the user and you said before:', conversationText(turns), 'Now the user says:', message].join(
        '\n\n',
      );
