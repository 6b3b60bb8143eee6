import { userMessage, userPrompt } from '#scenario';
import { STEPS } from '#model';
import type { ConversationTurn, RunRef } from '#protocol';
import { collectVotes } from './ask/collect-votes.js';
import { readConversation, redactTurns } from './conversation/conversation-state.js';
import type { UserMessage } from './conversation/user-message.js';
import type { Deps } from './step/deps.js';
import { heartbeating } from './step/heartbeat.js';
import { loadRun } from './step/run-context.js';
import { runStepOnce } from './step/run-step-once.js';

/** Asks the model that plays the user for its message of a turn. */
export const simulateUser =
  (deps: Deps) =>
  async (run: RunRef, { number, at }: ConversationTurn): Promise<true> => {
    const context = await loadRun(deps, run);
    const asker = STEPS.user(number);
    await runStepOnce<UserMessage>(context, asker, async (fence) => {
      const { step, state } = await readConversation(context, { number: number - 1, at });
      const { temperature, max_tokens: maxTokens } = step.user;
      const question = {
        asker,
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
