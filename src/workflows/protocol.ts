import type { Cell } from '../results/cell.js';
import type { Ending } from '../results/run-record.js';
import type { Outcome } from '../results/schema.js';

/**
 * Names and types of all that crosses Temporal. Small JSON only: names, counts and verdicts, never output or secrets.
 * Additions must be optional: workflows of an older build go on with a newer worker.
 */
export const WORKFLOWS = { sweep: 'runSweep', run: 'runScenario' } as const;
export const UPDATES = { pause: 'pause', resume: 'resume', cancel: 'cancel', goOn: 'goOn' } as const;
export const SIGNALS = { goOn: 'goOn', providerLimited: 'providerLimited' } as const;
export const QUERIES = { progress: 'progress' } as const;

/** What a sweep's workflow is started with. The cells are in its plan. */
export interface SweepInput {
  sweep: string;
  /** 1 for the first start; a sweep whose workflow was lost or terminated is started again as the next round. */
  round: number;
  /** Cells whose last result was such are run again. */
  again?: Outcome[];
  concurrency: number;
  /** US dollars; absent where there is no limit. */
  maxUsd?: number;
  /** Cells at once of an agent and of a model, besides `concurrency`. */
  caps?: { agents: Record<string, number>; models: Record<string, number> };
  /** Continue as new after so many runs, even if Temporal does not yet suggest it. */
  cellsPerHistory?: number;
  /** Carried over when the workflow continues as new. */
  carried?: SweepCarried;
}

interface SweepCarried {
  offset: number;
  /** Cells before `offset` that have not been started. */
  waiting?: PageCell[];
  total?: number;
  paused: boolean;
  counts: Record<Outcome, number>;
  lost: LostCell[];
  limits?: ProviderLimit[];
  spending?: SpendingCarried;
}

/** What a sweep with a budget knows of its costs; US dollars. */
export interface SpendingCarried {
  spentUsd: number;
  /** Cells that were not started for want of money. */
  unaffordable: number;
  /** The most that a run has cost so far, by scenario, agent and model. */
  costs: Record<string, number>;
}

/** An account's limit that a run has met: its sweep starts no further cells with the provider until then. */
export interface ProviderLimit {
  provider: string;
  /** ms since the epoch */
  until: number;
}

/** A cell whose run left no result: its workflow failed or was terminated. */
export interface LostCell {
  cell: string;
  message: string;
  /** When its run was started, ms since the epoch: a result from before is not this run's. Absent where an older build has said it. */
  since?: number;
}

export type SweepStatus = 'running' | 'paused' | 'completed' | 'cancelled';

export interface SweepProgress {
  status: SweepStatus;
  /** Ids of the cells whose runs are open, and of their workflows. */
  active: { cell: string; workflowId: string }[];
  total: number;
  counts: Record<Outcome, number>;
  /** US dollars that are known to be spent, where there is a budget. */
  spentUsd?: number;
  maxUsd?: number;
  /** Limits of accounts that cells wait for. */
  limits?: ProviderLimit[];
}

export interface SweepResult {
  status: SweepStatus;
  counts: Record<Outcome, number>;
}

/** How a sweep's workflow ended, for its summary. */
export interface SweepEnd {
  sweep: string;
  status: 'completed' | 'cancelled';
  lost: LostCell[];
  /** There is a budget, and cells that were not started because of it; US dollars. */
  overBudget?: { maxUsd: number; spentUsd: number };
}

/** Names a run for every activity. */
export interface RunRef {
  sweep: string;
  cell: Cell;
  /** Name of the run's folder, in the results and in the private state. */
  run: string;
  workflowId: string;
}

export interface CellsWanted {
  sweep: string;
  offset: number;
  limit: number;
  round?: number;
  again?: Outcome[];
}

/** A cell of the plan, and what decides when it is started. */
export interface PageCell {
  cell: Cell;
  finished: Outcome | null;
  /** What the cell's runs in this sweep have cost so far, in US dollars, as far as it is known. */
  costUsd?: number | null;
  /** What the cell may cost at most, as far as one can tell; null where one cannot. */
  estimateUsd?: number | null;
  /** The estimate is a limit that the run is held to. */
  limited?: boolean;
  /** Who serves the agent's model; absent where nobody does, or an older build has loaded the page. */
  provider?: string;
}

export interface CellPage {
  cells: PageCell[];
  total: number;
}

interface GateCard {
  type: string;
  subject: string;
  timeoutSecs: number;
  /** It starts no process: a look at files, over in milliseconds. Absent in runs that an older build has begun. */
  inProcess?: boolean;
}

/** What the workflow must know of a scenario to schedule its steps. */
export interface RunCard {
  /** A failed health check or a missing target: the agent is not started. */
  unfit: string | null;
  /** Id of a finished run with the same inputs, whose result is taken instead of running anything. */
  reuse?: string;
  agentTimeoutSecs: number;
  /** Agent scripts that are run before the agent. Absent where there are none. */
  context?: { subject: string; timeoutSecs: number }[];
  posts: { subject: string; timeoutSecs: number }[];
  gates: GateCard[];
  evaluators: { name: string; timeoutSecs: number }[];
  /** Absent where none is asked, and in runs that an older build has begun. */
  judge?: { model: string; rubric: string; timeoutSecs: number; always: boolean };
}

export interface ContextBrief {
  /** Why the agent cannot be started: there is nothing that it could be given; null when it can. */
  unfit: string | null;
}

/** How the agent ended: enough to say what comes next. */
export interface AgentBrief {
  ending: Ending;
  completed: boolean;
  message: string;
  costUsd: number | null;
  /** Why it may do better later, and when (ms since the epoch; null: nobody said). Absent: nothing to wait for. */
  again?: { why: 'busy' | 'limit'; at: number | null };
  /** Whose limit it is that was met. */
  provider?: string;
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

/** Names of steps; they name the activities' manifests, rows of reports and of the live view. */
export const STEPS = {
  prepare: 'prepare',
  reuse: 'reuse',
  context: (index: number) => `context ${index + 1}`,
  agent: (nth: number) => (nth === 1 ? 'agent' : `agent ${nth}`),
  post: (index: number) => `post ${index + 1}`,
  gate: (index: number) => `gate ${index + 1}`,
  evaluator: (index: number) => `evaluator ${index + 1}`,
  judge: 'judge',
  report: 'report',
  cleanUp: 'clean up',
} as const;

export const sweepWorkflowId = (sweep: string): string => `sweep/${sweep}`;
