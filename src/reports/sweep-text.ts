import { dirname, join } from 'node:path';
import pc from 'picocolors';
import { shortKnownCost } from '../lib/format/dollars.js';
import { formatDuration } from '../lib/format/duration.js';
import { renderTable, terminalText, textWidth } from '../lib/format/table.js';
import { scoreText } from '../results/score-text.js';
import { configurationLabel } from '../results/records/cell-label.js';
import type { SweepCell, SweepDocument } from '../results/records/sweep-document.js';
import { toMatrix } from './matrix.js';
import { renderMatrix } from './outcome-matrix.js';
import { cellNamer, totalsText } from './sweep-labels.js';
import { groupRegressions, REGRESSIONS, type RegressionGroup } from './regressions.js';
import { parameterTables } from './parameter-tables.js';
import { mark, pathText, type Colors, type TextOptions } from './terminal.js';

/** With so few cells, the report of each is listed. With more, only those of cells that did not pass are. */
const FEW = 5;
/** The reports have the others. */
const MOST_REGRESSIONS = 5;

/**
 * Renders the end of `run`: the outcomes, why cells did not pass, totals, and where to read more. The outcomes are a
 * matrix, or a row per cell if there are few cells or the matrix would have a single entry.
 */
export function renderSweep(document: SweepDocument, options: TextOptions): string {
  const colors = pc.createColors(options.color);
  const { cells } = document;
  const namesOf = cellNamer(cells);
  const name = (cell: SweepCell): string[] => namesOf(cell).map(terminalText);
  const matrix = toMatrix(cells);
  const [down, across] = [matrix.rows.length, matrix.columns.length];
  const isFlat = down * across < 2 || (cells.length <= FEW && (down < 2 || across < 2));
  const lines = [
    ...(isFlat ? [] : renderMatrix(matrix, options)),
    ...(isFlat || cells.length > FEW ? [] : ['']),
    ...(isFlat || cells.length <= FEW ? list(cells, name, options, colors) : []),
    ...problems(cells, (cell) => name(cell).join(' '), options, colors),
    ...regressions(cells, (cell) => name(cell).join(' '), options, colors),
    ...byParameter(document, options, colors),
    '',
    ...(document.warnings ?? []).map((text) => colors.yellow(`warning: ${terminalText(text)}`)),
    ...(document.live === true ? ['live: mocks were ignored'] : []),
    totalsText(document),
    ...places(document, options),
  ];
  return `${lines.join('\n')}\n`;
}

function list(
  cells: readonly SweepCell[],
  name: (cell: SweepCell) => string[],
  options: TextOptions,
  colors: Colors,
): string[] {
  const costKnown = cells.some((cell) => (cell.cost_usd ?? cell.cost_usd_at_least ?? null) !== null);
  const judged = cells.some((cell) => cell.judge_score !== null);
  const rows = cells.map((cell) => [
    mark(cell.outcome, colors),
    ...name(cell),
    gates(cell),
    ...(judged ? [cell.judge_score === null ? '' : `judge ${scoreText(cell.judge_score)}`] : []),
    cell.duration_secs === null ? '' : formatDuration(cell.duration_secs * 1000),
    cell.outcome === null || !costKnown ? '' : shortKnownCost(cell.cost_usd, cell.cost_usd_at_least),
    cell.cached ? colors.dim('cached') : '',
  ]);
  const last = (rows[0]?.length ?? 0) - 1;
  return renderTable(rows, { width: options.width, right: [last - 3, last - 2, last - 1] });
}

/** Cells with the same reason (a missing key, for example) share its line. */
function problems(
  cells: readonly SweepCell[],
  label: (cell: SweepCell) => string,
  options: TextOptions,
  colors: Colors,
): string[] {
  const groups = new Map<string, SweepCell[]>();
  for (const cell of cells) {
    if (cell.outcome === null || cell.outcome === 'pass') continue;
    const reason = `${mark(cell.outcome, colors)}  ${terminalText(cell.message ?? '')}`;
    groups.set(reason, [...(groups.get(reason) ?? []), cell]);
  }
  return [...groups].flatMap(([reason, group]) => [
    '',
    reason,
    ...reports(
      group.map((cell) => [label(cell), reportOf(cell, options)]),
      options,
      colors,
    ),
  ]);
}

/**
 * Lists labels and paths of reports: in a table or, if it is too wide for the terminal, each path on a line of its own,
 * and as the run's folder if that is still too wide.
 */
function reports(rows: [label: string, path: string][], { width }: TextOptions, colors: Colors): string[] {
  const table = renderTable(
    rows.map(([label, path]) => [label, colors.dim(path)]),
    { indent: '  ' },
  );
  if (table.every((line) => textWidth(line) <= width)) return table;
  return rows.flatMap(([label, path]) => {
    const shown = textWidth(path) + 4 <= width ? path : dirname(path);
    return [`  ${label}`, ...(path === '' ? [] : [`    ${colors.dim(shown)}`])];
  });
}

/** Lists what got worse, a line for each configuration. */
function regressions(
  cells: readonly SweepCell[],
  label: (cell: SweepCell) => string,
  options: TextOptions,
  colors: Colors,
): string[] {
  const found = groupRegressions(cells);
  if (found.length === 0) return [];
  const name = ({ cells: [first, ...more] }: RegressionGroup): string =>
    first === undefined ? '' : more.length === 0 ? label(first) : terminalText(configurationLabel(first));
  const rows = found
    .slice(0, MOST_REGRESSIONS)
    .map((group) => [name(group), terminalText(group.message), group.share ?? '']);
  const more = found.length - rows.length;
  return [
    '',
    colors.yellow(`${REGRESSIONS.toLowerCase()}; compare tests it`),
    ...renderTable(rows, { indent: '  ', width: options.width }),
    ...(more > 0 ? [`  … and ${more} more`] : []),
  ];
}

/** Renders the results of a matrix. The other trajectories are in the reports. */
const byParameter = ({ parameters = [] }: SweepDocument, { width }: TextOptions, colors: Colors): string[] =>
  parameterTables(parameters, 1).flatMap(({ title, columns, rows, right }) => [
    '',
    title,
    ...renderTable([columns.map(colors.dim), ...rows.map((row) => row.map(terminalText))], { width, right }),
  ]);

function places({ sweep, ui_url: uiUrl, cells }: SweepDocument, options: TextOptions): string[] {
  const passed = cells.filter((cell) => cell.outcome === 'pass' && cell.results_dir !== null);
  const anywhere = cells.find((cell) => cell.results_dir !== null)?.results_dir;
  return [
    ...(cells.length <= FEW ? passed.map((cell) => `report   ${reportOf(cell, options)}`) : []),
    ...(cells.length > FEW && anywhere != null ? [`results  ${pathText(dirname(anywhere), options)}`] : []),
    `sweep    ${terminalText(sweep)}`,
    ...(uiUrl === null ? [] : [`web ui   ${terminalText(uiUrl)}`]),
  ];
}

function gates(cell: SweepCell): string {
  return cell.gates_passed === null || cell.gates_total === null
    ? ''
    : `${cell.gates_passed}/${cell.gates_total}`;
}

function reportOf(cell: SweepCell, options: TextOptions): string {
  return cell.results_dir === null ? '' : pathText(join(cell.results_dir, 'report.md'), options);
}
