import { extname, resolve } from 'node:path';
import { ownCommand } from '#host';
import { counted, UsageError } from '#lib';
import { checkWritable, isFile, loadText, openProject } from '#planning';
import { importInspectLogs, isInspectJson } from '#sweeps';
import { printJson, printNotice } from './shared/output.js';

/** True for a log of Inspect: `.eval`, or its form in JSON. */
export function isInspectLog(path: string): boolean {
  const extension = extname(path).toLowerCase();
  if (extension !== '.json' || !isFile(path)) return extension === '.eval';
  const loaded = loadText(path);
  return loaded.ok && isInspectJson(loaded.text);
}

/** Makes a sweep of logs of Inspect. @throws UsageError if one cannot be read; nothing is imported then */
export async function importInspect(
  paths: readonly string[],
  { results, skill, out, json }: { results?: string; skill?: string; out?: string; json: boolean },
): Promise<number> {
  if (skill !== undefined || out !== undefined)
    throw new UsageError('usage', '--skill and --out are for scenarios; logs of Inspect go to the results folder');
  const { resultsPath } = openProject(results);
  await checkWritable(resultsPath);
  const imported = await importInspectLogs(
    resultsPath,
    paths.map((path) => resolve(path)),
  );
  const { sweep, runs, isNew } = imported;
  if (json) printJson({ sweep, runs, new: isNew });
  else printNotice(`${isNew ? 'imported' : 'imported before:'} ${sweep} (${counted(runs, 'run')})`);
  if (!json) printNotice(`next: ${ownCommand(`show ${sweep}`)}`);
  return 0;
}
