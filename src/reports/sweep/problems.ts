import { dirname, join } from 'node:path';
import type { SweepCell } from '#decide';
import { groupBy, renderTable, terminalText, textWidth, truncate, wrap } from '#lib';
import { firstItems, type Part } from '../blocks/screen.js';
import { colors, mark, pathText, type TextOptions } from '../blocks/terminal.js';

/** Cells that did not pass come first. */
const ORDER: readonly SweepCell['outcome'][] = ['fail', 'error', 'cancelled', null, 'pass'];
export const failuresFirst = (cells: readonly SweepCell[]): SweepCell[] =>
  [...cells].sort((a, b) => ORDER.indexOf(a.outcome) - ORDER.indexOf(b.outcome));

/**
 * Cells with the same reason (a missing key, for example) share its line. If there is no room for the paths of their
 * reports, a cell has one line, and of each reason one cell is shown before there are two of another.
 */
export function problemsPart(
  cells: readonly SweepCell[],
  label: (cell: SweepCell) => string,
  options: TextOptions,
): Part {
  const { width } = options;
  const without = cells.filter(({ outcome }) => outcome !== null && outcome !== 'pass');
  const groups = groupBy(failuresFirst(without), ({ outcome, message }) => JSON.stringify([outcome, message]));
  const full = groups.flatMap((group) => [
    '',
    ...reasonOf(group[0], width),
    ...reports(
      group.map((cell) => [label(cell), reportOf(cell, options)]),
      options,
    ),
  ]);
  const short = (): { rank: number; lines: string[] }[] =>
    groups.flatMap((group) =>
      group.map((cell, rank) => {
        const mention = group.length === 1 ? `${label(cell)}  ` : `${group.length} cells: `;
        const reason = `${mark(cell.outcome)}  ${mention}${terminalText(cell.message ?? '')}`;
        const lines = [...(rank === 0 ? [reason] : []), ...(group.length === 1 ? [] : [`  ${label(cell)}`])];
        return { rank, lines };
      }),
    );
  return {
    items: ['cell that did not pass', 'cells that did not pass'],
    importance: 5,
    least: 8,
    render(room) {
      if (full.length <= room) return { lines: full, leftOut: 0 };
      const items = short();
      const { lines, leftOut } = firstItems(
        [''],
        items.map(({ lines }) => lines),
        room,
        (index) => items[index]?.rank ?? 0,
      );
      return { lines: lines.map((line) => truncate(line, width)), leftOut };
    },
  };
}

function reasonOf(cell: SweepCell | undefined, width: number): string[] {
  if (cell === undefined) return [];
  const start = `${mark(cell.outcome)}  `;
  const line = `${start}${terminalText(cell.message ?? '')}`;
  if (textWidth(line, width) <= width) return [line];
  const [first = '', ...others] = wrap(cell.message ?? '', width - textWidth(start));
  return [`${start}${first}`, ...others.map((more) => ' '.repeat(textWidth(start)) + more)];
}

/**
 * Lists labels and paths of reports: in a table or, if it is too wide for the terminal, each path on a line of its own,
 * and as the run's folder if that is still too wide.
 */
function reports(rows: [label: string, path: string][], { width }: TextOptions): string[] {
  const table = renderTable(
    rows.map(([label, path]) => [label, colors.dim(path)]),
    { indent: '  ' },
  );
  if (table.every((line) => textWidth(line, width) <= width)) return table;
  return rows.flatMap(([label, path]) => {
    const shown = textWidth(path) + 4 <= width ? path : dirname(path);
    return [`  ${label}`, ...(path === '' ? [] : [`    ${colors.dim(shown)}`])];
  });
}

export function reportOf(cell: SweepCell, options: TextOptions): string {
  return cell.results_dir === null ? '' : pathText(join(cell.results_dir, 'report.md'), options);
}
