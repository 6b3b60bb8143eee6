import type { ResultLine } from '../../results/records/result-line.js';
import { resultsLog } from '../../store/results-folder.js';
import { readResults, type CorruptLine } from '../../store/results-log.js';

/** Reads all lines of results.jsonl. Warns about each line that cannot be read. */
export function readLog(resultsPath: string, warn: (text: string) => void): ResultLine[] {
  const log = resultsLog(resultsPath);
  const { results, corrupt } = readResults(log);
  for (const line of corrupt) warn(corruptLine(log, line));
  return results;
}

export const corruptLine = (log: string, { line, reason }: CorruptLine): string =>
  `warning: ${log}:${line}: skipped this line: ${reason}`;
