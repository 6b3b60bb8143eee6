import { dirname, join } from 'node:path';
import pc from 'picocolors';
import {
  calibrationsIn,
  decisionMovers,
  decisionText,
  progressText,
  type SweepCell,
  type SweepDocument,
} from '#decide';
import { formatDuration, renderTable, shortKnownCost, terminalText, textWidth, truncate, wrap } from '#lib';
import { configurationLabel, givenScore, type HumanReview, scoreText } from '#model';
import { always, firstItems, fitScreen, type Part, type Screen } from '../blocks/screen.js';
import { type Colors, mark, pathText, type TextOptions } from '../blocks/terminal.js';
import { calibrationTables, judgeLines } from '../comparison/calibration.js';
import { cellNamer, totalsText } from './labels.js';
import { type Line, type Matrix, toMatrix } from './matrix.js';
import { renderMatrix } from './outcome-matrix.js';
import { groupRegressions, type RegressionGroup, REGRESSIONS } from './regressions.js';
import { sweepTables } from './tables.js';

/** With so few cells, the report of each is listed. With more, only those of cells that did not pass are. */
const FEW = 5;
/** The reports have the others. */
const MOST_REGRESSIONS = 5;

/**
 * Renders a sweep: the outcomes, why cells did not pass, totals, and where to read more. The outcomes are a matrix, or a
 * row per cell if there are few cells or the matrix would have a single entry. On a small screen, what did not pass is
 * kept longest.
 */
export function renderSweep(document: SweepDocument, options: SweepTextOptions): string {
  const colors = pc.createColors(options.color);
  const { cells } = document;
  const namesOf = cellNamer(cells);
  const name = (cell: SweepCell): string[] => namesOf(cell).map(terminalText);
  const label = (cell: SweepCell): string => name(cell).join(' ');
  const matrix = toMatrix(cells);
  const [down, across] = [matrix.rows.length, matrix.columns.length];
  const isFlat = down * across < 2 || (cells.length <= FEW && (down < 2 || across < 2));
  const parts = [
    ...(isFlat ? [] : [matrixPart(matrix, options)]),
    ...(isFlat || cells.length > FEW ? [] : [always([''])]),
    ...(isFlat || cells.length <= FEW ? [listPart(cells, name, options, colors)] : []),
    problemsPart(cells, label, options, colors),
    linesPart(changedVerdicts(cells, label, colors), {
      ...{ items: ['changed verdict line', 'changed verdict lines'], importance: 4, least: 3 },
    }),
    linesPart(regressions(cells, label, options, colors), {
      ...{ items: ['regression line', 'regression lines'], importance: 2, least: 0 },
    }),
    linesPart(tables(document, options, colors), {
      ...{
        items: ['line of tables', 'lines of tables'],
        importance: 1,
        least: 0,
      },
    }),
    linesPart(judges(document, options, colors), {
      ...{ items: ['line about judges', 'lines about judges'], importance: 3, least: 0 },
    }),
    always([
      '',
      ...judgeLines(calibrationsIn(document), colors),
      ...(document.warnings ?? []).map((text) => colors.yellow(`warning: ${terminalText(text)}`)),
      ...(document.live === true ? ['live: mocks were ignored'] : []),
      ...decisionLines(document, colors),
      totalsText(document),
      ...places(document, options),
    ]),
  ];
  return `${fitScreen(parts, options).join('\n')}\n`;
}

function decisionLines({ decision }: SweepDocument, colors: Colors): string[] {
  if (decision === undefined) return [];
  return [
    ...decision.doubts.map((text) => colors.yellow(`doubt: ${terminalText(text)}`)),
    colors.bold(terminalText(decisionText(decision))),
    progressText(decision),
    ...decisionMovers(decision).map(terminalText),
  ];
}

export type SweepTextOptions = TextOptions & Screen;

const linesPart = (lines: readonly string[], of: Pick<Part, 'items' | 'importance' | 'least'>): Part => ({
  ...of,
  render: (room) =>
    firstItems(
      [],
      lines.map((line) => [line]),
      room,
    ),
});

/** Rows of scenarios that did not pass in all cells stay longest. The rates below the rows are always of all cells. */
function matrixPart(matrix: Matrix, options: TextOptions): Part {
  const { rows, columns } = matrix;
  const hasPassed = (row: Line): number => (row.cells.every(({ outcome }) => outcome === 'pass') ? 1 : 0);
  const order = [...rows].sort((a, b) => hasPassed(a) - hasPassed(b));
  const shown = (count: number): string[] => {
    const kept = new Set(order.slice(0, count));
    return renderMatrix({ rows: rows.filter((row) => kept.has(row)), columns }, options);
  };
  return {
    items: ['row', 'rows'],
    importance: 4,
    least: 10,
    render(room) {
      if (room === Infinity) return { lines: shown(rows.length), leftOut: 0 };
      // The number of lines grows with that of the rows.
      let [fits, fails] = [0, rows.length + 1];
      while (fails - fits > 1) {
        const count = Math.floor((fits + fails) / 2);
        if (shown(count).length <= room) fits = count;
        else fails = count;
      }
      return { lines: fits === 0 ? [] : shown(fits), leftOut: rows.length - fits };
    },
  };
}

/** Cells that did not pass come first. */
function listPart(
  cells: readonly SweepCell[],
  name: (cell: SweepCell) => string[],
  options: TextOptions,
  colors: Colors,
): Part {
  const lines = list(failuresFirst(cells), name, options, colors);
  return {
    items: ['row', 'rows'],
    importance: 3,
    least: 4,
    render: (room) =>
      firstItems(
        [],
        lines.map((line) => [line]),
        room,
      ),
  };
}

