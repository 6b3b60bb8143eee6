import { type CommandRecord, STEPS, type Turn } from '#model';
import { type AgentStep as ScenarioStep, agentStepAt, withEarlierTurns, type HealthCheck } from '#scenario';
import { readStep } from '../step/run-step-once.js';
import { type AgentStep, readAgentSteps } from './agent-step.js';
import { stepsOfKind } from '../run/scenario-steps.js';
import type { RunIdentity, RunSecrets } from '../run/context.js';

/** The step to which the current turn belongs. */
export const stepOfTurn = ({ scenario, turn }: Pick<RunIdentity, 'scenario' | 'turn'>): ScenarioStep =>
  agentStepAt(scenario, turn.at);

/** A step of a task, in which the agent begins anew. */
export interface StepAnew {
  folder: string;
  healthcheck?: HealthCheck;
}

/** The step of a task to which the current turn belongs; undefined if there is none. */
export function anewIn(context: Pick<RunIdentity, 'scenario' | 'turn'>): StepAnew | undefined {
  const step = stepOfTurn(context);
  return step.kind === 'agent' ? step.anew : undefined;
}

/** The time that the agent may work in the current turn, seconds. */
export const turnSecs = (context: Pick<RunIdentity, 'scenario' | 'turn'>): number =>
  Math.min(stepOfTurn(context).timeout_secs, context.turn.limitSecs ?? Infinity);

/** The user's message in the current turn: the step's message, or that of the simulated user. */
export async function userMessageOf(context: RunIdentity): Promise<string> {
  const simulated = await readStep<UserMessage>(context, STEPS.user(context.turn.number));
  return simulated?.result.message ?? stepOfTurn(context).prompt;
}

/** The results of the turns before the current one: of each turn, the last run of the agent. */
export async function turnsBefore(context: RunIdentity): Promise<AgentStep[]> {
  const steps = (await readAgentSteps(context)).map(({ result }) => result);
  return lastOfTurns(steps).filter((step) => turnNumber(step) < context.turn.number);
}

/** Number of the first start of the current turn. */
export const firstStartOf = (before: readonly AgentStep[]): number => (before.at(-1)?.record.starts ?? 0) + 1;

/** Number of the turn in which a step ran the agent. The agent that was not started belongs to the first one. */
export const turnNumber = ({ turn }: Pick<AgentStep, 'turn'>): number => turn?.number ?? 1;

/** Keeps the last of several runs of the agent in one turn. */
export const lastOfTurns = (steps: readonly AgentStep[]): AgentStep[] =>
  steps.filter((step, index) => {
    const next = steps[index + 1];
    return next === undefined || turnNumber(next) !== turnNumber(step);
  });

/** The turns of a conversation, as these steps record them. */
export const conversationOf = (steps: readonly AgentStep[]): Turn[] =>
  steps.flatMap(({ turn }) =>
    turn === undefined ? [] : [{ number: turn.number, user: turn.user, agent: turn.agent }],
  );

/** The message to a resumed agent whose process was lost. */
const CONTINUE = 'You were interrupted. Continue where you stopped.';

/** Returns the prompt of a given start of the agent in the current turn. */
export async function promptOf(
  context: RunIdentity & RunSecrets,
  start: number,
  session: string | null,
): Promise<string> {
  const message = await userMessageOf(context);
  if (anewIn(context) !== undefined) return message;
  const before = await turnsBefore(context);
  if (session === null) return withEarlierTurns(conversationOf(before), message);
  if (start === firstStartOf(before) || context.agent.repeatsTurns === true) return message;
  // In the first turn, the session certainly contains the message.
  return before.length === 0 ? CONTINUE : `${CONTINUE} The user had said:\n\n${message}`;
}

/** Result of a script of `task.context`. */
export interface ContextStep {
  /** Null if nothing was run. */
  record: CommandRecord | null;
  /** The command, and its answer as the agent is given it; null if there is no answer. */
  told: { line: string; answer: string } | null;
  /** The reason why there is no answer, so that the agent is not started; null if there is one. */
  unfit: string | null;
}

/** Message to the agent about the scripts that were run before it; null if there are none. */
export async function contextMessage(context: RunIdentity): Promise<string | null> {
  const steps = stepsOfKind(context.scenario, 'script').map(({ name }) => readStep<ContextStep>(context, name));
  const texts = (await Promise.all(steps)).flatMap((manifest) => manifest?.result.told ?? []);
  if (texts.length === 0) return null;
  const parts = texts.map(({ line, answer }) => `$ ${line}\n${answer}`);
  return ['These scripts of the project were run before you began. Each is shown with its answer.', ...parts].join(
    '\n\n',
  );
}

/** Result of the step in which the simulated user speaks. */
export interface UserMessage {
  message: string;
}
