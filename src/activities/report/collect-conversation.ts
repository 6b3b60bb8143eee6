import { type ConversationRecord, type GateDetail, isAgentKind, STEPS } from '#model';
import type { ConversationBrief } from '#protocol';
import type { Scenario } from '#scenario';
import type { AgentStep } from '../agent/agent-step.js';
import { conversationOf, type UserMessage } from '../agent/turns.js';
import type { Manifest } from '../step/run-step-once.js';

/** A step that was performed, by name. */
type PerformedStep = [name: string, manifest: Manifest<unknown>];

export interface FoundConversation {
  /** The steps after a turn: whether the conversation is over, and the user's next message. */
  between: (turn: number) => PerformedStep[];
  /** The conversation; null if the scenario has only one message. */
  conversation: ConversationRecord | null;
}

/** Reads the steps of a conversation that are not the agent's. `turns`: of each turn, the last run of the agent. */
export async function collectConversation(
  { steps }: Pick<Scenario, 'steps'>,
  turns: readonly AgentStep[],
  read: <T>(step: string) => Promise<Manifest<T> | null>,
): Promise<FoundConversation> {
  const between = new Map<number, PerformedStep[]>();
  const ended: ConversationRecord['ended'] = [];
  for (const { turn } of turns) {
    if (turn === undefined || steps[turn.at]?.kind !== 'conversation') continue;
    const [ending, user] = [STEPS.ending(turn.number), STEPS.user(turn.number + 1)];
    const decided = await read<ConversationBrief>(ending);
    const userStep = await read<UserMessage>(user);
    between.set(turn.number, [
      ...(decided === null ? [] : [[ending, decided] satisfies PerformedStep]),
      ...(userStep === null ? [] : [[user, userStep] satisfies PerformedStep]),
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

/** The steps in which a gate was checked: one, or one for each turn of a conversation. */
export interface CheckedGate {
  /** Index of the scenario's step after which it is checked; null: after all steps. */
  after: number | null;
  checks: { name: string; turn: number | null; manifest: Manifest<GateDetail> | null }[];
}

/**
 * Combines the results of a gate in all turns: the first error, else the first failure, else the last pass. Null if it
 * was not checked.
 */
export function combineTurns(results: readonly { turn: number | null; detail: GateDetail }[]): GateDetail | null {
  const [first] = results;
  if (first === undefined || first.turn === null) return first?.detail ?? null;
  const by = (status: GateDetail['status']) => results.find(({ detail }) => detail.status === status);
  const decisive = by('error') ?? by('fail') ?? results.at(-1) ?? first;
  const { status, message } = decisive.detail;
  const when =
    status === 'pass' ? `passed after each of ${results.length} turns` : `after turn ${decisive.turn ?? 0}: ${message}`;
  return {
    ...decisive.detail,
    message: when,
    detail: results.map(({ turn, detail }) => ({
      turn,
      status: detail.status,
      message: detail.message,
      detail: detail.detail,
    })),
    duration_ms: results.reduce((sum, { detail }) => sum + detail.duration_ms, 0),
  };
}
