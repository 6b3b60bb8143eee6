import type { ConversationState } from '#scenario';
import type { Turn } from '#model';
import type { ConversationTurn } from '#protocol';
import type { ConversationStep } from '#scenario';
import { readAgentSteps } from '../agent/agent-steps.js';
import { conversationOf, lastOfTurns, turnNumber } from '../agent/turns.js';
import type { RunContext } from '../step/run-context.js';

/** The conversation to which a turn belongs, and what is known of it until then. */
export interface Conversing {
  step: ConversationStep;
  state: Omit<ConversationState, 'answers'>;
}

/** The turns as models other than the agent's may see them. */
export const redactTurns = (turns: readonly Turn[], redact: (text: string) => string): Turn[] =>
  turns.map(({ number, user, agent }) => ({
    number,
    user: redact(user),
    agent: agent === null ? null : redact(agent),
  }));

/** Reads what has been said in a conversation. @throws RangeError if the step is no conversation or has no turns */
export async function readConversation(
  context: RunContext,
  { number, at }: ConversationTurn,
): Promise<Conversing> {
  const step = context.scenario.steps[at];
  if (step?.kind !== 'conversation') throw new RangeError(`step ${at} is no conversation`);
  const all = lastOfTurns((await readAgentSteps(context)).map(({ result }) => result));
  const until = all.filter((one) => turnNumber(one) <= number);
  const own = until.filter(({ turn }) => turn?.at === at);
  const last = own.at(-1);
  if (last === undefined) throw new RangeError(`the conversation of step ${at} has no turns`);
  const before = until.at(-own.length - 1)?.record.duration_ms ?? 0;
  return {
    step,
    state: {
      turns: conversationOf(own),
      completed: last.record.completed,
      workedSecs: (last.record.duration_ms - before) / 1000,
    },
  };
}
