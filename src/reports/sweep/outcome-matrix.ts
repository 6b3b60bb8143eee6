import type { SweepCell } from '#decide';
import { renderTable, terminalText, textWidth, truncate } from '#lib';
import { scoreText } from '#model';
import { colors, mark } from '../blocks/terminal.js';
import {
  outcomeCounts,
  entryCells,
  hasVariants,
  type MatrixLine,
  type Matrix,
  meanScore,
  summaries,
} from './matrix.js';

/**
 * Renders the matrix of outcomes. Each entry shows how many repetitions passed, of those that could be tested. Columns
 * that do not fit the terminal continue in another block below.
 */
export function renderMatrix({ rows, columns }: Matrix, width: number): string[] {
  const variants = hasVariants(rows.flatMap(({ cells }) => cells));
  const models = columns.some(({ heading }) => heading[1] !== 'default');
  const footer = summaries(columns);
  const labels = [
    ...['', ...(models ? [''] : [])],
    ...rows.map(({ heading: [scenario, variant] }) => terminalText(variants ? `${scenario} ${variant}` : scenario)),
    ...footer.map(({ label }) => colors.dim(label)),
    // A long name leaves room for the columns beside it.
  ].map((label) => truncate(label, Math.max(9, Math.floor(width * 0.4))));
  const texts = columns.map((column, at) => [
    colors.bold(terminalText(column.heading[0])),
    ...(models ? [colors.bold(terminalText(column.heading[1]))] : []),
    ...rows.map((row) => entry(entryCells(row, column))),
    ...footer.map(({ values }) => values[at] ?? ''),
  ]);
  const widest = (column: readonly string[]): number => Math.max(...column.map(textWidth));
  const blocks = intoBlocks(texts.map(widest), widest(labels), width);
  return [
    ...blocks.flatMap((block, at) => {
      const table = renderTable(
        labels.map((label, row) => [label, ...block.map((column) => texts[column]?.[row] ?? '')]),
        { width },
      );
      return at === 0 ? table : ['', ...table];
    }),
    ...legend(rows),
  ];
}

/** Distributes the columns over as few blocks as the width allows. Returns the column numbers of each block. */
function intoBlocks(widths: readonly number[], label: number, width: number): number[][] {
  const blocks: number[][] = [];
  let room = 0;
  for (const [at, columns] of widths.entries()) {
    const last = blocks.at(-1);
    if (last === undefined || room < columns + 2) {
      blocks.push([at]);
      room = width - label - 2 - columns;
    } else {
      last.push(at);
      room -= columns + 2;
    }
  }
  return blocks;
}

/** Formats repetitions: "✓ pass" for one, "✗ 1/3" for several, "✗ 1/2 !1 ·2" if some have not run or have an error. */
function entry(cells: readonly SweepCell[]): string {
  const [first] = cells;
  if (first === undefined) return '';
  const { passed, tested, errored, cancelled, waiting, cached } = outcomeCounts(cells);
  const alike = cells.every(({ outcome }) => outcome === first.outcome);
  if (tested === 0 && alike) {
    const word = mark(first.outcome);
    return cells.length === 1 ? word : `${word} ${colors.dim(`×${cells.length}`)}`;
  }
  const head = cells.length === 1 ? mark(first.outcome) : ratio(passed, tested);
  const score = meanScore(cells);
  return [
    head,
    ...(errored > 0 ? [colors.magenta(`!${errored}`)] : []),
    ...(cancelled > 0 ? [colors.yellow(`-${cancelled}`)] : []),
    ...(waiting > 0 ? [colors.dim(`·${waiting}`)] : []),
    ...(score === null ? [] : [colors.dim(scoreText(score))]),
    ...(cached === 0 ? [] : [colors.dim(cached === cells.length ? 'cached' : `${cached} cached`)]),
  ].join(' ');
}

function ratio(passed: number, tested: number): string {
  if (tested === 0) return colors.magenta('! 0/0');
  return passed === tested ? colors.green(`✓ ${passed}/${tested}`) : colors.red(`✗ ${passed}/${tested}`);
}

/** Explains the marks that occur and need an explanation. */
function legend(rows: readonly MatrixLine[]): string[] {
  const cells = rows.flatMap((row) => row.cells);
  const repeated = cells.some(({ repetition }) => repetition > 1);
  if (!repeated) return [];
  const { errored, cancelled, waiting } = outcomeCounts(cells);
  const parts: string[] = [
    'passed/tested',
    ...(errored > 0 ? ['! error'] : []),
    ...(cancelled > 0 ? ['- cancelled'] : []),
    ...(waiting > 0 ? ['· waiting'] : []),
  ];
  return ['', colors.dim(parts.join('  '))];
}
