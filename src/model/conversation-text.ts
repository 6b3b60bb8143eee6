import type { Turn } from './records/conversation.js';

/** The conversation as a person reads it, turn by turn. */
export const conversationText = (turns: readonly Turn[]): string =>
  turns
    .map(({ number, user, agent }) => `Turn ${number}:\nUser: ${user}\nAgent: ${agent ?? '(no answer)'}`)
    .join('\n\n');
