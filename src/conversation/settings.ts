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
  max_tokens: z.number().int(),
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
  turns: z.number().int(),
  /** How long a model may take to play the user, or to decide about a condition. */
  ask_secs: z.number(),
  /** How long the agent may work in all turns together. */
  total_secs: z.number(),
  user: SimulatedUser,
  /** The conversation ends after a turn when the first of these holds. */
  ends_when: z.array(EndCondition),
};
/** What limits a conversation. */
export interface ConversationLimits {
  turns: number;
  total_secs: number;
  ends_when: EndCondition[];
}
