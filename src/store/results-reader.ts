import { existsSync } from 'node:fs';
import { linesOf } from '../platform/lines.js';
import type { ResultLine } from '../results/schema.js';
import { readLine } from './results-log.js';

/** Reads a results log again and again, each time only what is new. */
export interface ResultsReader {
  read(): ResultLine[];
}

export function createResultsReader(path: string): ResultsReader {
  let offset = 0;
  return {
    read() {
      const lines: ResultLine[] = [];
      for (const { text, end, whole } of existsSync(path) ? linesOf(path, Infinity, offset) : []) {
        if (!whole) break;
        offset = end;
        const read = readLine(text);
        if (typeof read !== 'string') lines.push(read);
      }
      return lines;
    },
  };
}
