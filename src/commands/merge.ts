import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { displayPath } from '#host';
import { counted, UsageError } from '#lib';
import { checkWritable, openProject } from '#planning';
import { mergeResults, resultsLog, sweepsFolder } from '#store';
import { printJson, printNotice } from './shared/output.js';

/**
 * `merge`: copies the sweeps of other results folders, with their runs, into this one. What is there already is left as
 * it is. Checks all folders before anything is copied.
 */
export async function merge(
  folders: readonly string[],
  { results, json }: { results?: string; json: boolean },
): Promise<number> {
  const { resultsPath } = openProject(results);
  for (const folder of folders) {
    if (resolve(folder) === resultsPath)
      throw new UsageError('usage', `${displayPath(resultsPath)} is the results folder itself; name others`);
    if (!existsSync(resultsLog(folder)) && !existsSync(sweepsFolder(folder)))
      throw new UsageError('not_a_folder', `${folder} is no results folder: it has neither results.jsonl nor sweeps/`);
  }
  await checkWritable(resultsPath);
  await mkdir(resultsPath, { recursive: true });
  const merged = [];
  for (const folder of folders) {
    const { corrupt, ...copied } = await mergeResults(resultsPath, resolve(folder));
    for (const { line, reason } of corrupt)
      printNotice(`${displayPath(resultsLog(folder))}:${line} is not copied: ${reason}`);
    merged.push({ folder: resolve(folder), ...copied });
    if (!json)
      printNotice(
        `merged  ${displayPath(resolve(folder))}: ${counted(copied.sweeps, 'sweep')}, ${counted(copied.runs, 'run')}`,
      );
  }
  if (json) printJson({ results_path: resultsPath, merged });
  return 0;
}
