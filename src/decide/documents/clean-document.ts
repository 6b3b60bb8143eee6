/** The kinds of data that `clean` removes. */
export const CLEAN_KINDS = ['runs', 'results', 'raw_output', 'sweeps', 'snapshots', 'temporaries'] as const;
export type CleanKind = (typeof CLEAN_KINDS)[number];

/** Bytes by kind. */
export type CleanSizes = Record<CleanKind, number>;

/** What `clean --json` prints. With `dry_run`, `removed` is what would be removed. */
export interface CleanDocument {
  dry_run: boolean;
  /** The value of --older-than, as given. */
  older_than: string;
  /** Only runs that were started before this were removed; ISO 8601 UTC. */
  before: string;
  results_path: string;
  removed: {
    /** Ids of runs whose folder in the results folder was removed. */
    runs: string[];
    /** Ids of lines that were removed from results.jsonl. */
    results: string[];
    /** Ids of runs whose raw output and records of steps in the private state were removed. */
    raw_output: string[];
    sweeps: string[];
    /** Hashes. */
    snapshots: string[];
    /** Sweeps whose stored variables were removed. */
    handovers: string[];
    /** Paths of half-written files left behind by dead processes. */
    temporaries: string[];
  };
  kept: {
    runs: number;
    sweeps: number;
    snapshots: number;
    open_sweeps: string[];
    /** Sweeps whose plan cannot be read. While there is one, no snapshot is removed. */
    broken_sweeps: string[];
    /** Runs that are old enough to be removed, but whose results others reuse. */
    reused_runs: string[];
    /** Paths in the results folder that llm-tool-test did not write. */
    strangers: string[];
  };
  /** Bytes by kind, and their sum. */
  sizes: CleanSizes;
  bytes: number;
}
