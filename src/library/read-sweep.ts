import { resolve } from 'node:path';
import { findPlan, sweepDocument } from '#sweeps';
import type { SweepDocument } from './documents.js';
import { textOf, withResultsErrors } from './results-error.js';

/** How to read results. */
export interface ReadOptions {
  /** Called with a warning about each part of the results that cannot be read and is left out. Default: ignored. */
  onWarning?: (text: string) => void;
}

/**
 * Reads a sweep: the document that `show <sweep> --json` prints.
 *
 * @param results the results folder
 * @param sweep its id, a unique prefix of it, or `latest`
 * @throws ResultsError if there is no such sweep, or its files cannot be read
 */
export const readSweep = (
  results: string,
  sweep: string = 'latest',
  { onWarning = () => undefined }: ReadOptions = {},
): Promise<SweepDocument> =>
  withResultsErrors(() => {
    const folder = resolve(textOf('results', results));
    return sweepDocument(folder, findPlan(folder, textOf('sweep', sweep)), onWarning);
  });
