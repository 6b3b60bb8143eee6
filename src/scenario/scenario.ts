import { z } from 'zod';
import { RuntimeSetup } from '#agent-host';
import { MockScript } from '#agents';
import { conversationFields } from './conversation.js';
import { Environment } from './environment.js';
import { modelAnswersOf, GateSpec } from '#gates';
import { Mocks } from '#mocks';
import { isAgentKind } from '#model';
import { Subjects } from '#subjects';
import { Database } from './database.js';
import { TargetOrConfig } from './target.js';

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

const agentFields = {
  /** The user's text; in a conversation, the first message. */
  prompt: z.string(),
  /** The time that the agent may work on one message. */
  timeout_secs: z.number(),
  /** The agent is killed when its output has not grown for this many seconds. */
  idle_timeout_secs: z.number().exactOptional(),
  /** Maximum number of turns within the agent, for agents that have such a limit. */
  max_turns: z.number().exactOptional(),
  ...commonFields,
};

/** A command that succeeds as soon as a container can be used, and how it is repeated. */
const HealthCheck = z.object({
  command: z.string(),
  interval_sec: z.number(),
  timeout_sec: z.number(),
  start_period_sec: z.number(),
  start_interval_sec: z.number(),
  retries: z.number(),
});
export type HealthCheck = z.infer<typeof HealthCheck>;

/** Gives the agent one message. All messages of a scenario belong to one conversation with the agent. */
const InputStep = z.object({
  kind: z.literal('agent'),
  ...agentFields,
  /**
   * Set for a step of a task: the agent begins anew, in the same container. `folder`: that of the step in the checks
   * folder. What is in its `workdir` is copied into the workspace, its setup.sh is run there, and its health check is
   * awaited.
   */
  anew: z.object({ folder: z.string(), healthcheck: HealthCheck.exactOptional() }).exactOptional(),
});

/** A part of the conversation in which a model plays the user. */
const ConversationStep = z.object({
  kind: z.literal('conversation'),
  ...agentFields,
  ...conversationFields,
  /** Gates that are checked after every turn; each must pass every time. */
  turn_gates: z.array(GateSpec).exactOptional(),
});
export type ConversationStep = z.infer<typeof ConversationStep>;

/** A step in which the agent works. */
export type AgentStep = z.infer<typeof InputStep> | ConversationStep;

/** A command in the workspace. A failure is recorded, but does not affect the outcome. */
const CommandStep = z.object({
  kind: z.literal('command'),
  /** A command line for `sh -c`, or a program with its arguments. */
  command: z.union([z.string(), z.array(z.string()).min(1)]),
  timeout_secs: z.number(),
  ...commonFields,
});

const Step = z.discriminatedUnion('kind', [ScriptStep, InputStep, ConversationStep, CommandStep]);
export type Step = z.infer<typeof Step>;

/** The steps, in this order: any number of inputs, conversations, commands, and scripts before the first input. */
const Steps = z.array(Step).superRefine((steps, context) => {
  const problem = stepsProblem(steps);
  if (problem !== null) context.addIssue({ code: 'custom', message: problem });
});

/** Returns why these steps cannot be run. Null if they can. */
function stepsProblem(steps: readonly Step[]): string | null {
  const kinds = steps.map(({ kind }) => kind);
  return kinds.lastIndexOf('script') > kinds.findIndex(isAgentKind)
    ? 'script steps must come before the agent step'
    : null;
}

/** The parts of a task folder that others wrote. Everything of its image counts, and runs in it. */
const Task = z.object({
  /** Variables of the container. In these maps, `${NAME}` stands for a variable of the shell. */
  env: z.record(z.string(), z.string()),
  /** More variables of the script that solves it. */
  solution_env: z.record(z.string(), z.string()),
  /** The folder of everything that runs; without it, that of the image. */
  workdir: z.string().exactOptional(),
  /** The agent's user; without it, that of the image. */
  user: z.string().exactOptional(),
  /** A command that succeeds as soon as the container can be used. */
  healthcheck: HealthCheck.exactOptional(),
  /**
   * Set if the verifier has a container of its own. `builds`: its image is built of the folder tests/; else, it is that
   * of the agent. `artifacts`: the paths that it is given of the agent's container. `network`: set if it differs from
   * that of the agent's container.
   */
  verifier_apart: z
    .object({
      builds: z.literal(true).exactOptional(),
      artifacts: z.array(z.string()),
      network: z.enum(['none', 'public']).exactOptional(),
    })
    .exactOptional(),
  /** Folder of skills in the container. */
  skills_dir: z.string().exactOptional(),
  /** MCP servers that the agent is given: programs in the container. */
  mcp_servers: z.array(z.object({ name: z.string(), command: z.string(), args: z.array(z.string()) })).exactOptional(),
});

/** The contents of the workspace when the agent starts. */
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
const Checks = z.object({
  /** Folder of files that only gates and evaluators see, those of steps too. Path, relative to the scenario file. */
  folder: z.string().exactOptional(),
  gates: z.array(GateSpec),
  evaluators: z.array(Evaluator),
});

/** A model or an agent that scores the run by a rubric. */
const Judge = z.object({
  enabled: z.boolean(),
  /** Path, relative to the scenario file. */
  rubric: z.string(),
  /** With a lower score, the run fails. */
  pass_threshold: z.number(),
  always: z.boolean(),
  model: z.string().exactOptional(),
  votes: z.int(),
  timeout_secs: z.number(),
});

const Composite = z.object({
  judge_weight: z.number(),
  gate_weight: z.number(),
  interaction_weight: z.number(),
});

