import type { Turn } from '#model';
import { z } from 'zod';

/** The user whom a model plays. */
const SimulatedUser = z.object({
  persona: z.string(),
  objective: z.string(),
  style: z.string().exactOptional(),
  constraints: z.array(z.string()),
  emotional_state: z.string().exactOptional(),
  knowledge_level: z.enum(['beginner', 'intermediate', 'expert']),
  temperature: z.number(),
  /** Limit of one message, in tokens. */
  max_tokens: z.int(),
});
export type SimulatedUser = z.infer<typeof SimulatedUser>;

/** Conditions under which a conversation can end. */
export const END_CONDITIONS = [
  'max_turns_reached',
  'user_expresses_satisfaction',
  'agent_provides_solution',
  'conversation_stuck',
  'escalation_needed',
  'goal_achieved',
  'custom_condition',
] as const;

const EndCondition = z.object({
  type: z.enum(END_CONDITIONS),
  description: z.string().exactOptional(),
  /** Words to look for, instead of the usual ones. */
  keywords: z.array(z.string()).exactOptional(),
  /** A question to a model. It counts as a yes if the model is at least this confident, 0..1. */
  judge: z.object({ prompt: z.string(), threshold: z.number() }).exactOptional(),
});
export type EndCondition = z.infer<typeof EndCondition>;

export const conversationFields = {
  /** Maximum number of turns. */
  turns: z.int(),
  /** The time that a model may take to play the user, or to decide about a condition. */
  ask_secs: z.number(),
  /** The time that the agent may work in all turns together. */
  total_secs: z.number(),
  user: SimulatedUser,
  /** The conversation ends after a turn when the first of these holds. */
  ends_when: z.array(EndCondition),
};
/** The limits of a conversation. */
export interface ConversationLimits {
  turns: number;
  total_secs: number;
  ends_when: EndCondition[];
}

/** The state of a conversation after a turn. */
export interface ConversationState {
  /** All its turns, in order; at least one. */
  turns: readonly Turn[];
  /** True if the agent completed the last one. */
  completed: boolean;
  /** The time that the agent has worked in these turns, seconds. */
  workedSecs: number;
  /** A model's answers about the last turn, by index of the condition that asks for each. */
  answers: ReadonlyMap<number, boolean>;
}

type EndDecision =
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
  agent_provides_solution: [...['solution', 'try this', 'follow these steps', "here's how", 'you can', 'to fix this']],
  escalation_needed: ['escalate', 'supervisor', 'manager', 'specialist', 'human agent', 'transfer'],
  goal_achieved: ['done', 'complete', 'finished', 'accomplished', 'achieved'],
};

/** True if a condition that asks no model holds after the last turn. */
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
