/** What the workflow must know of a step to schedule it. */
export type PlannedStep =
  /** An agent script whose answer the agent is given. */
  | { kind: 'script'; subject: string; timeoutSecs: number }
  | {
      kind: 'agent';
      timeoutSecs: number;
      /** How long it may take to make the workspace anew, where the agent is started again. */
      rebuildSecs: number;
    }
  | { kind: 'command'; subject: string; timeoutSecs: number };

interface GateCard {
  type: string;
  subject: string;
  timeoutSecs: number;
  /** It starts no process: a look at files, over in milliseconds. Absent in runs that an older build has begun. */
  inProcess?: boolean;
}

interface Checks {
  gates: GateCard[];
  evaluators: { name: string; timeoutSecs: number }[];
  /** Absent where none is asked, and in runs that an older build has begun. */
  judge?: { model: string; rubric: string; timeoutSecs: number; always: boolean };
}

interface Preparation {
  /** A failed health check or a missing target: the agent is not started. */
  unfit: string | null;
  /** Id of a finished run with the same inputs, whose result is taken instead of running anything. */
  reuse?: string;
}

/** What the workflow must know of a scenario to schedule its steps. */
export interface RunPlan extends Preparation, Checks {
  /** In the order in which they are performed. */
  steps: PlannedStep[];
}

/** The same, as older builds have said it: their steps had one order. */
export interface OldRunPlan extends Preparation, Checks {
  agentTimeoutSecs: number;
  rebuildSecs?: number;
  context?: { subject: string; timeoutSecs: number }[];
  posts: { subject: string; timeoutSecs: number }[];
}

/** The steps of a run, in order. */
export function stepsOf(card: RunPlan | OldRunPlan): PlannedStep[] {
  if ('steps' in card) return card.steps;
  const { agentTimeoutSecs: timeoutSecs, rebuildSecs = 0, context = [], posts } = card;
  return [
    ...context.map((script): PlannedStep => ({ kind: 'script', ...script })),
    { kind: 'agent', timeoutSecs, rebuildSecs },
    ...posts.map((post): PlannedStep => ({ kind: 'command', ...post })),
  ];
}
