import type { ResultLine } from '../../results/schema.js';
import { resultsLog } from '../../store/results-folder.js';
import { readResults, type CorruptLine } from '../../store/results-log.js';
import { say } from '../output.js';

/** All lines of results.jsonl; those that cannot be read are warned of. */
export function readLog(resultsPath: string): ResultLine[] {
  const log = resultsLog(resultsPath);
  const { results, corrupt } = readResults(log);
  for (const line of corrupt) warnOfLine(log, line);
  return results;
}

export const warnOfLine = (log: string, { line, reason }: CorruptLine): void =>
  say(`warning: ${log}:${line}: this line is passed over: ${reason}`);
