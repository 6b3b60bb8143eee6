import type { Cell } from '#model';
import type { CellResult } from './cell-result.js';
import { isBaseRun, type CellPair, type PairedConfiguration } from './paired-cells.js';
import type { UntilClear } from './until-clear.js';

/** The largest difference between shares of errors that is called alike. */
const ALIKE = 0.1;

interface Errors {
  ended: number;
  /** Cells of which a run has ended with an error. */
  errored: number;
}

/** What makes the verdict of a sweep less reliable. `released`: its cells that were needed. */
export const decisionDoubts = (
  { base }: Pick<UntilClear, 'base'>,
  configurations: readonly PairedConfiguration[],
  {
    released,
    results,
    leftOut,
  }: {
    released: readonly Cell[];
    results: ReadonlyMap<string, CellResult>;
    leftOut: number;
  },
): string[] => [
  ...(base.kind === 'variant'
    ? []
    : [
        `${base.sweep} ran earlier: whatever has changed since, such as the model behind its name, counts as a difference`,
      ]),
  ...(leftOut === 0
    ? []
    : [
        `${leftOut} ${leftOut === 1 ? 'pair of runs was' : 'pairs of runs were'} left out: a run neither passed nor failed`,
      ]),
  ...errorDoubt(configurations, released, results),
];

/** If errors depend on how a run goes, the runs that replace those with errors are no fair sample. */
function errorDoubt(
  configurations: readonly PairedConfiguration[],
  released: readonly Cell[],
  results: ReadonlyMap<string, CellResult>,
): string[] {
  const needed = new Set(released.map(({ id }) => id));
  const pairs = configurations.flatMap((one) => one.pairs.filter(({ head }) => needed.has(head.id)));
  const of = (side: keyof CellPair): Errors => {
    const ended = pairs.flatMap((pair) => hasErrors(pair[side], results) ?? []);
    return { ended: ended.length, errored: ended.filter((errors) => errors).length };
  };
  const [ofBase, ofHead] = [of('base'), of('head')];
  if (ofBase.errored + ofHead.errored === 0) return [];
  const share = ({ ended, errored }: Errors): number => (ended === 0 ? 0 : errored / ended);
  const differ = Math.abs(share(ofHead) - share(ofBase)) > ALIKE;
  return [
    `${differ ? 'error rates differ: ' : ''}${ofHead.errored} of ${ofHead.ended} cells of the new side, ${ofBase.errored} of ${ofBase.ended} of the base had a run that ended with an error; a verdict is given only if it holds however these runs would have ended`,
  ];
}

/** Returns whether a run of a cell ended with an error; null if none has ended. */
function hasErrors(run: CellPair['base'], results: ReadonlyMap<string, CellResult>): boolean | null {
  if (isBaseRun(run)) return run.outcome === null || run.after_errors;
  const result = results.get(run.id);
  return result === undefined ? null : result.errors > 0;
}
