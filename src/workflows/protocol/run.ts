import type { Cell } from '../../results/records/cell.js';
import type { EndReason } from '../../results/records/run-record.js';
import type { Outcome } from '../../results/records/result-line.js';

/** Names a run for every activity. */
export interface RunRef {
  sweep: string;
  cell: Cell;
  /** Name of the run's folder, in the results and in the private state. */
  run: string;
  workflowId: string;
  /** That a sweep may start this run. Absent where an older build has started it. */
  proof?: string;
  /** Of the workflow's first execution: those after a reset have the same one. Absent in steps that an older build has planned. */
  firstRunId?: string;
}

export interface ContextBrief {
  /** Why the agent cannot be started: there is nothing that it could be given; null when it can. */
  unfit: string | null;
}

/** How the agent ended: enough to say what comes next. */
export interface AgentSummary {
  ending: EndReason;
  completed: boolean;
  message: string;
  costUsd: number | null;
  /** The part of the cost that is known, where the whole is not. */
  knownUsd?: number;
  /** Why it may do better later, and when (ms since the epoch; null: nobody said). Absent: nothing to wait for. */
  again?: { why: 'busy' | 'limit'; at: number | null };
  /** Whose limit it is that was met. */
  provider?: string;
  /** The account that met it. */
  account?: string;
  /** That it is this run, for the nth time, that waits: for the signal to its sweep. */
  proof?: string;
}

export interface JudgeBrief {
  /** 0..1 */
  score: number;
  passed: boolean;
}

/** A step that failed for good though it was retried: infrastructure, not the tool under test. */
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

/** What a run's workflow is started with. */
export interface RunInput {
  sweep: string;
  cell: Cell;
  /** Steps that are over in moments are performed within workflow tasks. Absent in runs that an older build has begun. */
  inProcess?: boolean;
  /** Its sweep takes it out of its slot while it waits for its provider, and wakes it. Absent: it waits by itself. */
  parks?: boolean;
  /** As `PageCell` has it. */
  proof?: string;
  /**
   * The run's folder is named after its first execution, so that a reset goes on in it. Absent in runs that an older build
   * has begun.
   */
  keepsFolder?: boolean;
}

/** What a run came to; all else is in its folder. */
export interface RunResult {
  outcome: Outcome;
  message: string;
  costUsd: number | null;
  /** The part of the cost that is known, where the whole is not. */
  knownUsd?: number;
  /** Nothing was run: the result is that of an earlier run. */
  cached?: boolean;
}
