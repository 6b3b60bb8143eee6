/** The facts that the workflow needs to know about a step to schedule it. */
export type PlannedStep =
  /** An agent script whose answer is given to the agent. */
  | { kind: 'script'; subject: string; timeoutSecs: number }
  | {
      kind: 'agent';
      timeoutSecs: number;
      /** The time that rebuilding the workspace may take if the agent is started again. */
      rebuildSecs: number;
      /** Set if the agent is no program: its requests to the model and its calls of tools are steps. */
      loop?: true;
    }
  | {
      kind: 'conversation';
      subject: string;
      /** Limit of each turn. */
      timeoutSecs: number;
      /** The time that the agent may work in all turns together. */
      totalSecs: number;
      rebuildSecs: number;
      loop?: true;
      /** Limit of the simulated user's answer, and of each decision whether the conversation is over. */
      askSecs: number;
      /** True if that decision may ask a model. */
      endAsks: boolean;
    }
  | { kind: 'command'; subject: string; timeoutSecs: number };

export interface PlannedGate {
  type: string;
  subject: string;
  timeoutSecs: number;
  /** True if the gate starts no process: it only looks at files and takes milliseconds. */
  inProcess: boolean;
  /** True if the gate calls a model, which may be unavailable for long. */
  asks?: boolean;
  /** Index of the step after which it is checked. Absent if that is after all steps. */
  after?: number;
  /** True if it is checked after every turn of that step. */
  everyTurn?: true;
  /** True if later steps are not performed unless it passes. */
  stops?: true;
}

/** An image that a step is to build before the workspace can be prepared. */
export interface PlannedBuild {
  step: string;
  timeoutSecs: number;
}

/** The facts about a scenario that the workflow needs to schedule its steps. */
export interface RunPlan {
  /** The reason why the agent is not started (a failed health check, a missing target, ...); null if it can be. */
  unfit: string | null;
  /** Id of a finished run with the same inputs; its result is used and nothing is run. */
  reuse?: string;
  /** Set if images are to be built first: everything else is then unknown, and the workspace is prepared afterwards. */
  builds?: PlannedBuild[];
  steps: PlannedStep[];
  /** Set if the steps are not performed, because the work of an earlier run is checked again. */
  kept?: KeptSteps;
  gates: PlannedGate[];
  evaluators: { name: string; timeoutSecs: number }[];
  /** Absent if no judge is asked. */
  judge?: { model: string; rubric: string; timeoutSecs: number; always: boolean };
}

/** The steps that an earlier run has performed. */
export interface KeptSteps {
  /** True if its agent completed. */
  completed: boolean;
  /** For each step, the numbers of its turns if it is a conversation. */
  turns: number[][];
}
