import type { Cell } from '../records/cell.js';
import type { CellResult } from './cell-result.js';
import type { PairedConfiguration } from './paired-cells.js';
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
  ...errorDoubt(base, configurations, released, results),
];

/** If errors depend on how a run goes, the runs that replace those with errors are no fair sample. */
function errorDoubt(
  base: UntilClear['base'],
  configurations: readonly PairedConfiguration[],
  released: readonly Cell[],
  results: ReadonlyMap<string, CellResult>,
): string[] {
  const heads = new Set(configurations.flatMap(({ pairs }) => pairs.map(({ head }) => head.id)));
  const of = (isWanted: (cell: Cell) => boolean): Errors => {
    const ended = released.filter(isWanted).flatMap(({ id }) => results.get(id) ?? []);
    return { ended: ended.length, errored: ended.filter(({ errors }) => errors > 0).length };
  };
  const [ofBase, ofHead] = [of(({ id }) => !heads.has(id)), of(({ id }) => heads.has(id))];
  if (ofBase.errored + ofHead.errored === 0) return [];
  const share = ({ ended, errored }: Errors): number => (ended === 0 ? 0 : errored / ended);
  const head = `${ofHead.errored} of ${ofHead.ended} cells of the new side`;
  const sides = base.kind === 'sweep' ? head : `${head}, ${ofBase.errored} of ${ofBase.ended} of the base`;
  const differ = base.kind === 'variant' && Math.abs(share(ofHead) - share(ofBase)) > ALIKE;
  return [
    `${differ ? 'error rates differ: ' : ''}${sides} had a run that ended with an error; a verdict is given only if it does not depend on how these runs would have ended, as far as one side has more of them`,
  ];
}