/** The rule by which the checks determine the outcome. */
const Judgment = z.object({
  /** The rule: every gate must pass, or one is enough. */
  gates: z.enum(['all_pass', 'any_pass']),
  /** If present, its score must also reach its threshold. */
  judge: Judge.exactOptional(),
  /** Weights of the composite score, a number for comparisons. It does not affect the outcome. */
  composite: Composite.exactOptional(),
});

export const Scenario = z.object({
  name: z.string(),
  description: z.string(),
  tier: z.int(),
  tags: z.array(z.string()),
  inputs: Inputs,
  /** The program under test; null if the agent itself, or the code of the steps, is what is tested. */
  target: TargetOrConfig.nullable(),
  /** Skills and instructions that the agent is given, as written in the file. Absent if there are none. */
  subject: Subjects.exactOptional(),
  /** True if each variant also runs without the subject, to be compared with it. */
  baseline: z.literal(true).exactOptional(),
  /** Where the agent and the checks run. */
  environment: Environment,
  /** Set if it was read from a task folder. */
  task: Task.exactOptional(),
  steps: Steps,
  checks: Checks,
  judgment: Judgment,
  /** The agents that run it, with their models. If `models` is empty, the config's models apply. */
  agents: z.array(z.object({ agent: z.string(), models: z.array(z.string()) })),
  /** The number of times that each agent and model runs it. */
  repeat: z.int(),
  cost: z.object({ max_usd: z.number().exactOptional(), cache: z.boolean() }),
  /** The scripted steps of the agent `mock`. */
  mock: MockScript.exactOptional(),
  /** The parts of the agent `eliza`. */
  runtime: RuntimeSetup.exactOptional(),
  /** Commands, HTTP endpoints and services of the agent that answer as written here. */
  mocks: Mocks.exactOptional(),
  /** Environment variables that have the address of mocked endpoints, besides LLM_TOOL_TEST_MOCK_URL. */
  mock_url_variables: z.array(z.string()).exactOptional(),
  /** True if artifacts/executions.json is written: what each step printed and changed. */
  executions: z.literal(true).exactOptional(),
  /** Databases that are filled each time a workspace is built. */
  databases: z.array(Database).exactOptional(),
});
export type Scenario = z.infer<typeof Scenario>;

/** Time limit of the agent if nothing else sets one. */
export const DEFAULT_AGENT_TIMEOUT_SECS = 300;

const isAgentStep = (step: Step | undefined): step is AgentStep => step !== undefined && isAgentKind(step.kind);

/** Returns the first step in which the agent works; null if no agent takes part. */
export const findAgentStep = ({ steps }: Pick<Scenario, 'steps'>): AgentStep | null => steps.find(isAgentStep) ?? null;

/** Index of the first step in which the agent works; -1 if no agent takes part. */
export const firstAgentStep = ({ steps }: Pick<Scenario, 'steps'>): number => steps.findIndex(isAgentStep);

/** Returns the step with this index. @throws if the agent does not work in it */
export function agentStepAt({ steps }: Pick<Scenario, 'steps'>, at: number): AgentStep {
  const step = steps[at];
  if (!isAgentStep(step)) throw new Error(`the agent does not work in step ${at}`);
  return step;
}

/** A gate, and when it is checked. */
export interface PlacedGate {
  gate: GateSpec;
  /** Index of the step after which it is checked; null: after all steps. */
  after: number | null;
  /** True if it is checked after every turn of that step, which is a conversation. */
  everyTurn: boolean;
}

/**
 * All gates of a scenario in the order in which they are checked. Its results name a gate by its index in this list.
 */
export const gatesOf = ({ steps, checks }: Pick<Scenario, 'steps' | 'checks'>): PlacedGate[] => [
  ...steps.flatMap((step, after) =>
    step.kind === 'script'
      ? []
      : [
          ...(step.kind === 'conversation' ? (step.turn_gates ?? []) : []).map((gate): PlacedGate => ({
            gate,
            after,
            everyTurn: true,
          })),
          ...(step.gates ?? []).map((gate): PlacedGate => ({ gate, after, everyTurn: false })),
        ],
  ),
  ...checks.gates.map((gate): PlacedGate => ({ gate, after: null, everyTurn: false })),
];

/** True if neither gates nor a judge check what the agent does, so that a run only shows that the agent ended. */
export const checksNothing = (scenario: Pick<Scenario, 'steps' | 'checks'>, isJudged: boolean): boolean =>
  gatesOf(scenario).length === 0 && !isJudged;

/** The path of the first part of a scenario, besides its judge, that asks a model; null if none does. */
export function findModelGate({ steps, checks }: Pick<Scenario, 'steps' | 'checks'>): (string | number)[] | null {
  for (const [at, step] of steps.entries()) {
    // A model plays the user.
    if (step.kind === 'conversation') return ['steps', at, 'user'];
    const gate = step.kind === 'script' ? -1 : (step.gates ?? []).findIndex((one) => modelAnswersOf(one) > 0);
    if (gate !== -1) return ['steps', at, 'gates', gate];
  }
  const gate = checks.gates.findIndex((one) => modelAnswersOf(one) > 0);
  return gate === -1 ? null : ['checks', 'gates', gate];
}

/** A copy of the scenario in which nothing is mocked. */
export function withoutMocks(scenario: Scenario): Scenario {
  const copy = { ...scenario };
  delete copy.mocks;
  delete copy.mock_url_variables;
  return copy;
}

/** A copy of the scenario with another time limit for its agent. */
export const withAgentTimeout = (scenario: Scenario, timeout_secs: number): Scenario => ({
  ...scenario,
  steps: scenario.steps.map((step) => (isAgentStep(step) ? { ...step, timeout_secs } : step)),
});
