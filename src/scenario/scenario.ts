import { z } from 'zod';
import { GateSpec } from '../gates/index.js';
import { CommandMocks } from '../mocks/command-mock.js';
import { Database } from './database.js';
import { Mock } from './mock.js';
import { StoredTarget } from './target.js';

/*
 * A scenario, independent of the form of file that it was written in. A reader (`yaml/`) makes it from a file.
 * Planning, activities and reports only know this form. It is stored as JSON (`plan.ts`), so new fields must be
 * optional.
 */

const commonFields = {
  name: z.string().exactOptional(),
  /** Gates that check what the step did. They are checked right after it. */
  gates: z.array(GateSpec).exactOptional(),
};

/** An agent script that runs before the agent. Its answer is given to the agent. */
const ScriptStep = z.object({
  kind: z.literal('script'),
  script: z.string(),
  args: z.array(z.string()),
  timeout_secs: z.number(),
});

/** Runs the agent with a prompt in the workspace. */
const AgentStep = z.object({
  kind: z.literal('agent'),
  prompt: z.string(),
  timeout_secs: z.number(),
  /** The agent is killed when its output has not grown for this many seconds. */
  idle_timeout_secs: z.number().exactOptional(),
  /** Maximum number of turns, for agents that have such a limit. */
  max_turns: z.number().exactOptional(),
  ...commonFields,
});
export type AgentStep = z.infer<typeof AgentStep>;

/** A command in the workspace. A failure is recorded, but does not affect the outcome. */
const CommandStep = z.object({
  kind: z.literal('command'),
  /** A command line for `sh -c`, or a program with its arguments. */
  command: z.union([z.string(), z.array(z.string()).min(1)]),
  timeout_secs: z.number(),
  ...commonFields,
});

const Step = z.discriminatedUnion('kind', [ScriptStep, AgentStep, CommandStep]);
export type Step = z.infer<typeof Step>;

/** The steps, in this order: at most one agent, and any number of scripts (before the agent) and commands. */
const Steps = z.array(Step).superRefine((steps, context) => {
  const problem = stepsProblem(steps);
  if (problem !== null) context.addIssue({ code: 'custom', message: problem });
});

/** Why these steps cannot be run. Null if they can. */
function stepsProblem(steps: readonly Step[]): string | null {
  const kinds = steps.map(({ kind }) => kind);
  const agents = kinds.filter((kind) => kind === 'agent').length;
  if (agents > 1) return `expected at most one agent step, got ${agents}`;
  return kinds.lastIndexOf('script') > kinds.indexOf('agent')
    ? 'script steps must come before the agent step'
    : null;
}

/** What the workspace contains when the agent starts. */
const Inputs = z.object({
  /** The fixture, as written in the file; null for an empty workspace. */
  fixture: z.string().nullable(),
  /** Files that are written over the fixture: contents by path. */
  files: z.record(z.string(), z.string()),
  /** Commands that set up the workspace, each time one is made. */
  commands: z.array(z.string()),
});

/** A program that measures the run: either a command, or an agent script with arguments. */
const Evaluator = z.object({
  name: z.string(),
  command: z.string().exactOptional(),
  script: z.string().exactOptional(),
  args: z.array(z.string()),
  timeout_secs: z.number(),
});

/** The checks after all steps. Gates decide on the outcome, as those of steps do; evaluators only measure. */
const Checks = z.object({ gates: z.array(GateSpec), evaluators: z.array(Evaluator) });

/** A model or an agent that scores the run by a rubric. */
const Judge = z.object({
  enabled: z.boolean(),
  /** Path, relative to the scenario file. */
  rubric: z.string(),
  /** With a lower score, the run fails. */
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

/** The rule by which the checks determine the outcome. */
const Judgment = z.object({
  /** Whether every gate must pass, or one is enough. */
  gates: z.enum(['all_pass', 'any_pass']),
  /** If present, its score must also reach its threshold. */
  judge: Judge.exactOptional(),
  /** Weights of the composite score, a number for comparisons. It does not affect the outcome. */
  composite: Composite.exactOptional(),
});

/** `auto` is `bubblewrap` if that works, else `local`. */
const Environment = z.discriminatedUnion('type', [
  z.object({ type: z.enum(['local', 'bubblewrap', 'auto']) }),
  /** A container made with this command, from an image that is on this machine. */
  z.object({ type: z.literal('docker'), image: z.string(), command: z.enum(['docker', 'podman']) }),
  /** A cloud sandbox of E2B. */
  z.object({ type: z.literal('e2b'), template: z.string(), timeout_secs: z.number() }),
]);
type Environment = z.infer<typeof Environment>;

/** Whether runs share no files and programs with this machine. */
export const isApart = ({ type }: Environment): boolean => type === 'docker' || type === 'e2b';

export const Scenario = z.object({
  name: z.string(),
  description: z.string(),
  tier: z.number().int(),
  tags: z.array(z.string()),
  inputs: Inputs,
  /** The program under test; null if the agent itself, or the code of the steps, is what is tested. */
  target: z.union([StoredTarget, z.literal('from_config')]).nullable(),
  /** Where the agent and the checks run. */
  environment: Environment,
  steps: Steps,
  checks: Checks,
  judgment: Judgment,
  /** The agents that run it, with their models. If `models` is empty, the config's models apply. */
  agents: z.array(z.object({ agent: z.string(), models: z.array(z.string()) })),
  /** How many times each agent and model runs it. */
  repeat: z.number().int(),
  cost: z.object({ max_usd: z.number().exactOptional(), cache: z.boolean() }),
  /** What the agent `mock` does. */
  mock: Mock.exactOptional(),
  /** Commands that answer as written here. They come first on PATH. */
  mocks: CommandMocks.exactOptional(),
  /** Databases that are filled each time a workspace is built. */
  databases: z.array(Database).exactOptional(),
});
export type Scenario = z.infer<typeof Scenario>;

/** Time limit of the agent if nothing else sets one. */
export const DEFAULT_AGENT_TIMEOUT_SECS = 300;

/** Returns the scenario's agent step; null if no agent takes part. */
export function findAgentStep({ steps }: Pick<Scenario, 'steps'>): AgentStep | null {
  const step = steps.find(({ kind }) => kind === 'agent');
  return step?.kind === 'agent' ? step : null;
}

/** Returns the scenario's agent step. @throws if no agent takes part */
export function agentStep(scenario: Pick<Scenario, 'steps'>): AgentStep {
  const step = findAgentStep(scenario);
  if (step === null) throw new Error('the scenario has no agent step');
  return step;
}

/** A gate, and when it is checked: after the step with this index, or after all steps (null). */
export interface PlacedGate {
  gate: GateSpec;
  after: number | null;
}

/** All gates of a scenario in the order in which they are checked. Its results name a gate by its index in this list. */
export const gatesOf = ({ steps, checks }: Pick<Scenario, 'steps' | 'checks'>): PlacedGate[] => [
  ...steps.flatMap((step, after) =>
    (step.kind === 'script' ? [] : (step.gates ?? [])).map((gate): PlacedGate => ({ gate, after })),
  ),
  ...checks.gates.map((gate): PlacedGate => ({ gate, after: null })),
];

/** A copy of the scenario with another time limit for its agent. */
export const withAgentTimeout = (scenario: Scenario, timeout_secs: number): Scenario => ({
  ...scenario,
  steps: scenario.steps.map((step) => (step.kind === 'agent' ? { ...step, timeout_secs } : step)),
});
