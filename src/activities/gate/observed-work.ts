import type { GateContext } from '#gates';
import { defined } from '#lib';
import { isAgentKind, nameSteps, type Trajectory } from '#model';
import type { PlacedGate } from '#scenario';
import { type EnvironmentHandle, environments } from '#environments';
import { type AgentStep, type OwnTurn, readAgentSteps } from '../agent/agent-step.js';
import { conversationOf, lastOfTurns, turnNumber } from '../agent/turns.js';
import type { CommandStepResult } from '../commands/command-record.js';
import { readStep } from '../step/run-step-once.js';
import type { RunIdentity } from '../run/context.js';

/** The part of a gate's context about the step that it checks. */
type WorkEvidence = Pick<GateContext, 'efficiency' | 'trajectory' | 'turns' | 'durationMs'>;

/**
 * Returns what a gate can know of its step. Gates after all steps, and those after a conversation, check everything
 * that the agent has done until then. `turn`: the turn that is checked, for a gate that is checked after every turn.
 */
export function observedWork(context: RunIdentity, { after }: Pick<PlacedGate, 'after'>, turn?: number): WorkEvidence {
  const named = after === null ? undefined : nameSteps(context.scenario.steps)[after];
  if (named?.step.kind === 'command') return doneByCommand(context, named.name);
  const isOfStep = (step: AgentStep): boolean =>
    named === undefined || !isAgentKind(named.step.kind) || (step.turn?.at ?? after) === after;
  const isOfTurn = (step: AgentStep): boolean => turn === undefined || turnNumber(step) === turn;
  const isConversation = named?.step.kind === 'conversation';
  return doneByAgent(context, {
    isIncluded: (step) => isOfStep(step) && isOfTurn(step),
    isTurn: turn !== undefined || named?.step.kind === 'agent',
    isInConversation: isConversation ? isOfStep : () => true,
  });
}

interface CheckedSteps {
  /** True if a step of the agent is among those that are checked; the last one counts. */
  isIncluded: (step: AgentStep) => boolean;
  /** True if only its turn counts, not the turns before it. */
  isTurn: boolean;
  /** True if a step of the agent belongs to the conversation that is checked. */
  isInConversation: (step: AgentStep) => boolean;
}

function doneByAgent(context: RunIdentity, { isIncluded, isTurn, isInConversation }: CheckedSteps): WorkEvidence {
  const steps = async (): Promise<AgentStep[]> => {
    const all = (await readAgentSteps(context)).map(({ result }) => result);
    return all.slice(0, all.findLastIndex(isIncluded) + 1);
  };
  const last = async (): Promise<{ step: AgentStep; own: OwnTurn | undefined } | null> => {
    const step = (await steps()).at(-1);
    return step === undefined ? null : { step, own: isTurn ? step.turn?.own : undefined };
  };
  return {
    efficiency: async () => {
      const found = await last();
      if (found === null || found.step.efficiency === null) return null;
      return (found.own ?? found.step).efficiency;
    },
    trajectory: async () => {
      const found = await last();
      if (!found?.step.trajectory) return null;
      const { step, own } = found;
      if (own !== undefined)
        return {
          ...own.trajectory,
          tokens: own.tokens,
          costUsd: own.cost_usd,
          ...(step.trajectory?.unread === true ? { unread: true } : {}),
        };
      const { token_usage: tokens, cost_usd: costUsd } = step.record;
      const { token_usage_at_least: tokensAtLeast, cost_usd_at_least: costAtLeastUsd } = step.record;
      return {
        ...found.step.trajectory,
        tokens,
        costUsd,
        ...defined({ tokensAtLeast, costAtLeastUsd }),
      };
    },
    turns: async () => {
      const all = await steps();
      return all.length === 0 ? null : conversationOf(lastOfTurns(all).filter(isInConversation));
    },
    durationMs: async () => {
      const found = await last();
      return found?.own?.duration_ms ?? found?.step.record.duration_ms ?? null;
    },
  };
}

/** A command is not an agent: it calls no tools and costs nothing. Its answer is what it prints. */
const doneByCommand = (context: RunIdentity, step: string): WorkEvidence => ({
  efficiency: () => Promise.resolve(null),
  trajectory: async () => {
    const output = (await readStep<CommandStepResult>(context, step))?.result.output;
    return output === undefined ? null : { ...NOTHING, answer: output.text, ...unlessWhole(output.isWhole) };
  },
  turns: () => Promise.resolve(null),
  durationMs: async () => (await readStep<CommandStepResult>(context, step))?.result.duration_ms ?? null,
});

const unlessWhole = (isWhole: boolean): Pick<Trajectory, 'unread'> => (isWhole ? {} : { unread: true });

const NOTHING = {
  commands: [],
  commandCount: 0,
  structured: true,
  tools: {},
  failed: [],
  costUsd: 0,
  skills: {},
  actions: [],
  mcp: { calls: [], callCount: 0, problems: [] },
  isOutput: true,
  tokens: { input: 0, output: 0, reasoning: 0, cache_read: 0, cache_write: 0 },
} satisfies Omit<Trajectory, 'answer'>;

type Recorder = Pick<EnvironmentHandle, 'type' | 'journal'>;
type Recorded = Pick<GateContext, 'efficiency' | 'trajectory' | 'turns'>;

/** Notes whether a gate looks at what was recorded of the agent. */
export function watchEvidence<T extends Recorded>(
  done: T,
  handle: Recorder,
): { done: T; forgeable: () => Promise<string | null> } {
  let wasUsed = false;
  const noting =
    <A>(look: () => Promise<A>) =>
    (): Promise<A> => {
      wasUsed = true;
      return look();
    };
  return {
    done: {
      ...done,
      efficiency: noting(() => done.efficiency()),
      trajectory: noting(() => done.trajectory()),
      turns: noting(() => done.turns()),
    },
    forgeable: async () => (wasUsed ? environments[handle.type].forgeryRisk(handle) : null),
  };
}
