import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceChanges } from '#environments';
import { readInside } from '#host';
import { type DiffedLine, diffLines } from '#lib';
import { RunRecord, type WorkspaceChange } from '#model';
import { EffectiveScenario } from '#scenario';
import { fixtureFolder, readResultsFile, runFiles, scenarioFile } from '#store';
import type { ChangesAnswer, DiffLine, FileChange } from '../protocol.js';
import { findRun, type RunSource } from './runs.js';

/** Larger files are named, but not compared line by line. */
const MAX_BYTES = 256 * 1024;
const MAX_DIFFERENCES = 2000;
/** Lines that are shown around a difference. */
const AROUND = 3;

const nothing = (missing: string): ChangesAnswer => ({ files: [], more: 0, missing });

/** Compares the workspace that a run has kept with its fixture. @throws UsageError if there is no such run */
export async function changesOf(source: RunSource, id: string): Promise<ChangesAnswer> {
  const place = await findRun(source, id);
  if ('open' in place) return nothing('the run is not over');
  return changesInFolder(source.resultsPath, place.folder);
}

/** The same for the folder of a run that is over. */
export async function changesInFolder(resultsPath: string, folder: string): Promise<ChangesAnswer> {
  const { run: record, fixture: kept } = runFiles(folder);
  const run = readResultsFile(record, RunRecord);
  if (!existsSync(kept)) return nothing('the workspace was not kept');
  const file = scenarioFile(resultsPath, run.scenario.hash);
  if (!existsSync(file)) return nothing('the scenario is no longer stored');
  const { fixture: hash, scenario } = readResultsFile(file, EffectiveScenario);
  const fixture = fixtureFolder(resultsPath, hash);
  if (!existsSync(fixture)) return nothing('the fixture is no longer stored');
  const { files } = scenario.inputs;
  const { changed, more } = await workspaceChanges(kept, fixture, files);
  const changes: FileChange[] = [];
  for (const change of changed) changes.push(await compared(change, { kept, fixture, files }));
  return { files: changes, more, missing: null };
}

interface Sides {
  kept: string;
  fixture: string;
  files: Record<string, string>;
}

async function compared({ path, change, bytes }: WorkspaceChange, sides: Sides): Promise<FileChange> {
  const unseen = (note: string): FileChange => ({ path, change, bytes, lines: null, note });
  const before = change === 'added' ? '' : await beginning(path, sides);
  const after = change === 'removed' ? '' : await textOf(sides.kept, path);
  if (before === null || after === null) return unseen('not text, or larger than 256 KiB');
  const lines = diffLines(linesOf(before), linesOf(after), MAX_DIFFERENCES);
  return lines === null
    ? unseen(`more than ${MAX_DIFFERENCES} lines differ`)
    : { path, change, bytes, lines: withGaps(lines), note: null };
}

const linesOf = (text: string): string[] => (text === '' ? [] : text.replace(/\n$/, '').split('\n'));

/** The text of a file at the beginning of the run: `setup.files`, over initial-state/, over the fixture. */
async function beginning(path: string, { fixture, files }: Sides): Promise<string | null> {
  if (Object.hasOwn(files, path)) return files[path] ?? '';
  const initial = join(fixture, 'initial-state');
  return textOf(existsSync(join(initial, path)) ? initial : fixture, path);
}

/**
 * Returns null if it is not a text file of a size that can be shown. Follows no symlink that leads out of the folder.
 */
async function textOf(root: string, path: string): Promise<string | null> {
  try {
    const bytes = await readInside(root, path, MAX_BYTES);
    if (bytes === null) return null;
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return text.includes('\0') ? null : text;
  } catch {
    return null;
  }
}

/** Leaves out lines that are far from any difference. */
function withGaps(lines: readonly DiffedLine[]): DiffLine[] {
  const near = new Set<number>();
  for (const [at, { kind }] of lines.entries())
    if (kind !== 'same') for (let by = -AROUND; by <= AROUND; by++) near.add(at + by);
  const shown: DiffLine[] = [];
  for (const [at, line] of lines.entries()) {
    const last = shown.at(-1);
    if (near.has(at)) shown.push(line);
    else if (last?.kind === 'gap') last.lines += 1;
    else shown.push({ kind: 'gap', lines: 1 });
  }
  return shown;
}
