import {
  conditionPrompt,
  conditionSchema,
  type ConversationState,
  type ConversationStep,
  decideEnd,
  readConditionAnswer,
  userMessage,
  userPrompt,
} from '#scenario';
import { STEPS, type Turn } from '#model';
import type { ConversationBrief, ConversationTurn, RunRef } from '#protocol';
import { collectVotes } from './ask/collect-votes.js';
import type { Deps } from './step/deps.js';
import type { Fence } from './step/fence.js';
import { heartbeating } from './step/heartbeat.js';
import { loadWithAccess } from './run/load-run.js';
import { runStepOnce } from './step/run-step-once.js';
import { readAgentSteps } from './agent/agent-step.js';
import { conversationOf, lastOfTurns, turnNumber, type UserMessage } from './agent/turns.js';
import type { LoadedRun, RunAccess, RunIdentity } from './run/context.js';

/** Decides whether a conversation is over after a turn. */
export const endConversation =
  (deps: Deps) =>
  async (run: RunRef, turn: ConversationTurn): Promise<ConversationBrief> => {
    const context = await loadWithAccess(deps, run);
    return runStepOnce<ConversationBrief>(context, STEPS.ending(turn.number), async (fence) => {
      const conversing = await readConversation(context, turn);
      const reason = await heartbeating((signal) => decide(context, conversing, turn, fence, signal));
      return { reason, workedSecs: conversing.state.workedSecs };
    });
  };

/** Returns why the conversation is over; null if it continues. */
async function decide(
  context: LoadedRun & RunAccess,
  { step, state }: Conversing,
  { number }: ConversationTurn,
  fence: Fence,
  signal: AbortSignal,
): Promise<string | null> {
  const answers = new Map<number, boolean>();
  for (;;) {
    const decision = decideEnd(step, { ...state, answers });
    if ('over' in decision) return decision.over ? decision.reason : null;
    const asked = step.ends_when[decision.ask]?.judge;
    if (asked === undefined) throw new RangeError(`condition ${decision.ask} asks no model`);
    const question = {
      caller: `${STEPS.ending(number)} condition ${decision.ask + 1}`,
      votes: 1,
      form: { timeoutSecs: step.ask_secs, schema: conditionSchema },
      read: readConditionAnswer,
      prompt: () => Promise.resolve(conditionPrompt(asked.prompt, redactTurns(state.turns, context.redact))),
    };
    const { votes } = await collectVotes(context, question, fence, signal);
    const [answer] = votes;
    answers.set(decision.ask, answer !== undefined && answer.answer === 'yes' && answer.confidence >= asked.threshold);
  }
}

/** The conversation to which a turn belongs, and what is known of it until then. */
interface Conversing {
  step: ConversationStep;
  state: Omit<ConversationState, 'answers'>;
}

/** The turns as models other than the agent's may see them. */
const redactTurns = (turns: readonly Turn[], redact: (text: string) => string): Turn[] =>
  turns.map(({ number, user, agent }) => ({
    number,
    user: redact(user),
    agent: agent === null ? null : redact(agent),
  }));

/** Reads what has been said in a conversation. @throws RangeError if the step is no conversation or has no turns */
async function readConversation(context: RunIdentity, { number, at }: ConversationTurn): Promise<Conversing> {
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

/** Asks the model that plays the user for its message of a turn. */
export const simulateUser =
  (deps: Deps) =>
  async (run: RunRef, { number, at }: ConversationTurn): Promise<true> => {
    const context = await loadWithAccess(deps, run);
    const caller = STEPS.user(number);
    await runStepOnce<UserMessage>(context, caller, async (fence) => {
      const { step, state } = await readConversation(context, { number: number - 1, at });
      const { temperature, max_tokens: maxTokens } = step.user;
      const question = {
        caller,
        votes: 1,
        form: { timeoutSecs: step.ask_secs, schema: null, temperature, maxTokens },
        prompt: () => Promise.resolve(userPrompt(step.user, redactTurns(state.turns, context.redact))),
        read: readMessage,
      };
      const { votes } = await heartbeating((signal) => collectVotes(context, question, fence, signal));
      return { message: votes[0] ?? '' };
    });
    return true;
  };

function readMessage(text: string): { ok: true; answer: string } | { ok: false; problem: string } {
  const message = userMessage(text);
  return message === null ? { ok: false, problem: 'the answer is empty' } : { ok: true, answer: message };
}
