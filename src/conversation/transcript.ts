import type { Turn } from '../results/records/conversation.js';

/** The conversation as text, turn by turn. */
export const conversationText = (turns: readonly Turn[]): string =>
  turns
    .map(({ number, user, agent }) => `Turn ${number}:\nUser: ${user}\nAgent: ${agent ?? ''}\n`)
    .join('\n');

/**
 * The message for an agent that cannot resume its session, or whose session was lost: what was said before, and the new
 * message.
 */
export const withEarlierTurns = (turns: readonly Turn[], message: string): string =>
  turns.length === 0
    ? message
    : [
        'This is what the user and you said before:',
        conversationText(turns).trimEnd(),
        'Now the user says:',
        message,
      ].join('\n\n');
