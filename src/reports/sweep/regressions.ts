import type { SweepCell } from '#decide';
import { isBeyondChance, type Regression } from '#model';

/** The name of regressions in reports. They compare single numbers of runs, so this is not a verdict. */
export const REGRESSIONS = 'Worse than in earlier runs';

/** The same of a single run, which can differ by chance. */
export const REGRESSIONS_OF_RUN = `${REGRESSIONS}, perhaps by chance`;

/** The same regression in one or more cells of a configuration. */
export interface RegressionGroup {
  cells: readonly SweepCell[];
  /** The message of the first cell. Scores and costs differ from cell to cell. */
  message: string;
  /** Number of cells of the configuration, if there are several: "2 of 6 runs". */
  share: string | null;
}

/**
 * Returns the regressions of a sweep that are more than chance, each once per configuration, the most frequent first.
 * One failure of a run that passed before says nothing: of 20 cells that pass 90 % of their runs, one would be listed
 * in most sweeps.
 */
export function groupRegressions(cells: readonly SweepCell[]): RegressionGroup[] {
  const groups = new Map<string, { cells: SweepCell[]; message: string; earlier: number }>();
  const configurations = new Set(cells.map((cell) => JSON.stringify(configurationOf(cell)))).size;
  for (const cell of cells) {
    if (cell.cached) continue;
    for (const regression of cell.regressions) {
      const key = JSON.stringify([...configurationOf(cell), ...sameAs(regression)]);
      const group = groups.get(key) ?? {
        cells: [],
        message: regression.message,
        earlier: regression.runs ?? 1,
      };
      group.cells.push(cell);
      groups.set(key, group);
    }
  }
  return [...groups.values()]
    .sort((a, b) => b.cells.length - a.cells.length)
    .flatMap(({ earlier, ...group }) => {
      const [first] = group.cells;
      const all = cells.filter((cell) => first !== undefined && isOfSame(cell, first));
      const worse = group.cells.length;
      if (!isBeyondChance({ worse, runs: all.length, earlier, configurations })) return [];
      return { ...group, share: all.length < 2 ? null : `${group.cells.length} of ${all.length} runs` };
    });
}

const configurationOf = ({ scenario, variant, agent, model }: SweepCell): string[] => [
  ...[scenario, variant],
  ...[agent, model],
];

const isOfSame = (a: SweepCell, b: SweepCell): boolean =>
  JSON.stringify(configurationOf(a)) === JSON.stringify(configurationOf(b));

/** The properties that a regression shares with the same one in another cell. */
const sameAs = ({ kind, message }: Regression): string[] => (kind === 'gate' ? [kind, message] : [kind]);
