import type { SweepInputs } from './changes.js';
import { jsonDifferences } from './json-differences.js';
import type { SweepResults } from './samples.js';

type Sweep = SweepResults & Pick<SweepInputs, 'prices'>;

/** What makes the numbers of two sweeps less than they seem, in sentences. */
export const doubtsOf = (base: Sweep, head: Sweep): string[] => [
  ...sweepDoubts('base', base),
  ...sweepDoubts('head', head),
  ...(jsonDifferences(base.prices, head.prices).length === 0
    ? []
    : ['the prices of the config are not the same: costs that were computed by them cannot be compared']),
];

function sweepDoubts(name: string, { status, cells, lines }: Sweep): string[] {
  const again = failedBefore(lines);
  const finished = new Set(lines.map(({ cell }) => cell));
  const waiting = cells.filter(({ id }) => !finished.has(id)).length;
  return [
    ...(status === 'open' ? [`${name} has not ended: ${count(waiting, 'cell')} without a result yet`] : []),
    ...(again === 0
      ? []
      : [
          `${name}: ${count(again, 'cell')} had failed and ran again (retry --failed); only the last result counts, which flatters it`,
        ]),
  ];
}

/** How many cells have a run that failed before the one that counts. */
function failedBefore(lines: SweepResults['lines']): number {
  const last = new Map(lines.map((line) => [line.cell, line.id]));
  const failed = lines.filter(({ cell, id, outcome }) => outcome === 'fail' && last.get(cell) !== id);
  return new Set(failed.map(({ cell }) => cell)).size;
}

const count = (number: number, what: string): string => `${number} ${what}${number === 1 ? '' : 's'}`;
