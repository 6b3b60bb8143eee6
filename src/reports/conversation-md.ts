import { beginningOf, formatKnownCost } from '#lib';
import type { ConversationRecord, RunRecord } from '#model';
import { blocks, inline, list, table } from './markdown.js';

/** In characters. The transcripts have the whole messages. */
const MESSAGE_LENGTH = 500;

/** What was said, turn by turn, and why conversations with a simulated user ended. */
export function conversationSection({ turns, ended }: ConversationRecord): string {
  const shown = (text: string): string => inline(beginningOf(text.trim(), MESSAGE_LENGTH));
  return blocks([
    table(
      ['Turn', 'User', 'Agent'],
      turns.map(({ number, user, agent }) => [
        String(number),
        shown(user),
        agent === null ? 'said nothing' : shown(agent),
      ]),
    ),
    ended.length === 0
      ? null
      : list(ended.map(({ turn, reason }) => `The conversation ended after turn ${turn}: ${inline(reason)}`)),
  ]).trimEnd();
}

/** What models were asked for gates and for the simulated user, and what that cost. */
export function askedSection({ model, answers, ...cost }: NonNullable<RunRecord['asked']>): string {
  const price = formatKnownCost(cost.cost_usd, cost.cost_usd_at_least);
  return `${inline(model)} gave ${answers} answer${answers === 1 ? '' : 's'}, cost ${price}. They are in artifacts/asked/.`;
}
