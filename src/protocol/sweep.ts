import type { Decision } from '#decide';
import type { RunLimits } from '#lib/pure';
import type { Outcome } from '#model';
import type { Money, MonthMoney } from './money.js';
import type { CellKind, PageCell, ProviderLimit } from './pages.js';
import type { LostHost, RunPlace, RunResult } from './run.js';

/** Input of a sweep's workflow. The cells are in the sweep's plan. */
export interface SweepInput {
  sweep: string;
  /** 1 for the first start. A sweep whose workflow was lost or terminated is started again as the next round. */
  round: number;
  /** Outcomes; a cell whose last result has one of them is run again. */
  again?: Outcome[];
  /** Ids of cells: exactly these are run again, whatever their results are. */
  againCells?: string[];
  concurrency: number;
  /** US dollars; absent if there is no limit. */
  maxUsd?: number;
  /** US dollars that all sweeps of its owner may cost in a calendar month (UTC); absent if there is no limit. */
  monthUsd?: number;
  /** The most cells of an agent and of a model that run at once, in addition to `concurrency`. */
  caps: { agents: Record<string, number>; models: Record<string, number> };
  /** Continue as new after this many runs, even if Temporal does not suggest it yet. */
  cellsPerHistory?: number;
  /** Set if several hosts share the results: each run is placed on one of them. */
  placed?: true;
  /** The time without a sign of life after which the runs of a host are done again, in seconds; a default if absent. */
  lostSecs?: number;
  /** See `RunInput.sparse`. */
  sparse?: true;
  /** See `RunInput.limits`. */
  limits?: Partial<RunLimits>;
  /**
   * Set if cells are released in rounds until the verdict is clear (`Plan.until_clear`). Absent: all of them are run.
   */
  untilClear?: true;
  /** State passed to the next history when the workflow continues as new. */
  state?: CarriedSweep;
  /**
   * Proof that a command started the sweep with this input; see `host/security/origin.ts`. Without one, activities
   * refuse the sweep.
   */
  proof: string;
}

/** Argument of `resume` and `goOn`, the updates that make a sweep spend money. */
export interface ProvenOrder {
  /** When the order was given, ms since the epoch. Must be later than that of the order before. */
  at: number;
  proof: string;
}

/** The order and proof that started a sweep. Its activities verify this before anything is paid for or written. */
export interface SweepOrigin {
  /** The part of the input that the proof covers. */
  order: Omit<SweepInput, 'sweep' | 'proof' | 'state'>;
  proof: string;
  /** Run id of the workflow's first execution; continuing as new and a reset keep it. */
  execution: string;
}

/** State that a sweep passes to its next history. */
export interface CarriedSweep {
  paused: boolean;
  counts: Readonly<Record<Outcome, number>>;
  lost: readonly LostCell[];
  open: readonly OpenRun[];
  /** Cells that were not started, by kind, so that the next history reads only cells that could run. */
  unread: readonly UnreadCells[];
  /** Kinds of the cells from `offset` on; null if they are unknown. */
  rest: readonly CellKind[] | null;
  /** Limits that accounts have reached, by account. Until a limit ends, no cell of its account is started. */
  limits: Readonly<Record<string, ProviderLimit>>;
  /** Null if there is no budget. */
  money: Money | null;
  turns: Turns;
  offset: number;
  /** Number of cells in the plan; null before the first page is read. */
  total: number | null;
  /** The hosts, as seen by a sweep that places its runs, and when it looked, ms since the epoch. */
  watched?: {
    seen: readonly (readonly [host: string, { sign: number | null; unchangedMs: number }])[];
    lookedAt: number;
  };
  /** When the last order with a proof was given, ms since the epoch. Prevents an order from being accepted twice. */
  lastOrderAt: number;
  /** Set if the sweep runs until its verdict is clear. */
  untilClear?: ClearState;
}

/** The state of the decision in a sweep that runs until its verdict is clear. */
interface ClearState {
  /** Null before the first look. */
  decision: DecisionBrief | null;
  /** Positions (in turn order) of the cells that were released last. */
  released: readonly number[];
  /** True if no more cells are released. */
  isOver: boolean;
}

/** The parts of a decision that are shown while the sweep runs. */
type DecisionBrief = Omit<Decision, 'configurations' | 'doubts' | 'judge_drift'>;

/** Cells to be read again: their positions in turn order. */
export interface UnreadCells extends CellKind {
  positions: readonly number[];
}

export interface OpenRun {
  page: PageCell;
  /** When it was started, ms since the epoch. */
  since: number;
  /** Its estimated cost when it was started, US dollars; null if unknown. */
  estimateUsd: number | null;
  /** Set while the run waits for its provider and holds no slot; null while it works. */
  parked: Parked | null;
  /** Where the run is. Absent if its sweep places no runs. */
  place?: 'wanted' | 'being sought' | RunPlace;
  /**
   * Set after hosts of the run were lost: they are named in its report, and their number distinguishes its workflows.
   */
  lostHosts?: readonly LostHost[];
}

