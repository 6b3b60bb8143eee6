import type { RetryHint } from '#agents';
import { type AgentRecord, type Efficiency, NO_USAGE, type RecordedTrajectory, STEPS, type TokenUsage } from '#model';
import type { FilesAfter } from '../commands/files-after.js';
import { type Manifest, readStep, type StepStore } from '../step/run-step-once.js';
import type { RunIdentity, RunSecrets } from '../run/context.js';

/** Result of a step that ran the agent, for the steps after it. */
export interface AgentStep {
  record: AgentRecord;
  /** Null if the agent was not started. */
  efficiency: Efficiency | null;
  /** Null if the agent was not started. */
  trajectory: RecordedTrajectory | null;
  /** The reason why the agent's work cannot be judged: the disk was full. Absent if it was not. */
  spoiled?: string;
  /** When and why the agent may succeed later; null if it will not. */
  again: RetryHint | null;
  /** True if the agent was not started, because its account had reached a limit. */
  held?: true;
  /** Warnings about the transcripts. Absent if the agent was not started. */
  warnings?: string[];
  /** The workspace after it; null if it could not be read. Absent if the scenario does not want it recorded. */
  after?: FilesAfter | null;
  /** The events of this turn; the other fields cover all turns until now. Absent if the agent was not started. */
  turn?: TurnDone;
}

/** The record of one turn of the conversation. */
export interface TurnDone {
  /** From 1, over all steps of the run. */
  number: number;
  /** Index of its step among the scenario's. */
  at: number;
  /** The agent's first start in this turn. */
  first: number;
  /** The user's message. */
  user: string;
  /** The agent's last message in this turn; null if it said nothing. */
  agent: string | null;
  /** The turn alone. Absent in the first turn, of which the whole step says the same. */
  own?: OwnTurn;
}

export interface OwnTurn {
  trajectory: RecordedTrajectory;
  efficiency: Efficiency;
  duration_ms: number;
  tokens: TokenUsage;
  cost_usd: number | null;
}

/** Returns the last step in which the agent was run; null if it was not run. */
export async function readAgentStep(context: StepStore): Promise<Manifest<AgentStep> | null> {
  return (await readAgentSteps(context)).at(-1) ?? null;
}

/** Returns the results of all steps in which the agent was run, in order: of each turn, all runs of the agent. */
export async function readAgentSteps(
  context: StepStore,
  read = (step: string): Promise<Manifest<AgentStep> | null> => readStep(context, step),
): Promise<Manifest<AgentStep>[]> {
  const steps: Manifest<AgentStep>[] = [];
  for (let turn = 1, nth = 1; ;) {
    const step = await read(STEPS.agent(nth, turn));
    if (step !== null) {
      steps.push(step);
      nth += 1;
    } else if (nth > 1) {
      turn += 1;
      nth = 1;
    } else return steps;
  }
}

/** Names of the steps with these results, in order. */
export function agentStepNames(results: readonly Pick<AgentStep, 'turn'>[]): string[] {
  const counts = new Map<number, number>();
  return results.map(({ turn }) => {
    const number = turn?.number ?? 1;
    const nth = (counts.get(number) ?? 0) + 1;
    counts.set(number, nth);
    return STEPS.agent(nth, number);
  });
}

/** The agent's runs in a step of the scenario, each with its name. `first`: the first step in which the agent works. */
export function agentRunsIn(
  { agents }: { agents: readonly Manifest<AgentStep>[] },
  at: number,
  first: number,
): { step: string; manifest: Manifest<AgentStep> }[] {
  const names = agentStepNames(agents.map(({ result }) => result));
  return agents.flatMap((manifest, index) =>
    (manifest.result.turn?.at ?? first) === at ? [{ step: names[index] ?? '', manifest }] : [],
  );
}

/** Names of the steps that can follow these: the agent is run again in the same turn, or in the next one. */
export function nextAgentSteps(results: readonly Pick<AgentStep, 'turn'>[]): string[] {
  const last = results.at(-1);
  if (last === undefined) return [STEPS.agent(1)];
  const turn = last.turn?.number ?? 1;
  const nth = results.filter((one) => (one.turn?.number ?? 1) === turn).length;
  return [STEPS.agent(nth + 1, turn), STEPS.agent(1, turn + 1)];
}

/** The result of a step in which the agent was not started, because it could not work. */
export function notStarted(context: RunIdentity & RunSecrets, reason: string): AgentStep {
  const record: AgentRecord = {
    ending: 'unable',
    completed: false,
    exit_code: null,
    message: context.redact(`agent ${context.run.cell.agent}: ${reason}`),
    version: null,
    containment: null,
    login: false,
    session_id: null,
    model_used: null,
    duration_ms: 0,
    starts: 0,
    output_bytes: 0,
    token_usage: NO_USAGE,
    cost_usd: null,
    cost_source: null,
    history: [],
  };
  return { record, efficiency: null, trajectory: null, again: null };
}
