import { existsSync } from 'node:fs';
import { linesOf, writeFileAtomic } from '#host';
import { isJsonObject, parseJson } from '#lib';
import { resultsLog, summaryFile } from '../results-folder.js';
import { endedObject, resultsObject, summaryObject } from './names.js';
import type { SharedProject } from './shared-project.js';
import { withRelativeFolders } from './summary.js';

/** Ends a round of a sweep whose results are all in the mirror. If it has ended already, that stays as it is. */
export async function endSharedRound(
  project: SharedProject,
  sweep: string,
  round: number,
  summary: string,
): Promise<void> {
  const { store, resultsPath } = project;
  const shared = withRelativeFolders(summary, resultsPath);
  await store.putOnce(resultsObject(sweep, round), linesOfSweep(resultsLog(resultsPath), sweep).join(''));
  await store.put(summaryObject(sweep), shared);
  await store.putOnce(endedObject(sweep, round), shared);
  await writeFileAtomic(summaryFile(resultsPath, sweep), summary);
}

function linesOfSweep(log: string, sweep: string): string[] {
  const found: string[] = [];
  if (!existsSync(log)) return found;
  for (const { text } of linesOf(log, Infinity)) {
    const line = parseJson(text);
    if (isJsonObject(line) && line['sweep'] === sweep) found.push(`${text}\n`);
  }
  return found;
}
