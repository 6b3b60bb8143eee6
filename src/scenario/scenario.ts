import { z } from 'zod';
import { GateSpec } from '../gates/index.js';
import { Mock } from './mock.js';
import { TargetOrConfig } from './target.js';

/*
 * What a scenario means, whatever form of file it was written in. A reader (`yaml/`) makes it of a file; planning, activities
 * and reports know nothing else. It is stored as JSON (`plan.ts`), so additions must be optional.
 */

/** An agent script that runs before the agent, which is given its answer. */
const ScriptStep = z.object({
  kind: z.literal('script'),
  script: z.string(),
  args: z.array(z.string()),
  timeout_secs: z.number(),
});

/** The agent is given a prompt and works in the workspace. */
const AgentStep = z.object({
  kind: z.literal('agent'),
  prompt: z.string(),
  timeout_secs: z.number(),
  /** The agent is killed when its output has not grown for so long. */
  idle_timeout_secs: z.number().exactOptional(),
  /** For agents that have such a limit. */
  max_turns: z.number().exactOptional(),
});
export type AgentStep = z.infer<typeof AgentStep>;

/** A shell command in the workspace. Its failure is recorded and decides nothing. */
const CommandStep = z.object({ kind: z.literal('command'), command: z.string(), timeout_secs: z.number() });

const Step = z.discriminatedUnion('kind', [ScriptStep, AgentStep, CommandStep]);
export type Step = z.infer<typeof Step>;

/** What is run, in this order: one agent, with any number of commands around it. Scripts come before the agent. */
const Steps = z.array(Step).superRefine((steps, context) => {
  const problem = stepsProblem(steps);
  if (problem !== null) context.addIssue({ code: 'custom', message: problem });
});

/** Why steps cannot be run; null where they can. */
function stepsProblem(steps: readonly Step[]): string | null {
  const kinds = steps.map(({ kind }) => kind);
  const agents = kinds.filter((kind) => kind === 'agent').length;
  if (agents !== 1) return `expected exactly one step of an agent; got ${agents}`;
  return kinds.lastIndexOf('script') > kinds.indexOf('agent')
    ? 'a script whose answer the agent is given comes before the agent'
    : null;
}

/** What the agent finds in its workspace. */
const Inputs = z.object({
  /** The fixture, as the file names it. */
  fixture: z.string(),
  /** Files written over it, by path. */
  files: z.record(z.string(), z.string()),
  /** Commands that set it up, each time that it is made. */
  commands: z.array(z.string()),
});

/** A program that measures the run: a command, or an agent script with arguments. */
const Evaluator = z.object({
  name: z.string(),
  command: z.string().exactOptional(),
  script: z.string().exactOptional(),
  args: z.array(z.string()),
  timeout_secs: z.number(),
});

/** What is looked at when all steps are over: gates decide, evaluators measure. */
const Checks = z.object({ gates: z.array(GateSpec), evaluators: z.array(Evaluator) });

/** A model or an agent that scores the run by a rubric. */
const Judge = z.object({
  enabled: z.boolean(),
  /** Path, relative to the scenario file. */
  rubric: z.string(),
  /** A lower score makes the run a fail. */
  pass_threshold: z.number(),
  always: z.boolean(),
  model: z.string().exactOptional(),
  votes: z.number().int(),
  timeout_secs: z.number(),
});

const Composite = z.object({
  judge_weight: z.number(),
  gate_weight: z.number(),
  interaction_weight: z.number(),
});

/** By what rule the checks make an outcome. */
const Judgment = z.object({
  /** Every gate must pass. */
  gates: z.literal('all_pass'),
  /** Its threshold must be reached too. */
  judge: Judge.exactOptional(),
  /** Weights of a number for comparisons; it decides nothing. */
  composite: Composite.exactOptional(),
});

/** Where the agent and the checks run. `auto` is `bubblewrap` if it works, else `local`. */
const Environment = z.discriminatedUnion('type', [
  z.object({ type: z.enum(['local', 'bubblewrap', 'auto']) }),
  /** A container of an image that is on this machine, made by one of these command lines. */
  z.object({ type: z.literal('docker'), image: z.string(), command: z.enum(['docker', 'podman']) }),
]);

export const Scenario = z.object({
  name: z.string(),
  description: z.string(),
  tier: z.number().int(),
  tags: z.array(z.string()),
  inputs: Inputs,
  target: TargetOrConfig,
  /** Where the agent and the checks run. */
  environment: Environment,
  steps: Steps,
  checks: Checks,
  judgment: Judgment,
  /** Who runs it: an agent, and its models; no model says that the config's count. */
  agents: z.array(z.object({ agent: z.string(), models: z.array(z.string()) })),
  /** How often each of them does. */
  repeat: z.number().int(),
  cost: z.object({ max_usd: z.number().exactOptional(), cache: z.boolean() }),
  /** What the agent `mock` does. */
  mock: Mock.exactOptional(),
});
export type Scenario = z.infer<typeof Scenario>;

/** Time for the agent where nobody says otherwise. */
export const DEFAULT_AGENT_TIMEOUT_SECS = 300;

/** The step of the agent; a scenario has exactly one. */
export function agentStep({ steps }: Pick<Scenario, 'steps'>): AgentStep {
  const step = steps.find(({ kind }) => kind === 'agent');
  if (step?.kind !== 'agent') throw new Error('a scenario has a step of an agent');
  return step;
}

/** The scenario with another time limit for its agent. */
export const withAgentTimeout = (scenario: Scenario, timeout_secs: number): Scenario => ({
  ...scenario,
  steps: scenario.steps.map((step) => (step.kind === 'agent' ? { ...step, timeout_secs } : step)),
});