const ORDER: readonly SweepCell['outcome'][] = ['fail', 'error', 'cancelled', null, 'pass'];
const failuresFirst = (cells: readonly SweepCell[]): SweepCell[] =>
  [...cells].sort((a, b) => ORDER.indexOf(a.outcome) - ORDER.indexOf(b.outcome));

function list(
  cells: readonly SweepCell[],
  name: (cell: SweepCell) => string[],
  options: TextOptions,
  colors: Colors,
): string[] {
  const costKnown = cells.some((cell) => (cell.cost_usd ?? cell.cost_usd_at_least ?? null) !== null);
  const judged = cells.some((cell) => cell.judge_score !== null);
  const reviewed = cells.some((cell) => cell.human !== undefined);
  const rows = cells.map((cell) => [
    mark(cell.outcome, colors),
    ...name(cell),
    gates(cell),
    ...(judged ? [cell.judge_score === null ? '' : `judge ${scoreText(cell.judge_score)}`] : []),
    ...(reviewed ? [cell.human === undefined ? '' : humanText(cell.human)] : []),
    cell.duration_secs === null ? '' : formatDuration(cell.duration_secs * 1000),
    cell.outcome === null || !costKnown ? '' : shortKnownCost(cell.cost_usd, cell.cost_usd_at_least),
    cell.cached ? colors.dim('cached') : '',
  ]);
  const last = (rows[0]?.length ?? 0) - 1;
  return renderTable(rows, { width: options.width, right: [last - 3, last - 2, last - 1] });
}

/** The score and the labels that a person gave. */
const humanText = (human: HumanReview): string =>
  [`human ${givenScore(human)}`, ...(human.labels ?? [])].join(', ');

/**
 * Cells with the same reason (a missing key, for example) share its line. If there is no room for the paths of their
 * reports, a cell has one line, and of each reason one cell is shown before there are two of another.
 */
function problemsPart(
  cells: readonly SweepCell[],
  label: (cell: SweepCell) => string,
  options: TextOptions,
  colors: Colors,
): Part {
  const { width } = options;
  const byReason = new Map<string, SweepCell[]>();
  for (const cell of failuresFirst(cells)) {
    if (cell.outcome === null || cell.outcome === 'pass') continue;
    const key = JSON.stringify([cell.outcome, cell.message]);
    byReason.set(key, [...(byReason.get(key) ?? []), cell]);
  }
  const groups = [...byReason.values()];
  const full = groups.flatMap((group) => [
    '',
    ...reasonOf(group[0], width, colors),
    ...reports(
      group.map((cell) => [label(cell), reportOf(cell, options)]),
      options,
      colors,
    ),
  ]);
  const short = (): { rank: number; lines: string[] }[] =>
    groups.flatMap((group) =>
      group.map((cell, rank) => {
        const mention = group.length === 1 ? `${label(cell)}  ` : `${group.length} cells: `;
        const reason = `${mark(cell.outcome, colors)}  ${mention}${terminalText(cell.message ?? '')}`;
        const lines = [...(rank === 0 ? [reason] : []), ...(group.length === 1 ? [] : [`  ${label(cell)}`])];
        return { rank, lines: lines.map((line) => truncate(line, width)) };
      }),
    );
  return {
    items: ['cell that did not pass', 'cells that did not pass'],
    importance: 5,
    least: 8,
    render(room) {
      if (full.length <= room) return { lines: full, leftOut: 0 };
      const items = short();
      return firstItems(
        [''],
        items.map(({ lines }) => lines),
        room,
        (index) => items[index]?.rank ?? 0,
      );
    },
  };
}

function reasonOf(cell: SweepCell | undefined, width: number, colors: Colors): string[] {
  if (cell === undefined) return [];
  const start = `${mark(cell.outcome, colors)}  `;
  const line = `${start}${terminalText(cell.message ?? '')}`;
  if (textWidth(line, width) <= width) return [line];
  const [first = '', ...others] = wrap(cell.message ?? '', width - textWidth(start));
  return [`${start}${first}`, ...others.map((more) => ' '.repeat(textWidth(start)) + more)];
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
  if (table.every((line) => textWidth(line, width) <= width)) return table;
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

/** Renders the tables about the sweep as a whole. The other trajectories of a matrix are in the reports. */
const tables = (document: SweepDocument, { width }: TextOptions, colors: Colors): string[] =>
  sweepTables(document, 1).flatMap(({ title, columns, rows, right }) => [
    '',
    title,
    ...renderTable([columns.map(colors.dim), ...rows.map((row) => row.map(terminalText))], { width, right }),
  ]);

/** Renders the numbers behind the sentences about judges. */
const judges = (document: SweepDocument, options: TextOptions, colors: Colors): string[] =>
  calibrationTables(calibrationsIn(document), options, colors).flatMap((lines) => ['', ...lines]);

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

/** Lists the cells of which checking their work again has changed the verdict. Empty if no work was checked again. */
function changedVerdicts(
  cells: readonly SweepCell[],
  label: (cell: SweepCell) => string,
  colors: Colors,
): string[] {
  const again = cells.filter(({ regraded_from }) => regraded_from !== undefined);
  if (again.length === 0) return [];
  const changed = again.filter(({ outcome, regraded_from }) => outcome !== regraded_from?.outcome);
  return [
    '',
    `checked again: ${again.length} of ${cells.length}, without running agents; ${changed.length === 0 ? 'no verdict has changed' : `changed: ${changed.length}`}`,
    ...renderTable(
      changed.map((cell) => [
        label(cell),
        `${cell.regraded_from?.outcome ?? 'unknown'} → ${mark(cell.outcome, colors)}`,
      ]),
      { indent: '  ' },
    ),
  ];
}
