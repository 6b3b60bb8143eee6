import type { Cell } from '../results/cell.js';
import type { Ending } from '../results/run-record.js';
import type { Outcome } from '../results/schema.js';

/**
 * Names and types of all that crosses Temporal. Small JSON only: names, counts and verdicts, never output or secrets.
 * Additions must be optional: workflows of an older build go on with a newer worker.
 */
export const WORKFLOWS = { sweep: 'runSweep', run: 'runScenario' } as const;
export const UPDATES = { pause: 'pause', resume: 'resume', cancel: 'cancel', goOn: 'goOn' } as const;
export const SIGNALS = {
  /** To a run that is not of the scheduler, and to a sweep of an older build. */
  goOn: 'goOn',
  providerLimited: 'providerLimited',
  /** A run to its sweep: it waits for its provider and needs no slot. */
  parked: 'parked',
  /** A sweep to its run: the wait is over. */
  wake: 'wake',
  /** A sweep to its run: a new history takes over, which hears of the run's end by `runEnded` only. */
  tellEnd: 'tellEnd',
  /** A run to its sweep: it is about to close. */
  runEnded: 'runEnded',
} as const;
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
  /** 2: the scheduler of `scheduler/`. Absent in sweeps that an older build has begun (`legacy/`). */
  scheduler?: 2;
  /** Given over to the next history when the workflow continues as new. */
  state?: CarriedSweep;
  /** The same in a sweep that an older build has begun. */
  carried?: SweepCarried;
  /** That a command has started the sweep with all this; see `platform/origin.ts`. Absent where an older build has. */
  proof?: string;
}

/** Argument of the updates that make a sweep spend, `resume` and `goOn`. Absent where a command of an older build sends them. */
export interface ProvenOrder {
  /** When it was given, ms since the epoch: later than the one before. */
  at: number;
  proof: string;
}

/** With what a sweep was started, as its activities check it before anything is paid for or written. */
export interface SweepOrigin {
  /** All of the input that the proof covers. */
  order: Omit<SweepInput, 'sweep' | 'proof' | 'carried' | 'state'>;
  proof: string;
  /** Run id of the workflow's first execution: new histories and a reset keep it. */
  execution: string;
}

/** What a sweep's history gives over to the next one. */
export interface CarriedSweep {
  paused: boolean;
  counts: Readonly<Record<Outcome, number>>;
  /** Cells whose runs left no result. */
  lost: readonly LostCell[];
  open: readonly OpenRun[];
  /** Positions, in the order of turns, of cells that were read and not started. */
  waiting: readonly number[];
  /** Limits that accounts have met, by account: until then none of its cells is started. */
  limits: Readonly<Record<string, ProviderLimit>>;
  /** null where there is no budget. */
  money: Money | null;
  turns: Turns;
  /** The first position that has not been read. */
  offset: number;
  /** How many cells the plan has; null before the first page. */
  total: number | null;
  /** When the last order was given that came with a proof (ms since the epoch): none is taken twice. */
  lastOrderAt: number;
}

/** A run that was started and has not ended. */
export interface OpenRun {
  page: PageCell;
  /** When it was started, ms since the epoch. */
  since: number;
  /** What it may cost, as far as one could tell when it was started; US dollars. */
  estimateUsd: number | null;
  /** It waits for its provider and holds no slot; null while it works. */
  parked: Parked | null;
}

/** A run that waits for its provider: it holds no slot until its sweep wakes it. */
export interface Parked {
  /** How often its agent has been run: tells one wait of a run from the next. */
  nth: number;
  why: 'busy' | 'limit';
  /** ms since the epoch */
  until: number;
  provider?: string;
  account?: string;
  message?: string;
  /** With which the sweep wakes it; absent where the sweep was started without a proof. */
  wakeProof?: string;
}

/** Whose turn it was: what was started last has the highest number. */
interface Turns {
  next: number;
  agents: Readonly<Record<string, number>>;
  /** By agent and model. */
  models: Readonly<Record<string, number>>;
}

/** What a sweep with a budget knows of its costs; US dollars. */
export interface Money {
  maxUsd: number;
  /** What is known to be spent. */
  spentUsd: number;
  /** Cells that were not started because the budget had no room for them. */
  unaffordable: number;
  /** The most that a run has cost so far, by scenario, agent and model. */
  costs: Readonly<Record<string, number>>;
  /** What all cells have cost in earlier rounds is in `spentUsd`; absent: only what those that were read have cost. */
  hasEarlier?: true;
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
  /** Whose limit it is; absent where the provider has only one account here, or an older build tells. */
  account?: string;
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
  /** Ids of the cells whose runs hold a slot, and of their workflows. */
  active: { cell: string; workflowId: string }[];
  /** Runs that wait for their provider and hold no slot. */
  parked?: ({ cell: string; workflowId: string } & Parked)[];
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
  /** Which start of the sweep has ended. Absent where an older build says it. */
  round?: number;
  status: 'completed' | 'cancelled';
  lost: LostCell[];
  /** There is a budget, and cells that were not started because of it; US dollars. */
  overBudget?: { maxUsd: number; spentUsd: number };
  /** Absent in sweeps that an older build has started. */
  origin?: SweepOrigin;
}

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

export interface CellsWanted {
  sweep: string;
  /** 0 where `positions` says which cells are wanted. */
  offset: number;
  limit: number;
  round?: number;
  again?: Outcome[];
  /** Offsets count in the order of turns (`results/turn-order.ts`); absent: in the order of the plan. */
  inTurns?: boolean;
  /** These cells, by their place in the order of turns. */
  positions?: readonly number[];
  /** Absent in sweeps that an older build has started. */
  origin?: SweepOrigin;
}

/** Which runs of a sweep may have ended without its hearing of it. */
export interface EndedWanted {
  sweep: string;
  runs: { cell: string; workflowId: string }[];
  /** How long one that is open is waited for, ms: it has told that it is about to close. */
  waitMs: number;
}

/** How a run's workflow ended. */
export interface EndedRun {
  cell: string;
  /** null where it left none: it failed, or was terminated. */
  result: RunResult | null;
  cancelled: boolean;
  /** Why there is no result. */
  message: string;
  /** What is known of the cost of a run that left no result. */
  knownUsd?: number;
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
  /** The account that pays for it; absent where nobody does, or it is not known. */
  account?: string;
  /** That this sweep may run the cell: for the run's input. */
  proof?: string;
}

export interface CellPage {
  cells: PageCell[];
  total: number;
  /**
   * Of the first page, where there is a budget: what the runs of all cells have cost in this sweep so far, in US dollars, as
   * far as it is known. Absent where an older build has read the page.
   */
  earlierUsd?: number;
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
  /** How long it may take to make the workspace anew, where the agent is started again. Absent where an older build has prepared it. */
  rebuildSecs?: number;
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
export const runWorkflowId = (sweep: string, cell: string, round: number): string =>
  `${sweepWorkflowId(sweep)}/${cell}/r${round}`;

/** Of a sweep's input what its proof does not cover: what it is, itself, and what the workflow hands on to itself. */
const BESIDE_ORDER: ReadonlySet<string> = new Set([
  'sweep',
  'proof',
  'carried',
  'state',
] satisfies (keyof SweepInput)[]);

/** What the activities of a sweep check; nothing where an older build has started it. */
export function originOf(input: SweepInput, execution: string): { origin?: SweepOrigin } {
  if (input.proof === undefined) return {};
  const order = Object.fromEntries(Object.entries(input).filter(([field]) => !BESIDE_ORDER.has(field)));
  return { origin: { order: order as unknown as SweepOrigin['order'], proof: input.proof, execution } };
}
