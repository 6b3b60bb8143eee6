import type { Cell } from '#model';
import { cellsOfPair, pairedCells } from './paired-cells.js';
import type { CellResult } from './cell-result.js';
import { replayRounds } from './replay-rounds.js';
import type { UntilClear } from './until-clear.js';

/** Whether the largest possible difference would be noticed before all runs of the plan are used up. */
export const canDecide = (cells: readonly Cell[], plan: UntilClear): boolean =>
  [true, false].some(
    (headPasses) => replayRounds(cells, plan, extreme(cells, plan, headPasses)).stopped === 'clear',
  );

function extreme(cells: readonly Cell[], plan: UntilClear, headPasses: boolean): Map<string, CellResult> {
  const pairs = pairedCells(cells, plan).flatMap((configuration) => configuration.pairs);
  return new Map(
    pairs.flatMap((pair) =>
      cellsOfPair(pair).map((cell): [string, CellResult] => [
        cell.id,
        { outcome: (cell === pair.head) === headPasses ? 'pass' : 'fail', cost_usd: null, errors: 0 },
      ]),
    ),
  );
}
