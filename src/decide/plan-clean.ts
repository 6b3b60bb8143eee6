/** A sweep that has a folder. `broken`: its plan cannot be read, so it is unknown what the sweep needs. */
export interface SweepFact {
  id: string;
  state: 'open' | 'ended' | 'broken';
  /** ms since the epoch; null if the plan has no start. */
  startedAt: number | null;
  /** Snapshots that its plan refers to. */
  snapshots: readonly string[];
}

/** A line of results.jsonl. */
export interface LineFact {
  /** From 1. */
  line: number;
  id: string;
  sweep: string;
  cell: string;
  startedAt: number;
  /** Name of the folder that holds the run's files. */
  folder: string | null;
  cachedFrom: string | null;
}

/**
 * A run that has a folder in the results or in the private state. `sweep` is null if it can no longer be determined.
 */
export interface RunFact {
  id: string;
  sweep: string | null;
  startedAt: number;
}

/**
 * A folder of the store. `fixture`, `checks` and `build` are the snapshots that a scenario refers to. `broken`: that
 * cannot be read.
 */
export interface SnapshotFact {
  hash: string;
  fixture: string | null;
  checks?: string | undefined;
  build?: string | undefined;
  broken: boolean;
}

/** Everything that must be known of a results folder to decide what can be removed. */
export interface CleanFacts {
  sweeps: readonly SweepFact[];
  /** In the order written. */
  lines: readonly LineFact[];
  runs: readonly RunFact[];
  snapshots: readonly SnapshotFact[];
  /** Sweeps that have a file of stored variables. */
  sweepEnvs: readonly string[];
  /** Absent if there are none. */
  schedules?: readonly ScheduleFact[];
}

/** A schedule. `broken`: its file cannot be read, so it is unknown what it needs. */
export interface ScheduleFact {
  broken: boolean;
  /** The sweep with which its next one will be compared; null if there is none yet. */
  baseline: string | null;
  /** Snapshots that the plan of its sweeps refers to. */
  snapshots: readonly string[];
}

/** The items that can be removed: ids, line numbers and hashes. */
export interface CleanPlan {
  lines: number[];
  runs: string[];
  sweeps: string[];
  snapshots: string[];
  sweepEnvs: string[];
  /** Runs that are old enough, but stay because a result that stays reuses theirs. */
  reused: string[];
}

/**
 * Decides what can be removed from a results folder: runs that were started before `before` (ms since the epoch), ended
 * sweeps without remaining runs, and snapshots that no remaining plan refers to. Nothing is removed of a sweep that is
 * not known to have ended, and nothing of the sweep with which the next sweep of a schedule is compared. Whatever a
 * remaining line refers to stays: its folder, the run that it reuses, and the other results of its cell (the last one
 * counts in its sweep, the first one in comparisons and for the cache). `only`: the only sweep of which anything but
 * snapshots is removed.
 */
export function planClean(facts: CleanFacts, before: number, only?: string): CleanPlan {
  const isWanted = (sweep: string | null): boolean => only === undefined || sweep === only;
  const { schedules = [] } = facts;
  const baselines = schedules.flatMap(({ baseline }) => baseline ?? []);
  const notEnded = new Set([
    ...facts.sweeps.filter(({ state }) => state !== 'ended').map(({ id }) => id),
    ...baselines,
  ]);
  const unknownOwner = mayOwn(facts.sweeps);
  const isOld = (at: number): boolean => at < before;
  const kept = keepAll(facts, {
    line: (line) => !isWanted(line.sweep) || notEnded.has(line.sweep) || !isOld(line.startedAt),
    run: (run) =>
      !isWanted(run.sweep) ||
      !isOld(run.startedAt) ||
      (run.sweep === null ? unknownOwner(run.startedAt) : notEnded.has(run.sweep)),
  });

  const busy = new Set([
    ...facts.lines.filter(({ line }) => kept.lines.has(line)).map(({ sweep }) => sweep),
    ...facts.runs.filter(({ id }) => kept.runs.has(id)).map(({ sweep }) => sweep),
  ]);
  const left = facts.sweeps.filter(
    ({ id, startedAt }) => !isWanted(id) || notEnded.has(id) || startedAt === null || !isOld(startedAt) || busy.has(id),
  );
  const known = new Map(facts.sweeps.map(({ id, state }) => [id, state]));
  return {
    lines: facts.lines.map(({ line }) => line).filter((line) => !kept.lines.has(line)),
    runs: facts.runs.map(({ id }) => id).filter((id) => !kept.runs.has(id)),
    sweeps: facts.sweeps.filter((sweep) => !left.includes(sweep)).map(({ id }) => id),
    snapshots: unusedSnapshots(facts.snapshots, [
      ...left,
      ...schedules.map(({ broken, snapshots }) => ({
        state: broken ? ('broken' as const) : ('open' as const),
        snapshots,
      })),
    ]),
    sweepEnvs: facts.sweepEnvs.filter((id) => (known.get(id) ?? 'ended') === 'ended'),
    reused: facts.runs
      .filter(
        ({ id, sweep, startedAt }) => kept.runs.has(id) && isOld(startedAt) && sweep !== null && !notEnded.has(sweep),
      )
      .map(({ id }) => id),
  };
}

