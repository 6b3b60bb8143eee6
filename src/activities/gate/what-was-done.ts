import type { GateContext } from '../../gates/gate.js';
import { nameSteps } from '../../results/step-names.js';
import { agentStep, type PlacedGate } from '../../scenario/scenario.js';
import type { Trajectory } from '../../results/transcript/trajectory.js';
import { readAgentStep } from '../agent/agent-steps.js';
import type { CommandStepResult } from '../step/command-record.js';
import type { RunContext } from '../step/run-context.js';
import { readStep } from '../step/run-step-once.js';

/** What a gate may ask about the step that it checks. */
type Done = Pick<GateContext, 'efficiency' | 'trajectory' | 'turns' | 'durationMs'>;

/** Returns what a gate can know of its step. Gates after all steps check what the agent did. */
export function whatWasDone(context: RunContext, { after }: Pick<PlacedGate, 'after'>): Done {
  const named = after === null ? undefined : nameSteps(context.scenario.steps)[after];
  return named?.step.kind === 'command' ? doneByCommand(context, named.name) : doneByAgent(context);
}

const doneByAgent = (context: RunContext): Done => ({
  efficiency: async () => (await readAgentStep(context))?.result.efficiency ?? null,
  trajectory: async () => {
    const step = (await readAgentStep(context))?.result;
    if (!step?.trajectory) return null;
    const { token_usage: tokens, cost_usd: costUsd } = step.record;
    const { token_usage_at_least: tokensAtLeast, cost_usd_at_least: costAtLeastUsd } = step.record;
    return {
      ...step.trajectory,
      tokens,
      costUsd,
      ...(tokensAtLeast === undefined ? {} : { tokensAtLeast }),
      ...(costAtLeastUsd === undefined ? {} : { costAtLeastUsd }),
    };
  },
  turns: async () => {
    const step = (await readAgentStep(context))?.result;
    if (step === undefined) return null;
    return [{ number: 1, user: agentStep(context.scenario).prompt, agent: step.trajectory?.answer ?? null }];
  },
  durationMs: async () => (await readAgentStep(context))?.result.record.duration_ms ?? null,
});

/** A command is not an agent: it calls no tools and costs nothing. Its answer is what it prints. */
const doneByCommand = (context: RunContext, step: string): Done => ({
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
  ...{ commands: [], commandCount: 0, structured: true, tools: {}, failed: [], costUsd: 0 },
  isOutput: true,
  tokens: { input: 0, output: 0, reasoning: 0, cache_read: 0, cache_write: 0 },
} satisfies Omit<Trajectory, 'answer'>;
