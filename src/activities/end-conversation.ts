import { conditionPrompt, conditionSchema, decideEnd, readConditionAnswer } from '#scenario';
import { STEPS } from '#model';
import type { ConversationBrief, ConversationTurn, RunRef } from '#protocol';
import { collectVotes } from './ask/collect-votes.js';
import { readConversation, redactTurns, type Conversing } from './conversation/conversation-state.js';
import type { Deps } from './step/deps.js';
import type { Fence } from './step/fence.js';
import { heartbeating } from './step/heartbeat.js';
import { loadRun, type RunContext } from './step/run-context.js';
import { runStepOnce } from './step/run-step-once.js';

/** Decides whether a conversation is over after a turn. */
export const endConversation =
  (deps: Deps) =>
  async (run: RunRef, turn: ConversationTurn): Promise<ConversationBrief> => {
    const context = await loadRun(deps, run);
    return runStepOnce<ConversationBrief>(context, STEPS.ending(turn.number), async (fence) => {
      const conversing = await readConversation(context, turn);
      const reason = await heartbeating((signal) => decide(context, conversing, turn, fence, signal));
      return { reason, workedSecs: conversing.state.workedSecs };
    });
  };

/** Returns why the conversation is over; null if it continues. */
async function decide(
  context: RunContext,
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
      asker: `${STEPS.ending(number)} condition ${decision.ask + 1}`,
      votes: 1,
      form: { timeoutSecs: step.ask_secs, schema: conditionSchema },
      read: readConditionAnswer,
      prompt: () => Promise.resolve(conditionPrompt(asked.prompt, redactTurns(state.turns, context.redact))),
    };
    const { votes } = await collectVotes(context, question, fence, signal);
    const [answer] = votes;
    answers.set(
      decision.ask,
      answer !== undefined && answer.answer === 'yes' && answer.confidence >= asked.threshold,
    );
  }
}
