import type { Regression } from '../results/regressions.js';
import type { SweepCell } from '../results/records/sweep-document.js';

/** The name of regressions in reports. A few runs can differ by chance, so this is not a verdict. */
export const REGRESSIONS = 'Worse than in earlier runs, perhaps by chance';

/** The same regression in one or more cells of a configuration. */
export interface RegressionGroup {
  cells: readonly SweepCell[];
  /** The message of the first cell. Scores and costs differ from cell to cell. */
  message: string;
  /** Number of cells of the configuration, if there are several: "2 of 6 runs". */
  share: string | null;
}

/** Returns the regressions of a sweep, each once per configuration, the most frequent first. */
export function groupRegressions(cells: readonly SweepCell[]): RegressionGroup[] {
  const groups = new Map<string, { cells: SweepCell[]; message: string }>();
  for (const cell of cells) {
    if (cell.cached) continue;
    for (const regression of cell.regressions) {
      const key = JSON.stringify([...configurationOf(cell), ...sameAs(regression)]);
      const group = groups.get(key) ?? { cells: [], message: regression.message };
      group.cells.push(cell);
      groups.set(key, group);
    }
  }
  return [...groups.values()]
    .sort((a, b) => b.cells.length - a.cells.length)
    .map((group) => {
      const [first] = group.cells;
      const all = cells.filter((cell) => first !== undefined && isOfSame(cell, first));
      return { ...group, share: all.length < 2 ? null : `${group.cells.length} of ${all.length} runs` };
    });
}

const configurationOf = ({ scenario, variant, agent, model }: SweepCell): string[] => [
  ...[scenario, variant],
  ...[agent, model],
];

const isOfSame = (a: SweepCell, b: SweepCell): boolean =>
  JSON.stringify(configurationOf(a)) === JSON.stringify(configurationOf(b));

/** What a regression has in common with the same one in another cell. */
const sameAs = ({ kind, message }: Regression): string[] => (kind === 'gate' ? [kind, message] : [kind]);
