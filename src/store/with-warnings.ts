import { readFileSync, statSync } from 'node:fs';
import { isJsonObject, parseJson } from '../lib/json.js';
import { mixedBuilds, type BuildUsed } from '../results/mixed-builds.js';
import type { SweepCell, SweepDocument } from '../results/records/sweep-document.js';
import { runFiles } from './results-folder.js';

/** A sweep's document with what its runs say of it as a whole. */
export function withWarnings(document: SweepDocument): SweepDocument {
  const warnings = mixedBuilds(document.cells.flatMap(buildUsed));
  return warnings.length === 0 ? document : { ...document, warnings };
}

/** Not checked by a schema: there may be thousands, and a broken one is told by who reads it. */
function buildUsed(cell: SweepCell): BuildUsed[] {
  if (cell.results_dir === null) return [];
  const record = parseJson(readRecord(runFiles(cell.results_dir).run));
  const target = isJsonObject(record) ? record['target'] : undefined;
  const fingerprint = isJsonObject(target) ? target['fingerprint'] : undefined;
  return typeof fingerprint === 'string' ? [{ cell, fingerprint }] : [];
}

/** Empty where it cannot be read. What is no regular file is not opened: a FIFO would be waited for. */
function readRecord(file: string): string {
  try {
    return statSync(file).isFile() ? readFileSync(file, 'utf8') : '';
  } catch {
    return '';
  }
}
