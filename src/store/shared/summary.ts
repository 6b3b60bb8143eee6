import { isAbsolute, join, relative } from 'node:path';
import { isJsonObject, type Json, parseJson } from '#lib';

/** Returns a sweep's summary with the folders of its runs relative to the results folder. */
export const withRelativeFolders = (summary: string, resultsPath: string): string =>
  withFolders(summary, (folder) => (isAbsolute(folder) ? relative(resultsPath, folder) : folder));

/** The reverse, for the results folder of this machine. */
export const withFoldersOf = (summary: string, resultsPath: string): string =>
  withFolders(summary, (folder) => join(resultsPath, folder));

function withFolders(summary: string, change: (folder: string) => string): string {
  const document = parseJson(summary);
  const cells = isJsonObject(document) ? document['cells'] : undefined;
  if (!isJsonObject(document) || !Array.isArray(cells)) return summary;
  const changed = cells.map((cell: Json) => {
    const folder = isJsonObject(cell) ? cell['results_dir'] : null;
    return isJsonObject(cell) && typeof folder === 'string' ? { ...cell, results_dir: change(folder) } : cell;
  });
  return `${JSON.stringify({ ...document, cells: changed }, null, 2)}\n`;
}
