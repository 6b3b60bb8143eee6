import type { SweepCell, SweepDocument } from './documents.js';

/** The options of `run`, which specs/reference/commands.md explains. */
export interface RunScenariosOptions {
  /** Scenario files, folders, or names in the fixtures folder. */
  files?: string | readonly string[];
  /** Run all scenarios in the fixtures folder. */
  all?: boolean;
  /** Only scenarios with any of these tags. */
  tags?: readonly string[];
  /** Only scenarios of this tier or lower. */
  tier?: number;
  /** Run these agents instead of those in `tool_matrix`. */
  agents?: readonly string[];
  /** Run these models instead of those in `tool_matrix`. */
  models?: readonly string[];
  /** Only these variants. */
  variants?: readonly string[];
  /** Also run each scenario without its subject. */
  withBaseline?: boolean;
  /** Agents and models from this profile of the config file. */
  profile?: string;
  /** Repetitions of each cell. */
  repeat?: number;
  /** Only these cells, by id or label. */
  cells?: readonly string[];
  /** The most cells that run at once. */
  concurrency?: number;
  /** False: ignore cached results. */
  cache?: boolean;
  /** Budget in US dollars: cells that would exceed it are not started. */
  maxUsd?: number;
  /** Time limit of the agent, in seconds. */
  timeoutSecs?: number;
  /** Test this build of the target. */
  targetBinary?: string;
  /** False: ask no judge. */
  judge?: boolean;
  /** The model or agent that judges. */
  judgeModel?: string;
  /** Ignore all mocks. */
  live?: boolean;
  /** The beginning of the sweep's id; otherwise it begins with the time. */
  name?: string;
  /** To whom the sweep belongs; otherwise whoever runs the program. */
  owner?: string;
  /** Variables for agents and targets; they override those of the process. */
  env?: Readonly<Record<string, string>>;
  /** The results folder; otherwise that of the config file. */
  results?: string;
  /** The Temporal server to use; otherwise one is started. */
  address?: string;
  /** Cancels the sweep when it is aborted. */
  signal?: AbortSignal;
  /** Called with what `run` prints on stderr: warnings, and progress of the engine. Default: ignored. */
  onNotice?: (text: string) => void;
}

/** An event of a sweep. They come in its order. */
export type SweepEvent =
  | { type: 'started'; cell: string }
  /** A cell has its result. Its numbers are final; it is replaced if the cell is run again. */
  | { type: 'ended'; cell: SweepCell }
  /** The work is blocked, for example by a server that does not answer; null: it goes on. */
  | { type: 'waiting'; reason: string | null };

/** A sweep that runs. It goes on if this process ends; `resume <id>` on the command line follows it then. */
export interface Sweep {
  /** Its id, for `show <id>` and `readSweep`. */
  id: string;
  /** Absolute path of the results folder. */
  results: string;
  /** The ids of its cells. */
  cells: readonly string[];
  /** Iterates over all that has happened, and happens until the sweep ends. May be called several times. */
  events(): AsyncIterable<SweepEvent>;
  /**
   * Waits for the end. Returns the document that `run --json` prints, whatever the outcomes.
   *
   * @throws ScenarioError if the result cannot be obtained
   */
  result(): Promise<SweepDocument>;
  /** Cancels the sweep, and waits until none of its agents is left. Returns its document. */
  cancel(): Promise<SweepDocument>;
}
