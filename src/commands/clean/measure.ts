import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { linesOf } from '../../platform/fs/lines.js';
import { treeBytes } from '../../platform/fs/tree-bytes.js';
import type { CleanSizes } from '../../results/records/clean-document.js';
import { planFile, resultsLog, storeFolder } from '../../store/results-folder.js';
import type { Places, Proposal } from './gather.js';

/** Returns how many bytes would be deleted, by kind. */
export async function measure(places: Places, { plan, runs, temporaries }: Proposal): Promise<CleanSizes> {
  const { results, work } = places;
  const sum = async (paths: string[]): Promise<number> => {
    let bytes = 0;
    for (const path of paths) bytes += await treeBytes(path);
    return bytes;
  };
  return {
    runs: await sum(plan.runs.filter((run) => runs.inResults.has(run)).map((run) => join(results, run))),
    results: linesBytes(resultsLog(results), new Set(plan.lines)),
    raw_output: await sum(
      plan.runs.flatMap((run) => runs.inState.get(run) ?? []).map((name) => join(work, name)),
    ),
    sweeps: await sum(plan.sweeps.map((sweep) => join(planFile(results, sweep), '..'))),
    snapshots: await sum(plan.snapshots.map((hash) => join(storeFolder(results), hash))),
    temporaries: await sum(temporaries),
  };
}

function linesBytes(log: string, toDelete: ReadonlySet<number>): number {
  if (toDelete.size === 0 || !existsSync(log)) return 0;
  let bytes = 0;
  let number = 0;
  let begin = 0;
  for (const { end } of linesOf(log, Infinity)) {
    number += 1;
    if (toDelete.has(number)) bytes += end - begin;
    begin = end;
  }
  return bytes;
}
