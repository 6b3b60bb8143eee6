import { paidCost, type SweepCell, testedOf, totalsOf, unfinishedCells } from '#decide';
import { mean } from '#lib';
import { type Outcome, scoreText } from '#model';
import { paidText } from '../blocks/terminal.js';

/** A row or column. */
export interface MatrixLine {
  heading: [string, string];
  cells: SweepCell[];
}

/** Rows are scenarios (and variants, if there are several); columns are agents and models. */
export interface Matrix {
  rows: MatrixLine[];
  columns: MatrixLine[];
}

/** True if the cells are of different variants. */
export const hasVariants = (cells: readonly SweepCell[]): boolean =>
  new Set(cells.map(({ variant }) => variant)).size > 1;

/** Groups cells for a matrix. Rows and columns are in the order of their first cells. */
export function toMatrix(cells: readonly SweepCell[]): Matrix {
  return {
    rows: group(cells, ({ scenario, variant }) => [scenario, variant]),
    columns: group(cells, ({ agent, model }) => [agent, model]),
  };
}

function group(cells: readonly SweepCell[], headingOf: (cell: SweepCell) => [string, string]): MatrixLine[] {
  const lines = new Map<string, MatrixLine>();
  for (const cell of cells) {
    const heading = headingOf(cell);
    const key = JSON.stringify(heading);
    const line = lines.get(key);
    if (line === undefined) lines.set(key, { heading, cells: [cell] });
    else line.cells.push(cell);
  }
  return [...lines.values()];
}

/** Returns the cells of a row that are also in a column. */
export const entryCells = (row: MatrixLine, { heading: [agent, model] }: MatrixLine): SweepCell[] =>
  row.cells.filter((cell) => cell.agent === agent && cell.model === model);

/** Counts cells by outcome. Only those that passed or failed are `tested`. */
export function outcomeCounts(cells: readonly SweepCell[]) {
  const totals = totalsOf(cells);
  return { ...totals, ...testedOf(totals), waiting: unfinishedCells(totals) };
}

/** Returns the common outcome of some repetitions; null if there are none, or none has run yet. */
export function outcomeOf(cells: readonly SweepCell[]): Outcome | null {
  const { passed, tested } = outcomeCounts(cells);
  if (tested > 0) return passed === tested ? 'pass' : 'fail';
  const [first = null, ...others] = new Set(cells.map(({ outcome }) => outcome));
  return others.length === 0 ? first : 'error';
}

/**
 * Formats repetitions: "pass" for one, "1/3" for several, "1/2, 1 error" if some have not run or ended with an error.
 */
export function entryText(cells: readonly SweepCell[]): string {
  const { passed, tested, errored, cancelled, waiting } = outcomeCounts(cells);
  const [first] = cells;
  const word = first?.outcome ?? 'waiting';
  if (cells.length === 1) return word;
  if (tested === 0 && cells.every(({ outcome }) => outcome === first?.outcome)) return `${word} ×${cells.length}`;
  const besides: [number, string][] = [
    [errored, 'error'],
    [cancelled, 'cancelled'],
    [waiting, 'waiting'],
  ];
  const parts = besides.filter(([count]) => count > 0).map(([count, what]) => `, ${count} ${what}`);
  return `${passed}/${tested}${parts.join('')}`;
}

/** Returns the mean of the repetitions' scores (composite, else of the judge); null if none has a score. */
export const meanScore = (cells: readonly SweepCell[]): number | null =>
  mean(cells.map((cell) => cell.composite_score ?? cell.judge_score));

/** Returns the rows below the matrix, which sum up each column. */
export function summaries(columns: readonly MatrixLine[]): { label: string; values: string[] }[] {
  const scored = (of: (cell: SweepCell) => number | null, label: string) =>
    columns.some(({ cells }) => cells.some((cell) => of(cell) !== null))
      ? [{ label, values: columns.map(({ cells }) => scoreText(mean(cells.map(of)))) }]
      : [];
  const costKnown = columns.some(({ cells }) => paidCost(cells).usd !== null);
  return [
    { label: 'pass rate', values: columns.map(({ cells }) => passRate(outcomeCounts(cells))) },
    ...scored(({ judge_score: judge }) => judge, 'judge'),
    ...scored(({ human }) => human?.score ?? null, 'human'),
    ...scored(({ composite_score: composite }) => composite, 'score'),
    ...(costKnown ? [{ label: 'cost', values: columns.map(({ cells }) => paidText(paidCost(cells))) }] : []),
  ];
}

/** Formats a rate in percent. It is rounded, but 0% and 100% are shown only if they are exact. */
function passRate({ passed, tested }: { passed: number; tested: number }): string {
  if (tested === 0) return 'n/a';
  const rounded = Math.round((100 * passed) / tested);
  return `${passed === 0 || passed === tested ? rounded : Math.min(99, Math.max(1, rounded))}%`;
}
