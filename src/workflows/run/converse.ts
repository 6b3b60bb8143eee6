import { CancelledFailure } from '@temporalio/workflow';
import { STEPS } from '#model/pure';
import type { AgentSummary, PlannedStep, RunRef } from '#protocol';
import { activities, within } from './options.js';
import type { Performer } from './perform.js';
import type { RunAgent } from './agent-runs.js';

/** A conversation with a simulated user, and its place in the run. */
interface PlacedConversation {
  step: Extract<PlannedStep, { kind: 'conversation' }>;
  /** Its index among the steps. */
  at: number;
  /** Number of turns before it. */
  turns: number;
}

/** The course of a conversation. */
interface Conversed {
  /** True if the agent completed the last turn. */
  completed: boolean;
  /** Number of turns of the run until now. */
  turns: number;
  /** Number of gates that did not pass. */
  notPassed: number;
}

/**
 * Holds a conversation: the agent, the gates of the turn, the decision whether it is over, and the user's next message,
 * each as a step. Returns null if a step failed for good, or if the agent could not work.
 */
export async function converse(
  { perform, performEither }: Performer,
  run: RunRef,
  { step, at, turns: before }: PlacedConversation,
  runAgent: RunAgent,
  checkTurn: (turn: number) => Promise<number>,
): Promise<Conversed | null> {
  const { timeoutSecs, totalSecs, askSecs, subject } = step;
  let notPassed = 0;
  let left = totalSecs;
  for (let number = before + 1; ; number += 1) {
    const agent = unlessCancelled(
      await runAgent(step, { number, at, ...(left < timeoutSecs ? { limitSecs: left } : {}) }),
    );
    if (agent === null || agent.ending === 'unable') return null;
    notPassed += await checkTurn(number);
    const end = await performEither(
      { step: STEPS.ending(number), title: `is the conversation over? ${subject}`, ...within(askSecs) },
      ({ endConversation }, options) => endConversation.executeWithOptions(options, [run, { number, at }]),
      step.endAsks ? false : undefined,
    );
    if (end === null) return null;
    if (end.reason !== null) return { completed: agent.completed, turns: number, notPassed };
    left = Math.max(1, Math.ceil(totalSecs - end.workedSecs));
    const userMessage = await perform(
      { step: STEPS.user(number + 1), title: `user, turn ${number + 1}: ${subject}`, ...within(askSecs) },
      (options) => activities.simulateUser.executeWithOptions(options, [run, { number: number + 1, at }]),
    );
    if (userMessage === null) return null;
  }
}

/** @throws CancelledFailure if the agent was stopped because the run was cancelled */
export function unlessCancelled(agent: AgentSummary | null): AgentSummary | null {
  if (agent?.ending === 'cancelled') throw new CancelledFailure('the run was cancelled');
  return agent;
}
