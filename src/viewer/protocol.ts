import type { Comparison, Forecast, SweepCell, SweepDocument, SweepSummary, Trend, TrendPoint } from '#decide';
import type { Cell, HumanReview, Metrics, Outcome, ReviewFields, RunEvent, RunRecord, ScheduleReference } from '#model';
import type { ConfigurationFigures, ListedRun } from './table-protocol.js';

/*
 * The output of the viewer's server. Nothing outside of this package reads it: page and server are of the same build.
 * What is stored is passed on as it is, with the types of its schemas.
 */

export type { ConfigurationFigures, ListedRun, Spread } from './table-protocol.js';

/** A sweep in the list. */
export interface ListedSweep extends SweepSummary {
  /** True if it is open, and was paused. */
  paused: boolean;
}

/** `GET /api/sweeps` */
export interface SweepsAnswer {
  /** Newest first. */
  sweeps: ListedSweep[];
  /** Number of older sweeps that are not listed. */
  more: number;
  /** The results folder, as a user knows it. */
  place: string;
  /** True if the engine that works on open sweeps is running. */
  engine: boolean;
}

/** A run that is not over. */
export interface OpenRunState {
  cell: string;
  /** Its id; null if its files are on another machine, or not there yet. */
  run: string | null;
  /** Its current step; null if no server says so. */
  step: string | null;
  /** A line about what its agent is doing. */
  doing: string | null;
  /** When the step began, ms since the epoch. */
  since: number | null;
  costUsd: number | null;
}

/** A table of texts. */
export interface ShownTable {
  title: string;
  columns: string[];
  rows: string[][];
  /** Numbers of the columns with numbers. */
  right: number[];
}

/** All that is known of a sweep. */
export interface SweepState {
  document: SweepDocument;
  /** ISO 8601 UTC */
  started: string;
  /** The reasons why cells have not passed, by their ids. */
  why: Readonly<Record<string, string>>;
  /** Types and titles of the gates that have not passed, by the ids of cells. */
  failed: Readonly<Record<string, readonly string[]>>;
  /** Other sweeps with some of the same scenarios, newest first. */
  others: readonly string[];
  /** Sentences about the sweep as a whole: its decision, reasons to doubt its results. */
  notes: string[];
  tables: ShownTable[];
  open: readonly OpenRunState[];
  engine: boolean;
}

/** The repetitions of a scenario and variant with an agent and model. */
export interface MatrixCell extends Pick<SweepCell, 'scenario' | 'variant' | 'agent' | 'model'> {
  passed: number;
  /** The number that passed or failed. */
  tested: number;
  /** "2 of 3 passed, 1 error". */
  text: string;
  /** The appearance of each; empty if there are many. */
  looks: string[];
}

/** `GET /api/sweeps/:sweep`, with a selection (selection.ts) and a part of the table (`from`, `limit`) in its query. */
export interface SweepAnswer {
  document: Omit<SweepDocument, 'cells'>;
  /** ISO 8601 UTC */
  started: string;
  notes: string[];
  tables: ShownTable[];
  /** The values that a filter can name, by column. */
  choices: Readonly<Record<string, string[]>>;
  /** Columns of which something is known. */
  columns: string[];
  /** Names of others that the runs can be compared with: `agent:codex`, `variant:bare`, `sweep:<id>`. */
  against: string[];
  /** The reason why the filter selects nothing; null if it can be read. */
  problem: string | null;
  /** The matrix of the selected runs, whatever cell is selected. */
  matrix: MatrixCell[];
  /** The same runs by configuration. */
  figures: ConfigurationFigures[];
  /** The part of the selected runs that was asked for. */
  runs: ListedRun[];
  /** The number of selected runs before them. */
  from: number;
  /** The number of selected runs. */
  found: number;
  isRepeated: boolean;
  /** The state of those among `runs` that are open. */
  open: OpenRunState[];
  openCount: number;
  engine: boolean;
}

/** The answer about a run that has no report yet. */
export interface OpenRunAnswer {
  state: 'open';
  run: string;
  sweep: string;
  cell: Cell;
  description: string;
  /** The prompt of the agent; null if no agent takes part. */
  prompt: string | null;
  uiUrl: string | null;
  engine: boolean;
}

/** Another run of the same configuration in the same sweep. */
export interface Sibling {
  run: string;
  repetition: number;
  outcome: Outcome;
}

export interface EndedRunAnswer {
  state: 'ended';
  run: RunRecord;
  metrics: Metrics;
  /** Facts about the run as a whole. Values are foreign text. */
  facts: [label: string, value: string][];
  human: HumanReview | null;
  /** All repetitions that have a folder, this one too. */
  siblings: Sibling[];
  uiUrl: string | null;
  /** Commands about this run, for a terminal. */
  commands: readonly { title: string; command: string }[];
}

