import { readFileSync, statSync } from 'node:fs';
import { isJsonObject, parseJson } from '../lib/json.js';
import { mixedBuilds, type BuildUsed } from '../results/mixed-builds.js';
import type { SweepCell, SweepDocument } from '../results/records/sweep-document.js';
import { runFiles } from './results-folder.js';

/** Adds warnings to a sweep's document that concern its runs as a whole: runs with different builds of the target. */
export function withWarnings(document: SweepDocument): SweepDocument {
  const warnings = mixedBuilds(document.cells.flatMap(buildUsed));
  return warnings.length === 0 ? document : { ...document, warnings };
}

/**
 * Not validated with a schema: there may be thousands of records, and damaged ones are reported when they are shown.
 */
function buildUsed(cell: SweepCell): BuildUsed[] {
  if (cell.results_dir === null) return [];
  const record = parseJson(readRecord(runFiles(cell.results_dir).run));
  const target = isJsonObject(record) ? record['target'] : undefined;
  const fingerprint = isJsonObject(target) ? target['fingerprint'] : undefined;
  return typeof fingerprint === 'string' ? [{ cell, fingerprint }] : [];
}

/** Returns an empty text if the file cannot be read. Opens only regular files, because opening a FIFO would block. */
function readRecord(file: string): string {
  try {
    return statSync(file).isFile() ? readFileSync(file, 'utf8') : '';
  } catch {
    return '';
  }
}
