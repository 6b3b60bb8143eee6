import { conversationText, type Turn } from '#model';

/**
 * The message for an agent that cannot resume its session, or whose session was lost: what was said before, and the new
 * message.
 */
export const withEarlierTurns = (turns: readonly Turn[], message: string): string =>
  turns.length === 0
    ? message
    : [
        'This is what the user and you said before:',
        conversationText(turns),
        'Now the user says:',
        message,
      ].join('\n\n');