/**
 * Returns whether a run with this start may belong to a sweep that has not ended: such a sweep started before the run.
 */
function mayOwn(sweeps: readonly SweepFact[]): (startedAt: number) => boolean {
  const starts = sweeps.filter(({ state }) => state !== 'ended').map(({ startedAt }) => startedAt);
  const first = starts.includes(null) ? -Infinity : Math.min(...starts.map(Number));
  // The names of runs have their start in seconds, rounded down.
  return (startedAt) => startedAt + 1000 > first;
}

/**
 * Collects what stays, and what that refers to, until nothing is added: a line keeps the lines of its cell and its
 * runs; a run keeps its lines.
 */
function keepAll(
  { lines, runs }: CleanFacts,
  isKept: { line: (line: LineFact) => boolean; run: (run: RunFact) => boolean },
): { lines: Set<number>; runs: Set<string> } {
  const cellOf = ({ sweep, cell }: LineFact): string => `cell ${sweep}\0${cell}`;
  const nodesOf = (line: LineFact): string[] => [
    cellOf(line),
    ...[line.id, line.folder, line.cachedFrom].flatMap((run) => (run === null ? [] : `run ${run}`)),
  ];
  const linesAt = new Map<string, LineFact[]>();
  for (const line of lines)
    for (const node of [cellOf(line), `run ${line.id}`])
      if (linesAt.get(node)?.push(line) === undefined) linesAt.set(node, [line]);
  const kept = new Set([
    ...runs.filter(isKept.run).map(({ id }) => `run ${id}`),
    ...lines.filter(isKept.line).flatMap(nodesOf),
  ]);
  // A set that grows while it is read.
  for (const node of kept) for (const line of linesAt.get(node) ?? []) nodesOf(line).forEach((one) => kept.add(one));
  return {
    lines: new Set(lines.filter((line) => kept.has(cellOf(line))).map(({ line }) => line)),
    runs: new Set(runs.flatMap(({ id }) => (kept.has(`run ${id}`) ? id : []))),
  };
}

function unusedSnapshots(
  snapshots: readonly SnapshotFact[],
  left: readonly Pick<SweepFact, 'state' | 'snapshots'>[],
): string[] {
  const used = new Set(left.flatMap((sweep) => sweep.snapshots));
  const inUse = snapshots.filter(({ hash }) => used.has(hash));
  // Something that refers to others but cannot be read may refer to any of them.
  if (left.some(({ state }) => state === 'broken') || inUse.some(({ broken }) => broken)) return [];
  for (const { fixture, checks, build } of inUse) {
    if (fixture !== null) used.add(fixture);
    if (checks !== undefined) used.add(checks);
    if (build !== undefined) used.add(build);
  }
  return snapshots.map(({ hash }) => hash).filter((hash) => !used.has(hash));
}

/** The kinds of data that `clean` removes. */
export const CLEAN_KINDS = ['runs', 'results', 'raw_output', 'sweeps', 'snapshots', 'temporaries'] as const;
export type CleanKind = (typeof CLEAN_KINDS)[number];

/** Bytes by kind. */
export type CleanSizes = Record<CleanKind, number>;

/** The output of `clean --json`. With `dry_run`, `removed` is what would be removed. */
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
