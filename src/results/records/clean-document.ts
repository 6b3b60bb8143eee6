/** What takes room, by kind. */
export const CLEAN_KINDS = ['runs', 'results', 'raw_output', 'sweeps', 'snapshots', 'temporaries'] as const;
export type CleanKind = (typeof CLEAN_KINDS)[number];

/** Bytes by kind. */
export type CleanSizes = Record<CleanKind, number>;

/** What `clean --json` prints. */
export interface CleanDocument {
  dry_run: boolean;
  /** As it was given. */
  older_than: string;
  /** Runs that were started before this went, ISO 8601 UTC. */
  before: string;
  results_path: string;
  removed: {
    /** Ids of runs whose folder in the results folder went. */
    runs: string[];
    /** Ids of the lines of results.jsonl. */
    results: string[];
    /** Ids of runs whose raw output and notes of steps in the private state went. */
    raw_output: string[];
    sweeps: string[];
    /** Hashes. */
    snapshots: string[];
    /** Sweeps whose handed-over variables were still there. */
    handovers: string[];
    /** Paths of what dead processes have left half written. */
    temporaries: string[];
  };
  kept: {
    runs: number;
    sweeps: number;
    snapshots: number;
    open_sweeps: string[];
    /** Sweeps whose plan cannot be read; as long as they are there, all snapshots stay. */
    broken_sweeps: string[];
    /** Runs that are old enough and whose results others reuse. */
    reused_runs: string[];
    /** Paths in the results folder of what llm-tool-test did not write. */
    strangers: string[];
  };
  /** By kind, and in all. */
  sizes: CleanSizes;
  bytes: number;
}
