import { z } from 'zod';
import { KeptText } from './redact-fields.js';

/** One turn of the conversation with the agent. */
export const Turn = z.object({
  number: z.int().describe('From 1'),
  user: z.string().describe('What the user said, redacted'),
  agent: z.string().nullable().describe("The agent's last message in this turn; null: it said nothing"),
});
export type Turn = z.infer<typeof Turn>;

/** The end of a conversation with a simulated user. */
const ConversationEnd = z.object({
  step: z.int().describe('Index of its step in the scenario'),
  turn: z.int().describe('The turn after which it ended'),
  reason: KeptText.describe('The condition that held, or what else ended it'),
});

/** The messages of the user and the agent, in scenarios with more than one message. */
export const ConversationRecord = z.object({
  turns: z.array(Turn).describe('In order'),
  ended: z.array(ConversationEnd).describe('How conversations with a simulated user ended'),
});
export type ConversationRecord = z.infer<typeof ConversationRecord>;

/** The conversation as a person reads it, turn by turn. */
export const conversationText = (turns: readonly Turn[]): string =>
  turns
    .map(({ number, user, agent }) => `Turn ${number}:\nUser: ${user}\nAgent: ${agent ?? '(no answer)'}`)
    .join('\n\n');
