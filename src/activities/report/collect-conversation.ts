import { type ConversationRecord, isAgentKind, STEPS } from '#model';
import type { ConversationBrief } from '#protocol';
import type { Scenario } from '#scenario';
import type { AgentStep } from '../agent/agent-step.js';
import { conversationOf } from '../agent/turns.js';
import type { UserMessage } from '../conversation/user-message.js';
import type { Manifest } from '../step/run-step-once.js';

/** A step that was performed, by name. */
type Performed = [name: string, left: Manifest<unknown>];

export interface FoundConversation {
  /** The steps after a turn: whether the conversation is over, and the user's next message. */
  between: (turn: number) => Performed[];
  /** What was said; null if the scenario has only one message. */
  conversation: ConversationRecord | null;
}

/** Reads the steps of a conversation that are not the agent's. `turns`: of each turn, the last run of the agent. */
export async function collectConversation(
  { steps }: Pick<Scenario, 'steps'>,
  turns: readonly AgentStep[],
  read: <T>(step: string) => Promise<Manifest<T> | null>,
): Promise<FoundConversation> {
  const between = new Map<number, Performed[]>();
  const ended: ConversationRecord['ended'] = [];
  for (const { turn } of turns) {
    if (turn === undefined || steps[turn.at]?.kind !== 'conversation') continue;
    const [ending, user] = [STEPS.ending(turn.number), STEPS.user(turn.number + 1)];
    const decided = await read<ConversationBrief>(ending);
    const said = await read<UserMessage>(user);
    between.set(turn.number, [
      ...(decided === null ? [] : [[ending, decided] satisfies Performed]),
      ...(said === null ? [] : [[user, said] satisfies Performed]),
    ]);
    const reason = decided?.result.reason ?? null;
    if (reason !== null) ended.push({ step: turn.at, turn: turn.number, reason });
  }
  const messages = steps.filter(({ kind }) => isAgentKind(kind));
  const isConversation = messages.length > 1 || messages.some(({ kind }) => kind === 'conversation');
  return {
    between: (turn) => between.get(turn) ?? [],
    conversation: isConversation ? { turns: conversationOf(turns), ended } : null,
  };
}
