import { resolve } from 'node:path';
import { defined } from '#lib';
import { findPlan, sweepDocument, comparisonOf } from '#sweeps';
import type { SweepDocument, Comparison } from './documents.js';
import { textOf, withResultsErrors } from './errors.js';

/** The options for reading results. */
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

/** A sweep: its id, a unique prefix of it, `latest`, or its document. */
export type SweepReference = string | { sweep: string };

export interface CompareOptions extends ReadOptions {
  /** The results folder, which contains both sweeps. */
  results: string;
  /** The variant of `before` and the variant of `after` to compare. Default: each variant with itself. */
  variants?: readonly [before: string, after: string];
  /** The largest accepted loss of the pass rate, as a share: whether `after` is shown to be not worse by that much. */
  margin?: number;
  /** Level of significance. Default: 0.05. */
  alpha?: number;
}

/**
 * Compares two sweeps: the document that `compare <before> <after> --json` prints. Whether `after` is worse is in
 * `gate`.
 *
 * @throws ResultsError if there are no such sweeps or variants, or their files cannot be read
 */
export const compareSweeps = (
  before: SweepReference,
  after: SweepReference,
  { results, variants, onWarning = () => undefined, margin, alpha }: CompareOptions,
): Promise<Comparison> =>
  withResultsErrors(() =>
    comparisonOf(resolve(textOf('results', results)), idOf('before', before), idOf('after', after), {
      ...defined({ margin, alpha }),
      variants: variants ?? [],
      warn: onWarning,
    }),
  );

const idOf = (name: string, sweep: SweepReference | null | undefined): string =>
  textOf(name, typeof sweep === 'object' ? sweep?.sweep : sweep);
