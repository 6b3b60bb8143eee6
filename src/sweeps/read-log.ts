import type { ResultDigest, ResultLine } from '#model';
import { type CorruptLine, readResults, resultsIndex, resultsLog } from '#store';

/** Reads all lines of results.jsonl. Warns about each line that cannot be read. */
export function readLog(resultsPath: string, warn: (text: string) => void): ResultLine[] {
  const log = resultsLog(resultsPath);
  const { results, corrupt } = readResults(log);
  for (const line of corrupt) warn(corruptLine(log, line));
  return results;
}

/** Like `readLog`, for what needs no more than digests: it is much faster for thousands of results. */
export function readDigestedLog(resultsPath: string, warn: (text: string) => void): readonly ResultDigest[] {
  const { results, corrupt } = resultsIndex(resultsPath).digests();
  for (const line of corrupt) warn(corruptLine(resultsLog(resultsPath), line));
  return results;
}

export const corruptLine = (log: string, { line, reason }: CorruptLine): string =>
  `warning: ${log}:${line}: skipped this line: ${reason}`;