/** `GET /api/runs/:run` */
export type RunAnswer = OpenRunAnswer | EndedRunAnswer;

/** An event whose long texts are cut; `cut` is then the number of characters of the whole event. */
export type ShownEvent = RunEvent & { cut?: number };

/** A line of `GET /api/runs/:run/events`. The answer ends with the run. */
export type EventsLine =
  | { events: ShownEvent[] }
  /** Events so far came from a run that was not over; those that follow are complete, and start again. */
  | { again: true }
  | { problem: string };

/** An event that contains a text, with what stands before and after it. */
export interface Match {
  seq: number;
  before: string;
  found: string;
  after: string;
}

/** `GET /api/runs/:run/matches?text=<text>`: the events that contain a text, whatever its case. */
export interface MatchesAnswer {
  /** The first ones, in order. */
  matches: Match[];
  /** Number of further events that contain it. */
  more: number;
}

export type DiffLine = { kind: 'same' | 'added' | 'removed'; text: string } | { kind: 'gap'; lines: number };

export interface FileChange {
  path: string;
  change: 'added' | 'changed' | 'removed';
  bytes: number | null;
  /** Null if it cannot be shown as text; `note` says why. */
  lines: DiffLine[] | null;
  note: string | null;
}

/** `GET /api/runs/:run/changes`: what the workspace has at the end of the run that its fixture has not. */
export interface ChangesAnswer {
  files: FileChange[];
  /** Number of further changed files. */
  more: number;
  /** The reason why nothing can be compared; null if it can. */
  missing: string | null;
}

/**
 * `GET /api/runs/:run/review`: the review in the run's evaluation.md, for a form. `PUT` saves `version` and `fields`.
 */
export interface ReviewAnswer {
  /** Changes whenever the file does. A review that was made from another one is not saved. */
  version: string;
  fields: ReviewFields;
  /** The part of the file that cannot be read, with its place; null if all can. */
  problem: string | null;
}

/** The answer, with status 409, to a review of a file that has changed meanwhile. */
export interface ChangedReview extends ErrorAnswer {
  review: ReviewAnswer;
}

/**
 * `GET /api/sweeps/:sweep/retry?failed=1` (or 0), or with `cell=<id>`, and `GET /api/regrade/:id`, of a sweep or run:
 * what would begin. `POST` to the same address begins it.
 */
export interface AgainAnswer {
  cells: number;
  /** True if more runs follow until a verdict is clear. If not, and there are no cells, there is nothing to do. */
  mayFollow: boolean;
  /** Agents that would run, with their cells. */
  agents: { agent: string; cells: number }[];
  /** Models that would judge. */
  models: string[];
  mayCost: boolean;
}

/** `GET /api/compare`: what `compare --json` prints, and what `compare` says and prints of it. */
export interface ComparisonAnswer {
  comparison: Comparison;
  /** The verdict. */
  words: string[];
  /** The part of it that is sure; null: nothing. */
  sure: 'better' | 'worse' | null;
  /** The measures and scores of the runs, and how reliable they are. */
  tables: ShownTable[];
  /** Tells how many more runs would show a difference. */
  needed: string[];
}

/** `GET /api/trends?scenario=<name>` */
export interface TrendsAnswer {
  trends: Trend[];
}

/** A night of a schedule. */
export interface ShownNight extends Pick<TrendPoint, 'sweep' | 'passed' | 'tested' | 'interval'> {
  /** When it was due, ISO 8601 UTC. */
  at: string;
  /** Its result, in few words. */
  text: string;
  /** True if a loss was found that began on this night. */
  begins: boolean;
}

/** `GET /api/schedules` */
export interface SchedulesAnswer {
  schedules: {
    schedule: string;
    reference: ScheduleReference | null;
    /** Says how the newest night has ended, since when fewer runs pass or a run costs more, and what to do. */
    words: string[];
    /** The nights that have ended, oldest first. */
    nights: ShownNight[];
  }[];
}

/** The data of a run in a report in a single file. */
export interface ReportedRun {
  answer: EndedRunAnswer;
  events: EventsLine[];
  changes: ChangesAnswer;
}

/** The data of a report in a single file: what the server would answer about a sweep. */
export interface EmbeddedReport {
  sweep: SweepState;
  /** By id. A text says why a run is left out. */
  runs: Record<string, ReportedRun | string>;
}

/** The answer instead of all of these, with a status of 400 or more. */
export interface ErrorAnswer {
  error: string;
}

/** `GET /api/sweeps/:sweep/plan` */
export interface ForecastAnswer {
  forecast: Forecast;
  /** Each question with its answer. */
  answers: [question: string, answer: string][];
  curve: ShownTable;
  hints: string[];
}
