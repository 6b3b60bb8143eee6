import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rmdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { CLEAN_KINDS, type CleanKind, type CleanSizes } from '#decide';
import { ledgerFolder, removeSweepEnv, removeTree, TEMPORARY, treeBytes } from '#host';
import { resultsLog, rewriteResults, RUN_PARTS, storeFolder, SWEEP_PARTS, sweepsFolder } from '#store';
import { lineFact, type Places, type Proposal, trashFolders } from './gather.js';

/** A file or folder that goes, with the names in it that are ours; absent: all of them. */
interface Item {
  kind: CleanKind;
  path: string;
  ours?: ReadonlySet<string>;
}

/**
 * Lists what goes, in an order that keeps the folder consistent if it is interrupted: the private folder of a run
 * before the one in the results, without which nothing says whose it is; runs before their sweep; plans before the
 * snapshots that they name.
 */
export const itemsOf = ({ results, work }: Places, { plan, runs, temporaries }: Proposal): Item[] => [
  ...plan.runs.flatMap((run): Item[] => [
    ...[runs.inState.get(run) ?? []].flat().map((name) => ({ kind: 'raw_output' as const, path: join(work, name) })),
    ...(runs.inResults.has(run) ? [{ kind: 'runs' as const, path: join(results, run), ours: RUN_PARTS }] : []),
  ]),
  ...plan.sweeps.map((id) => ({ kind: 'sweeps' as const, path: join(sweepsFolder(results), id), ours: SWEEP_PARTS })),
  ...plan.snapshots.map((hash) => ({ kind: 'snapshots' as const, path: join(storeFolder(results), hash) })),
  ...temporaries.map((path) => ({ kind: 'temporaries' as const, path })),
];

/** The bytes of items and of lines of results.jsonl, by kind. */
export async function sizesOf(items: readonly Item[], { facts, plan }: Proposal): Promise<CleanSizes> {
  const sizes = Object.fromEntries(CLEAN_KINDS.map((kind) => [kind, 0])) as CleanSizes;
  for (const { kind, path } of items) sizes[kind] += await treeBytes(path);
  const lines = new Set(plan.lines);
  for (const { line, bytes } of facts.lines) if (lines.has(line)) sizes.results += bytes;
  return sizes;
}

/**
 * Moves what was proposed to the trash, lines first, each thing in one step: a `clean` that is killed leaves nothing
 * half-deleted in its place, and nobody has to wait while gigabytes are deleted. The caller must hold the lock of
 * `announceClean`. Returns where the things are now; null if a new result needs something that would be removed: then
 * call `propose` again.
 */
export async function moveToTrash(places: Places, proposal: Proposal): Promise<Item[] | null> {
  if (!(await dropLines(places.results, proposal))) return null;
  // On the same file system as what is moved.
  const name = `trash-${process.pid}-${randomBytes(4).toString('hex')}`;
  const [trash = '', inState = ''] = trashFolders(places).map((folder) => join(folder, name));
  const moved: Item[] = [];
  for (const { kind, path, ours } of itemsOf(places, proposal)) {
    // Nobody waits for these.
    if (kind === 'temporaries') moved.push({ kind, path });
    else
      for (const part of await partsOf(path, ours)) {
        const target = join(kind === 'raw_output' ? inState : trash, String(moved.length));
        await mkdir(dirname(target), { recursive: true, mode: 0o700 });
        await moveOrRemove(part, target);
        moved.push({ kind, path: target });
      }
    // Without the plan, no proof of this sweep can start anything.
    if (kind === 'sweeps') await removeTree(ledgerFolder(places.state, basename(path)));
  }
  for (const sweep of proposal.plan.sweepEnvs) await removeSweepEnv(places.state, sweep);
  return moved;
}

/** Deletes what was moved, and what others have left unfinished. */
export async function emptyTrash({ results }: Places, items: readonly Item[]): Promise<void> {
  for (const { path } of items) await removeTree(path);
  for (const folder of new Set(items.map(({ path }) => dirname(path))))
    // The trash, or the folder of a sweep whose plan was never completed.
    if (basename(folder).startsWith('trash-') || dirname(folder) === sweepsFolder(results))
      await rmdir(folder).catch(() => undefined);
}

/** Removes lines from results.jsonl. False if a line that was added meanwhile needs something that would be removed. */
async function dropLines(results: string, { facts, plan }: Proposal): Promise<boolean> {
  if (!existsSync(resultsLog(results)) || (plan.lines.length === 0 && plan.runs.length === 0)) return true;
  const toDelete = new Set(plan.lines);
  const runs = new Set([...plan.runs, ...facts.lines.flatMap(({ line, id }) => (toDelete.has(line) ? id : []))]);
  const known = facts.lines.at(-1)?.line ?? 0;
  const dropped = await rewriteResults(resultsLog(results), (line, text) => {
    if (line <= known) return toDelete.has(line) ? 'drop' : 'keep';
    const fact = lineFact(line, text);
    const needs = fact === null ? [] : [fact.id, fact.folder, fact.cachedFrom];
    return needs.some((run) => run !== null && runs.has(run)) ? 'stop' : 'keep';
  });
  return dropped !== null;
}

/** The whole folder if it has only our files, else only these. The file that identifies the folder comes last. */
async function partsOf(folder: string, ours: ReadonlySet<string> | undefined): Promise<string[]> {
  const names = ours === undefined ? [] : await readdir(folder);
  const own = names.filter((name) => ours?.has(name) === true || TEMPORARY.test(name)).sort();
  if (own.length === names.length) return [folder];
  // The artifacts identify a run. The summary, which sorts last, shows that a sweep without its plan has ended.
  own.sort((a, b) => Number(a === 'artifacts') - Number(b === 'artifacts'));
  return own.map((name) => join(folder, name));
}

/** Does nothing if it is already gone. */
async function moveOrRemove(path: string, target: string): Promise<void> {
  try {
    await rename(path, target);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // A mount point cannot be moved, but its content can be deleted
    if (code === 'EXDEV' || code === 'EBUSY') await removeTree(path);
    else if (code !== 'ENOENT') throw error;
  }
}
