import type { RunLimits } from '#lib/pure';
import type { Cell, EndReason, Outcome } from '#model';

/** A host that a run was on, and that showed no sign of life for too long, so that the run was done again. */
export interface LostHost {
  id: string;
  name: string;
  /** When it was given up, ms since the epoch. */
  at: number;
}

/** Where a run takes place. */
export interface RunPlace {
  /** Id of the host. */
  host: string;
  /** Its name, for people. */
  name: string;
  /** The task queue that only this host polls. */
  queue: string;
  /** Proof that the sweep may start the run's workflow. */
  proof: string;
}

/** Identifies a run to every activity. */
export interface RunRef {
  sweep: string;
  cell: Cell;
  /** Name of the run's folder, in the results and in the private state. */
  run: string;
  workflowId: string;
  /** Proof that a sweep may start this run. */
  proof: string;
  /** See `PageCell.fresh`. */
  fresh?: true;
  /** Set if its sweep performs its steps, and there is no workflow with its id. */
  inSweep?: true;
  /** Run id of the workflow's first execution; a reset keeps it. */
  firstRunId: string;
  /** See `RunInput.lostHosts`. */
  lostHosts?: readonly LostHost[];
}

export interface ContextBrief {
  /**
   * The reason why the agent cannot be started: the script gave no answer to pass on to it. Null if it can be started.
   */
  unfit: string | null;
}

/** The next step of the agent `loop`, as its model wants it. */
export interface LoopStep {
  /** Number of calls that it asks for. */
  calls: number;
  /** True if the agent has ended. */
  isOver: boolean;
}

/** One message to the agent. */
export interface TurnRef {
  /** From 1, over all steps of the run. */
  number: number;
  /** Index of its step among the scenario's. */
  at: number;
  /** A shorter time limit than that of the step: what is left of the conversation's time. */
  limitSecs?: number;
}

/** Number of the `nth` run of the agent in a turn, by which a run and its sweep name the wait after it. */
export const waitNumber = (nth: number, turn = 1): number => (turn - 1) * MAX_RUNS_PER_TURN + nth;
const MAX_RUNS_PER_TURN = 100_000;

/** A turn of a conversation with a simulated user. */
export interface ConversationTurn {
  number: number;
  /** Index of the conversation among the scenario's steps. */
  at: number;
}

/** The state of a conversation after a turn. */
export interface ConversationBrief {
  /** Null if it continues. */
  reason: string | null;
  /** The time that the agent has worked in it, in seconds. */
  workedSecs: number;
}

/** The end of the agent's work: enough to decide what comes next. */
export interface AgentSummary {
  ending: EndReason;
  completed: boolean;
  message: string;
  costUsd: number | null;
  /** The known part of the cost, if the whole is unknown. */
  knownUsd?: number;
  /**
   * The reason why the agent may succeed later, and when (ms since the epoch; null: unknown). Absent if there is
   * nothing to wait for.
   */
  again?: {
    why: 'busy' | 'limit';
    at: number | null;
    /** True if the agent was not started, because another run had reached the limit of its account. */
    held?: true;
  };
  /** The provider whose limit was reached. */
  provider?: string;
  /** The account that reached it. */
  account?: string;
  /** Proof that this run waits for the nth time; sent in the signal to its sweep. */
  proof?: string;
}

export interface JudgeBrief {
  /** 0..1 */
  score: number;
  passed: boolean;
}

/** A step that failed for good although it was retried: a failure of the infrastructure, not of the tool under test. */
export interface StepFailure {
  step: string;
  message: string;
}

export interface ReportInput {
  failures: StepFailure[];
  cancelled: boolean;
  /** ms since the epoch */
  startedAt: number;
  endedAt: number;
}

/** Input of a run's workflow. */
export interface RunInput {
  sweep: string;
  cell: Cell;
  /** See `PageCell.fresh`. */
  fresh?: true;
  /** See `PageCell.proof`. */
  proof: string;
  /** The hosts on which the run was before, if they were lost. */
  lostHosts?: readonly LostHost[];
  /** True if steps send few heartbeats, because each may be billed. Absent: they send many. */
  sparse?: boolean;
  /** Limits that a test has changed. Absent outside of tests. */
  limits?: Partial<RunLimits>;
  /** True if the run tells its sweep that it ends, because a new history of the sweep is about to take over. */
  announcesEnd?: boolean;
  /** Set if an earlier history of the run has come as far as this. */
  carried?: CarriedRun;
}

/** The facts that a new history of a run must know: the results of its steps are on the disk. */
export interface CarriedRun {
  /** When the first history began, ms since the epoch. */
  startedAt: number;
  /** The next request of the agent `loop`. */
  next: RequestPlace;
}

/** A request to the model by the agent `loop`. */
export interface RequestPlace {
  turn: number;
  /** The agent's run in that turn. */
  nth: number;
  number: number;
}

/** Result of a run; everything else is in its folder. */
export interface RunResult {
  outcome: Outcome;
  message: string;
  costUsd: number | null;
  /** The known part of the cost, if the whole is unknown. */
  knownUsd?: number;
  /** True if nothing was run: the result is that of an earlier run. */
  cached?: boolean;
}

/** The progress of an agent, as the heartbeats of its step report it. */
export interface AgentProgress {
  /** Its last command or message, redacted and shortened; null if it has shown none yet. */
  doing: string | null;
  /** Number of its events so far. */
  events: number;
  /** The cost of the run's agent so far, US dollars; absent if unknown. */
  costUsd?: number;
}

/** The part of a heartbeat's details that says what an agent is doing. Absent if the step performs none. */
export interface AgentHeartbeat {
  agent?: AgentProgress;
}
