import type { Turn } from '#model';
import type { ConversationLimits, EndCondition } from './settings.js';

/** What is known of a conversation after a turn. */
export interface ConversationState {
  /** All its turns, in order; at least one. */
  turns: readonly Turn[];
  /** Whether the agent completed the last one. */
  completed: boolean;
  /** How long the agent has worked in these turns, seconds. */
  workedSecs: number;
  /** What a model answered about the last turn, by index of the condition that asks it. */
  answers: ReadonlyMap<number, boolean>;
}

export type EndDecision =
  /** The conversation is over; the reason is a condition's type or one of the others below. */
  | { over: true; reason: string }
  | { over: false }
  /** Depends on the answer of a model to the condition with this index. */
  | { ask: number };

/**
 * Decides whether a conversation is over after a turn. Conditions are checked in order, and each may need a model's
 * answer; the limits of turns and time come last.
 */
export function decideEnd(
  { turns: most, total_secs, ends_when }: ConversationLimits,
  { turns, completed, workedSecs, answers }: ConversationState,
): EndDecision {
  if (!completed) return { over: true, reason: 'agent_did_not_complete' };
  for (const [index, condition] of ends_when.entries()) {
    const holds = condition.judge === undefined ? isMet(condition, turns) : answers.get(index);
    if (holds === undefined) return { ask: index };
    if (holds) return { over: true, reason: condition.type };
  }
  if (turns.length >= most) return { over: true, reason: 'max_turns_reached' };
  if (workedSecs >= total_secs) return { over: true, reason: 'total_timeout' };
  return { over: false };
}

/** Words that indicate a condition if it names none. */
const KEYWORDS: Partial<Record<EndCondition['type'], string[]>> = {
  user_expresses_satisfaction: [
    ...['thank you', 'thanks', 'perfect', 'great', 'that works', 'solved', 'fixed', 'resolved'],
  ],
  agent_provides_solution: [
    ...['solution', 'try this', 'follow these steps', "here's how", 'you can', 'to fix this'],
  ],
  escalation_needed: ['escalate', 'supervisor', 'manager', 'specialist', 'human agent', 'transfer'],
  goal_achieved: ['done', 'complete', 'finished', 'accomplished', 'achieved'],
};

/** Whether a condition that asks no model holds after the last turn. */
function isMet({ type, keywords = KEYWORDS[type] ?? [] }: EndCondition, turns: readonly Turn[]): boolean {
  const last = turns.at(-1);
  if (last === undefined) return false;
  const agent = last.agent ?? '';
  switch (type) {
    case 'user_expresses_satisfaction':
    case 'goal_achieved':
    case 'custom_condition':
      return contains(`${last.user}\n${agent}`, keywords);
    case 'agent_provides_solution':
    case 'escalation_needed':
      return contains(agent, keywords);
    case 'conversation_stuck':
      return turns.length >= STUCK_TURNS && similarity(turns.at(-2)?.agent ?? '', agent) > STUCK_ABOVE;
    // The limit holds in any case.
    case 'max_turns_reached':
      return false;
  }
}

const contains = (text: string, keywords: readonly string[]): boolean =>
  keywords.some((keyword) => text.toLowerCase().includes(keyword.toLowerCase()));

const STUCK_TURNS = 3;
const STUCK_ABOVE = 0.8;

const wordsOf = (text: string): Set<string> => new Set(text.toLowerCase().split(/\s+/).filter(Boolean));

/** Similarity of two texts from 0 to 1: the share of their words that both contain (Jaccard). */
export function similarity(one: string, other: string): number {
  const [a, b] = [wordsOf(one), wordsOf(other)];
  const all = new Set([...a, ...b]).size;
  return all === 0 ? 1 : [...a].filter((word) => b.has(word)).length / all;
}
