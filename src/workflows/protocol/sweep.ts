import type { Outcome } from '../../results/records/result-line.js';
import type { PageCell } from './pages.js';
import type { RunResult } from './run.js';

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

export interface LoadCellsInput {
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
export interface FindEndedInput {
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
