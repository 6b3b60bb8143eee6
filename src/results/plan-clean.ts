/** A sweep that has a folder. `broken`: its plan cannot be read, so nothing is known of what it needs. */
export interface SweepFact {
  id: string;
  state: 'open' | 'ended' | 'broken';
  /** ms since the epoch; null where the plan does not tell. */
  startedAt: number | null;
  /** Snapshots that its plan names. */
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
  /** Name of the folder with the run's files. */
  folder: string | null;
  cachedFrom: string | null;
}

/** A run that has a folder in the results or in the private state. `sweep` is null where nothing tells it any more. */
export interface RunFact {
  id: string;
  sweep: string | null;
  startedAt: number;
}

/** A folder of the store. `fixture` is the snapshot that a scenario names; `broken`: that cannot be read. */
export interface SnapshotFact {
  hash: string;
  fixture: string | null;
  broken: boolean;
}

/** All that must be known of a results folder to say what may go. */
export interface CleanFacts {
  sweeps: readonly SweepFact[];
  /** In the order written. */
  lines: readonly LineFact[];
  runs: readonly RunFact[];
  snapshots: readonly SnapshotFact[];
  /** Sweeps that have a file with handed-over values. */
  handovers: readonly string[];
}

/** What may go; ids, line numbers and hashes. */
export interface CleanPlan {
  lines: number[];
  runs: string[];
  sweeps: string[];
  snapshots: string[];
  handovers: string[];
  /** Runs that are old enough and stay because a result that stays reuses theirs. */
  reused: string[];
}

/**
 * Says what may go of a results folder: runs that were started before `before`, ended sweeps without a run left, and
 * snapshots that no plan left names. Of a sweep that is not known to have ended nothing goes. What a line that stays
 * points to stays: its folder, the run that it reuses, and the other results of its cell: later ones count in its sweep, the
 * first one in comparisons and for the cache.
 */
export function planClean(facts: CleanFacts, before: number): CleanPlan {
  const notEnded = new Set(facts.sweeps.filter(({ state }) => state !== 'ended').map(({ id }) => id));
  const unknownOwner = mayOwn(facts.sweeps);
  const isOld = (at: number): boolean => at < before;
  const kept = keepAll(facts, {
    line: (line) => notEnded.has(line.sweep) || !isOld(line.startedAt),
    run: (run) =>
      !isOld(run.startedAt) || (run.sweep === null ? unknownOwner(run.startedAt) : notEnded.has(run.sweep)),
  });

  const busy = new Set([
    ...facts.lines.filter(({ line }) => kept.lines.has(line)).map(({ sweep }) => sweep),
    ...facts.runs.filter(({ id }) => kept.runs.has(id)).map(({ sweep }) => sweep),
  ]);
  const left = facts.sweeps.filter(
    ({ id, state, startedAt }) =>
      state !== 'ended' || startedAt === null || !isOld(startedAt) || busy.has(id),
  );
  const known = new Map(facts.sweeps.map(({ id, state }) => [id, state]));
  return {
    lines: facts.lines.map(({ line }) => line).filter((line) => !kept.lines.has(line)),
    runs: facts.runs.map(({ id }) => id).filter((id) => !kept.runs.has(id)),
    sweeps: facts.sweeps.filter((sweep) => !left.includes(sweep)).map(({ id }) => id),
    snapshots: unusedSnapshots(facts.snapshots, left),
    handovers: facts.handovers.filter((id) => (known.get(id) ?? 'ended') === 'ended'),
    reused: facts.runs
      .filter(
        ({ id, sweep, startedAt }) =>
          kept.runs.has(id) && isOld(startedAt) && sweep !== null && !notEnded.has(sweep),
      )
      .map(({ id }) => id),
  };
}

/** Whether a run of that time may belong to a sweep that goes on: such a sweep was there before it. */
function mayOwn(sweeps: readonly SweepFact[]): (startedAt: number) => boolean {
  const starts = sweeps.filter(({ state }) => state !== 'ended').map(({ startedAt }) => startedAt);
  const first = starts.includes(null) ? -Infinity : Math.min(...starts.map(Number));
  // Runs are named to the second, downwards.
  return (startedAt) => startedAt + 1000 > first;
}

interface Keep {
  line: (line: LineFact) => boolean;
  run: (run: RunFact) => boolean;
}

/** Follows from what stays to what it needs, until nothing is added. */
function keepAll({ lines, runs }: CleanFacts, keep: Keep): { lines: Set<number>; runs: Set<string> } {
  const known = new Set(runs.map(({ id }) => id));
  const linesOf = new Map<string, LineFact[]>();
  const ofCells = new Map<string, LineFact[]>();
  for (const line of lines) {
    linesOf.set(line.id, [...(linesOf.get(line.id) ?? []), line]);
    const cell = `${line.sweep}\0${line.cell}`;
    const ofCell = ofCells.get(cell);
    if (ofCell === undefined) ofCells.set(cell, [line]);
    else ofCell.push(line);
  }
  const kept = { lines: new Set<number>(), runs: new Set<string>() };
  const open: ({ line: LineFact } | { run: string })[] = [
    ...lines.filter(keep.line).map((line) => ({ line })),
    ...runs.filter(keep.run).map(({ id }) => ({ run: id })),
  ];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if ('run' in next) {
      if (!known.has(next.run) || kept.runs.has(next.run)) continue;
      kept.runs.add(next.run);
      open.push(...(linesOf.get(next.run) ?? []).map((line) => ({ line })));
      continue;
    }
    const { line } = next;
    if (kept.lines.has(line.line)) continue;
    kept.lines.add(line.line);
    const ofCell = ofCells.get(`${line.sweep}\0${line.cell}`) ?? [];
    open.push(...ofCell.map((one) => ({ line: one })));
    const source = line.cachedFrom === null ? [] : (linesOf.get(line.cachedFrom) ?? []);
    open.push(...source.map((one) => ({ line: one })));
    for (const run of [line.id, line.folder, line.cachedFrom]) if (run !== null) open.push({ run });
  }
  return kept;
}

function unusedSnapshots(snapshots: readonly SnapshotFact[], left: readonly SweepFact[]): string[] {
  const used = new Set(left.flatMap((sweep) => sweep.snapshots));
  const inUse = snapshots.filter(({ hash }) => used.has(hash));
  // What names others and cannot be read may name any of them.
  if (left.some(({ state }) => state === 'broken') || inUse.some(({ broken }) => broken)) return [];
  for (const { fixture } of inUse) if (fixture !== null) used.add(fixture);
  return snapshots.map(({ hash }) => hash).filter((hash) => !used.has(hash));
}
