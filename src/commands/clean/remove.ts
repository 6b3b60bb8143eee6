import { existsSync } from 'node:fs';
import { readdir, rmdir, mkdir, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { lineFact } from './gather-runs.js';
import type { Places, Proposal } from './gather.js';
import { randomBytes } from 'node:crypto';
import { CLEAN_KINDS, type CleanKind, type CleanSizes } from '#decide';
import { isRealFolder, ledgerFolder, removeSweepEnv, removeTree, TEMPORARY, treeBytes } from '#host';
import { cleanFolder, resultsLog, rewriteResults, RUN_PARTS, storeFolder, SWEEP_PARTS, sweepsFolder } from '#store';

/** Deletes what was moved to the trash. Returns the number of bytes by kind. */
export type EmptyTrash = () => Promise<CleanSizes>;

/**
 * Moves what was proposed to the trash. The order keeps the folder consistent if it is interrupted: lines go before the
 * folders that they refer to, runs before their sweep, plans before the snapshots that they name. The caller must hold
 * the lock of `announceClean`. Returns null if a new result needs something that would be removed; then call `propose`
 * again.
 */
export async function moveToTrash(places: Places, proposal: Proposal): Promise<EmptyTrash | null> {
  const { results, state, work } = places;
  const { plan, runs, temporaries } = proposal;
  const lines = await dropLines(results, proposal);
  if (lines === null) return null;
  const trash = createTrash(cleanFolder(results));
  const inState = createTrash(join(state, 'removed'));
  for (const run of plan.runs) {
    // First, because without the folder in the results nothing says which run it belongs to.
    const own = runs.inState.get(run);
    if (own !== undefined) await inState.take(join(work, own), 'raw_output');
    if (runs.inResults.has(run)) await takeParts(join(results, run), RUN_PARTS, (path) => trash.take(path, 'runs'));
  }
  for (const sweep of plan.sweeps) {
    await takeParts(join(sweepsFolder(results), sweep), SWEEP_PARTS, (path) => trash.take(path, 'sweeps'));
    // Without the plan, no proof of this sweep can start anything.
    await removeTree(ledgerFolder(state, sweep));
  }
  for (const hash of plan.snapshots) await trash.take(join(storeFolder(results), hash), 'snapshots');
  for (const sweep of plan.sweepEnvs) await removeSweepEnv(state, sweep);
  return async () => {
    const sizes: CleanSizes = {
      runs: 0,
      results: lines,
      raw_output: 0,
      sweeps: 0,
      snapshots: 0,
      temporaries: 0,
    };
    const add = (kind: CleanKind, bytes: number): void => void (sizes[kind] += bytes);
    await trash.empty(add);
    await inState.empty(add);
    for (const path of temporaries) {
      sizes.temporaries += await treeBytes(path);
      await removeTree(path);
      // Also remove the folder of a sweep whose plan was never completed.
      if (dirname(dirname(path)) === sweepsFolder(results)) await rmdir(dirname(path)).catch(() => undefined);
    }
    return sizes;
  };
}

/**
 * Removes lines from results.jsonl. Returns the number of bytes removed, or null if a line that was added in the
 * meantime needs something that would be removed.
 */
async function dropLines(results: string, { facts, plan }: Proposal): Promise<number | null> {
  if (!existsSync(resultsLog(results)) || (plan.lines.length === 0 && plan.runs.length === 0)) return 0;
  const ids = new Map(facts.lines.map(({ line, id }) => [line, id]));
  const toDelete = new Set(plan.lines);
  const runs = new Set([...plan.runs, ...plan.lines.map((line) => ids.get(line) ?? '')]);
  const known = facts.lines.at(-1)?.line ?? 0;
  return rewriteResults(resultsLog(results), (line, text) => {
    if (line <= known) return toDelete.has(line) ? 'drop' : 'keep';
    const fact = lineFact(line, text);
    const needs = fact === null ? [] : [fact.id, fact.folder, fact.cachedFrom];
    return needs.some((run) => run !== null && runs.has(run)) ? 'stop' : 'keep';
  });
}

/** Removes a whole folder if it has only our files, else only these. The file that identifies the folder goes last. */
async function takeParts(
  folder: string,
  ours: ReadonlySet<string>,
  take: (path: string) => Promise<void>,
): Promise<void> {
  const names = await readdir(folder);
  const isOurs = (name: string): boolean => ours.has(name) || TEMPORARY.test(name);
  if (names.every(isOurs)) return take(folder);
  const parts = names.filter(isOurs).sort();
  // The artifacts identify a run. The summary, which sorts last, shows that a sweep without its plan has ended.
  parts.sort((a, b) => Number(a === 'artifacts') - Number(b === 'artifacts'));
  for (const name of parts) await take(join(folder, name));
}

/**
 * A folder to which things are moved before they are deleted, each in one step. So a `clean` that is killed leaves
 * nothing half-deleted in its original place, and nobody has to wait while gigabytes are deleted.
 */
interface Trash {
  /** Moves a file or folder into the trash, sorted by its kind. Does nothing if it is already gone. */
  take(path: string, kind: CleanKind): Promise<void>;
  /** Deletes this trash, and that of interrupted `clean` commands. Calls `add` with the number of bytes by kind. */
  empty(add: (kind: CleanKind, bytes: number) => void): Promise<void>;
}

/** Creates a trash in a folder, which must be on the same file system as the files. */
function createTrash(parent: string): Trash {
  const folder = join(parent, `trash-${process.pid}-${randomBytes(4).toString('hex')}`);
  let taken = 0;
  return {
    async take(path, kind) {
      const target = join(folder, kind, String(taken++));
      await mkdir(dirname(target), { recursive: true, mode: 0o700 });
      try {
        await rename(path, target);
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        // A mount point cannot be moved, but its content can be deleted.
        if (code === 'EXDEV' || code === 'EBUSY') await removeTree(path);
        else if (code !== 'ENOENT') throw error;
      }
    },
    async empty(add) {
      for (const name of await readdir(parent).catch(() => [])) {
        const left = join(parent, name);
        if (!name.startsWith('trash-') || !isRealFolder(left)) continue;
        for (const kind of CLEAN_KINDS) add(kind, await treeBytes(join(left, kind)));
        await removeTree(left);
      }
    },
  };
}
