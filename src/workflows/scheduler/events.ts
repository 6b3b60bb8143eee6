import type { Outcome } from '#model';
import type {
  CellPage,
  Decided,
  DecideInput,
  LostCell,
  LostHost,
  MonthRead,
  OpenRun,
  PageCell,
  Parked,
  RunPlace,
} from '#protocol';
import type { Cost } from './money.js';
import type { CellsToRead } from './reading.js';
import type { SchedulerState } from './state.js';

/** An event in a sweep. */
export type SweepEvent =
  | { type: 'loaded'; page: CellPage; wanted: CellsToRead }
  | { type: 'decided'; decided: Decided }
  | { type: 'month read'; month: MonthRead }
  | { type: 'ended'; cell: string; outcome: Outcome; cost: Cost; lost?: LostCell }
  | { type: 'parked'; cell: string; parked: Parked }
  /** The server has started the run. */
  | { type: 'begun'; cell: string }
  | { type: 'placed'; cell: string; place: RunPlace }
  /** The search for a host has ended without one, because a new history takes over. */
  | { type: 'not placed'; cell: string }
  | { type: 'host lost'; cell: string; host: LostHost }
  /** An order with a proof was accepted. */
  | { type: 'ordered'; at: number }
  | { type: 'paused' }
  | { type: 'resumed' }
  | { type: 'cancelled' }
  /** A user ended all waits: limits are dropped, and waiting runs are due now. */
  | { type: 'waits skipped' }
  /** No more cells are started: a new history takes over. */
  | { type: 'held' }
  /** The cells cannot be read, or it cannot be decided which follow. */
  | { type: 'failed'; message: string }
  /** The time of a wait has come. */
  | { type: 'time' };

/** An action in response to an event. */
export type SweepAction =
  | { type: 'start'; cell: PageCell }
  /** Find a host for a run, and start it there. */
  | { type: 'place'; run: OpenRun }
  | { type: 'wake'; cell: string; parked: Parked }
  | { type: 'load'; wanted: CellsToRead }
  /** Look at the results, and decide which cells are released next. */
  | { type: 'decide'; known: Pick<DecideInput, 'isFirst' | 'isLast' | 'released'> }
  /** Read what the owner has spent this month. */
  | { type: 'read month' }
  /** End all searches for hosts. */
  | { type: 'stop seeking' }
  | { type: 'cancel runs' };

export interface Step {
  state: SchedulerState;
  actions: readonly SweepAction[];
}
