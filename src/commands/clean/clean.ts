import { existsSync, lstatSync } from 'node:fs';
import { join } from 'node:path';
import { noteAction } from '#client';
import type { CleanDocument, CleanSizes } from '#decide';
import { displayPath, projectState } from '#host';
import { InfrastructureError, parseAge, systemFailure, UsageError } from '#lib';
import { checkWritable, openProject } from '#planning';
import { renderClean } from '#reports';
import { announceClean, workFolder } from '#store';
import { printJson, printNotice, textOptions } from '../shared/output.js';
import { propose, type Places, type Proposal } from './gather.js';
import { emptyTrash, itemsOf, moveToTrash, sizesOf } from './remove.js';

export interface CleanOptions {
  olderThan?: string;
  dryRun: boolean;
  verbose: boolean;
  json: boolean;
  results?: string;
}

/** `clean`: deletes old data of runs and sweeps that have ended. Returns the exit code. */
export async function clean(options: CleanOptions): Promise<number> {
  const now = Date.now();
  const olderThan = options.olderThan?.trim() ?? '';
  const before = Math.max(0, now - ageOf(options.olderThan));
  const { resultsPath } = openProject(options.results);
  const places = placesOf(resultsPath);
  checkPlaces(resultsPath);
  const isReal = !options.dryRun && existsSync(resultsPath);
  if (isReal) await noteAction(resultsPath, { verb: 'clean', older_than: olderThan }, printNotice);
  const { proposal, sizes } = isReal ? await remove(places, before, now) : await look(places, before, now);
  const document = documentOf(proposal, sizes, {
    dry_run: options.dryRun,
    older_than: olderThan,
    before: new Date(before).toISOString(),
    results_path: resultsPath,
  });
  if (options.json) printJson(document);
  else process.stdout.write(renderClean(document, { ...textOptions(), verbose: options.verbose }));
  return 0;
}

/** Removes everything of a sweep that has ended, except what another sweep refers to. */
export async function removeSweep(resultsPath: string, sweep: string): Promise<void> {
  checkPlaces(resultsPath);
  await noteAction(resultsPath, { verb: 'clean', sweep }, printNotice);
  const now = Date.now() + 1;
  await remove(placesOf(resultsPath), now, now, sweep);
}

function placesOf(results: string): Places {
  const state = projectState(results).folder;
  return { results, state, work: workFolder(state) };
}

/** @throws UsageError if the age is missing or invalid; there is no default for what to delete */
function ageOf(text: string | undefined): number {
  const hint = 'e.g. --older-than 30d (units: m, h, d, w); 0d deletes everything that has ended';
  if (text === undefined) throw new UsageError('older_than', `specify an age, ${hint}`);
  const age = parseAge(text);
  if (age === null) throw new UsageError('older_than', `--older-than '${text}' is not a valid age: ${hint}`);
  return age;
}

/** @throws UsageError if a part of the results folder is a symlink, because nothing is deleted through symlinks */
function checkPlaces(results: string): void {
  if (existsSync(results) && !lstatSync(join(results, '.')).isDirectory())
    throw new UsageError('not_a_folder', `${displayPath(results)} is not a folder`);
  for (const name of ['results.jsonl', 'sweeps', '.store', '.clean']) {
    const path = join(results, name);
    if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true)
      throw new UsageError(
        'symlink',
        `${displayPath(path)} is a symlink, and nothing is deleted through symlinks; replace it with its target`,
      );
  }
}

interface Outcome {
  proposal: Proposal;
  sizes: CleanSizes;
}

async function look(places: Places, before: number, now: number): Promise<Outcome> {
  const proposal = await propose(places, before, now);
  return { proposal, sizes: await sizesOf(itemsOf(places, proposal), proposal) };
}

async function remove(places: Places, before: number, now: number, only?: string): Promise<Outcome> {
  await checkWritable(places.results);
  const lock = await announceClean(places.results);
  if (lock === null)
    throw new InfrastructureError('another `clean` is running in this results folder; try again when it has finished');
  let proposal: Proposal;
  let moved;
  try {
    do {
      proposal = await propose(places, before, now, only);
      moved = await moveToTrash(places, proposal);
    } while (moved === null);
  } catch (error) {
    if (!(error instanceof Error) || !('syscall' in error)) throw error;
    throw new InfrastructureError(
      `could not remove everything: ${systemFailure(error) ?? error.message}; run \`clean\` again to continue`,
    );
  } finally {
    await lock.release();
  }
  const sizes = await sizesOf(moved, proposal);
  await emptyTrash(places, moved);
  return { proposal, sizes };
}

type Head = Pick<CleanDocument, 'dry_run' | 'older_than' | 'before' | 'results_path'>;

function documentOf({ facts, plan, ...found }: Proposal, sizes: CleanSizes, head: Head): CleanDocument {
  const [runs, lines] = [new Set(plan.runs), new Set(plan.lines)];
  const ofState = (state: string): string[] =>
    facts.sweeps.filter((sweep) => sweep.state === state).map(({ id }) => id);
  return {
    ...head,
    removed: {
      runs: plan.runs.filter((run) => found.runs.inResults.has(run)),
      results: facts.lines.flatMap(({ line, id }) => (lines.has(line) ? id : [])),
      raw_output: plan.runs.filter((run) => found.runs.inState.has(run)),
      sweeps: plan.sweeps,
      snapshots: plan.snapshots,
      handovers: plan.sweepEnvs,
      temporaries: found.temporaries,
    },
    kept: {
      runs: [...found.runs.inResults].filter((run) => !runs.has(run)).length,
      sweeps: facts.sweeps.length - plan.sweeps.length,
      snapshots: facts.snapshots.length - plan.snapshots.length,
      open_sweeps: ofState('open'),
      broken_sweeps: ofState('broken'),
      reused_runs: plan.reused,
      strangers: found.unknownPaths,
    },
    sizes,
    bytes: Object.values(sizes).reduce((sum, one) => sum + one, 0),
  };
}