/** A wait for the provider. The run holds no slot until its sweep wakes it. */
export interface Parked {
  /** The number of times that the agent has been run; distinguishes one wait of the run from the next. */
  nth: number;
  why: 'busy' | 'limit';
  /** ms since the epoch */
  until: number;
  provider?: string;
  account?: string;
  message?: string;
  /** Proof that the sweep sends to wake the run. Absent in what the run sends. */
  wakeProof?: string;
}

/** When each agent and model last had its turn: the one started last has the highest number. */
interface Turns {
  next: number;
  agents: Readonly<Record<string, number>>;
  /** By `modelKey` of agent and model. */
  models: Readonly<Record<string, number>>;
}

/** A cell whose run left no result because its workflow failed or was terminated. */
export interface LostCell {
  cell: string;
  message: string;
  /** See `PageCell.redo`. */
  redo?: number;
  /** When its run was started, ms since the epoch; earlier results belong to other runs. */
  since: number;
}

export type SweepStatus = 'running' | 'paused' | 'completed' | 'cancelled';

export interface SweepProgress {
  status: SweepStatus;
  /**
   * Cells whose runs hold a slot, with the ids of their workflows. `since`: when the run was started, ms since the
   * epoch. `host`: name of its host, null while one is sought; absent if runs are not placed.
   */
  active: { cell: string; workflowId: string; since: number; host?: string | null }[];
  /** Runs that wait for their provider and hold no slot. */
  parked?: ({ cell: string; workflowId: string } & Parked)[];
  total: number;
  counts: Record<Outcome, number>;
  /** Known spending in US dollars; absent if there is no budget. */
  spentUsd?: number;
  maxUsd?: number;
  /** Set if the owner has a budget for each month, once it is known what was spent of it; US dollars. */
  month?: Pick<MonthMoney, 'name' | 'maxUsd' | 'spentUsd'>;
  /** Account limits that cells wait for. */
  limits?: ProviderLimit[];
  /** The actions that have failed for minutes and are tried again, and why they fail. */
  troubles?: { what: string; message: string }[];
  /** Set if the sweep runs until its verdict is clear; `total` then counts the cells that were released. */
  decision?: DecisionBrief;
}

export interface SweepResult {
  status: SweepStatus;
  counts: Record<Outcome, number>;
}

/** The end of a sweep's workflow; input of its summary. */
export interface SweepEnd {
  sweep: string;
  /** The round that has ended. */
  round: number;
  status: 'completed' | 'cancelled';
  lost: LostCell[];
  /**
   * Set if cells were not started because of the budget; US dollars. `month`: that of the owner for this month, and
   * not that of the sweep.
   */
  overBudget?: { maxUsd: number; spentUsd: number; month?: string };
  origin: SweepOrigin;
}

export interface LoadCellsInput {
  sweep: string;
  /** In turn order (`decide/select-cells.ts`); 0 if `positions` is given. */
  offset: number;
  limit: number;
  round: number;
  again?: Outcome[];
  /** The cells to load, by their position in turn order. */
  positions?: readonly number[];
  origin: SweepOrigin;
}

export interface MonthInput {
  sweep: string;
  origin: SweepOrigin;
}

export interface DecideInput {
  sweep: string;
  round: number;
  /** True for the first decision of the workflow. */
  isFirst: boolean;
  /** True if no more cells can be started, because of the budget. */
  isLast: boolean;
  /** Positions (in turn order) of the cells that were released last. All of them have ended. */
  released: readonly number[];
  /** The reasons why some of them have left no result. */
  lost: readonly LostCell[];
  origin: SweepOrigin;
}

export interface Decided {
  decision: DecisionBrief;
  /** The cells to run next. None if no more are needed. */
  next: UnreadCells[];
  /** Number of cells that have been released, including the next ones. */
  released: number;
  /** The outcomes of those that have ended. */
  counts: Record<Outcome, number>;
  /** Known cost of all runs of the sweep so far, US dollars. */
  spentUsd: number;
}

/** Runs of a sweep that may have ended without the sweep being notified. */
export interface FindEndedInput {
  sweep: string;
  runs: { cell: string; workflowId: string }[];
  /** The time to wait for a run that is still open, ms. It has announced that it is about to close. */
  waitMs: number;
}

/** The end of a run's workflow. */
export interface EndedRun {
  cell: string;
  /** Null if there is none: the workflow failed or was terminated. */
  result: RunResult | null;
  cancelled: boolean;
  /** The reason why there is no result. */
  message: string;
  /** Known cost of a run that left no result. */
  knownUsd?: number;
}

/**
 * Fields of a sweep's input that `SweepOrigin.order` leaves out: the sweep id, which the proof covers separately, the
 * proof itself, and the state that the workflow passes on to itself.
 */
const BESIDE_ORDER: ReadonlySet<string> = new Set(['sweep', 'proof', 'state'] satisfies (keyof SweepInput)[]);

/** Returns the origin that a sweep's activities verify. */
export function originOf(input: SweepInput, execution: string): SweepOrigin {
  const order = Object.fromEntries(Object.entries(input).filter(([field]) => !BESIDE_ORDER.has(field)));
  return { order: order as unknown as SweepOrigin['order'], proof: input.proof, execution };
}
