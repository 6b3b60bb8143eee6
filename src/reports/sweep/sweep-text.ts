import { basename, dirname } from 'node:path';
import {
  calibrationsIn,
  decisionMovers,
  decisionText,
  progressText,
  type SweepCell,
  type SweepDocument,
} from '#decide';
import { formatDuration, renderTable, shortKnownCost, terminalText } from '#lib';
import { configurationLabel, givenScore, type HumanReview, scoreText } from '#model';
import { always, fitScreen, linesPart, type Part, type Screen } from '../blocks/screen.js';
import { colors, gridText, mark, painted, pathText, type TextOptions } from '../blocks/terminal.js';
import { calibrationTables, judgeLines } from '../comparison/calibration.js';
import { cellNamer, totalsText } from './labels.js';
import { type MatrixLine, type Matrix, toMatrix } from './matrix.js';
import { renderMatrix } from './outcome-matrix.js';
import { groupRegressions, type RegressionGroup, REGRESSIONS } from './regressions.js';
import { failuresFirst, problemsPart, reportOf } from './problems.js';
import { sweepTables } from './tables.js';

/** With so few cells, the report of each is listed. With more, only those of cells that did not pass are. */
const FEW = 5;
/** The reports have the others. */
const MAX_REGRESSIONS = 5;

/**
 * Renders a sweep: the outcomes, why cells did not pass, totals, and where to read more. The outcomes are a matrix, or
 * a row per cell if there are few cells or the matrix would have a single entry. On a small screen, what did not pass
 * is kept longest.
 */
export function renderSweep(document: SweepDocument, options: SweepTextOptions): string {
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
    ...(isFlat || cells.length <= FEW ? [linesPart('row', [3, 4], [], list(failuresFirst(cells), name, options))] : []),
    problemsPart(cells, label, options),
    linesPart('changed verdict line', [4, 3], [], changedVerdicts(cells, label)),
    linesPart('regression line', [2, 0], [], regressions(cells, label, options.width)),
    linesPart('line of tables', [1, 0], [], tables(document, options)),
    linesPart('line about judges', [3, 0], [], judges(document, options)),
    always([
      '',
      ...judgeLines(calibrationsIn(document)),
      ...(document.warnings ?? []).map((text) => colors.yellow(`warning: ${terminalText(text)}`)),
      ...(document.live === true ? ['live: mocks were ignored'] : []),
      ...decisionLines(document),
      totalsText(document),
      ...places(document, options),
    ]),
  ];
  return painted(fitScreen(parts, options).join('\n'), options);
}

function decisionLines({ decision }: SweepDocument): string[] {
  if (decision === undefined) return [];
  return [
    ...decision.doubts.map((text) => colors.yellow(`doubt: ${terminalText(text)}`)),
    colors.bold(terminalText(decisionText(decision))),
    progressText(decision),
    ...decisionMovers(decision).map(terminalText),
  ];
}

export type SweepTextOptions = TextOptions & Screen;

/** Rows of scenarios that did not pass in all cells stay longest. The rates below the rows are always of all cells. */
function matrixPart(matrix: Matrix, options: TextOptions): Part {
  const { rows, columns } = matrix;
  const hasPassed = (row: MatrixLine): number => (row.cells.every(({ outcome }) => outcome === 'pass') ? 1 : 0);
  const order = [...rows].sort((a, b) => hasPassed(a) - hasPassed(b));
  const shown = (count: number): string[] => {
    const kept = new Set(order.slice(0, count));
    return renderMatrix({ rows: rows.filter((row) => kept.has(row)), columns }, options.width);
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

function list(cells: readonly SweepCell[], name: (cell: SweepCell) => string[], options: TextOptions): string[] {
  const costKnown = cells.some((cell) => (cell.cost_usd ?? cell.cost_usd_at_least ?? null) !== null);
  const judged = cells.some((cell) => cell.judge_score !== null);
  const reviewed = cells.some((cell) => cell.human !== undefined);
  const rows = cells.map((cell) => [
    mark(cell.outcome),
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
const humanText = (human: HumanReview): string => [`human ${givenScore(human)}`, ...(human.labels ?? [])].join(', ');

/** Lists what got worse, a line for each configuration. */
function regressions(cells: readonly SweepCell[], label: (cell: SweepCell) => string, width: number): string[] {
  const found = groupRegressions(cells);
  if (found.length === 0) return [];
  const name = ({ cells: [first, ...more] }: RegressionGroup): string =>
    first === undefined ? '' : more.length === 0 ? label(first) : terminalText(configurationLabel(first));
  const rows = found
    .slice(0, MAX_REGRESSIONS)
    .map((group) => [name(group), terminalText(group.message), group.share ?? '']);
  const more = found.length - rows.length;
  return [
    '',
    colors.yellow(`${REGRESSIONS.toLowerCase()}; compare tests it`),
    ...renderTable(rows, { indent: '  ', width }),
    ...(more > 0 ? [`  … and ${more} more`] : []),
  ];
}

/** Renders the tables about the sweep as a whole. The other trajectories of a matrix are in the reports. */
const tables = (document: SweepDocument, options: TextOptions): string[] =>
  sweepTables(document, 1).flatMap(({ rows, ...table }) => [
    '',
    ...gridText({ ...table, rows: rows.map((row) => row.map(terminalText)) }, options),
  ]);

/** Renders the numbers behind the sentences about judges. */
const judges = (document: SweepDocument, options: TextOptions): string[] =>
  calibrationTables(calibrationsIn(document)).flatMap((grid) => ['', ...gridText(grid, options)]);

function places({ sweep, owner, ui_url: uiUrl, cells }: SweepDocument, options: TextOptions): string[] {
  const passed = cells.filter((cell) => cell.outcome === 'pass' && cell.results_dir !== null);
  const anywhere = cells.find((cell) => cell.results_dir !== null)?.results_dir;
  const [failed] = failuresFirst(cells).filter(({ outcome }) => outcome === 'fail' || outcome === 'error');
  return [
    ...(cells.length <= FEW ? passed.map((cell) => `report   ${reportOf(cell, options)}`) : []),
    ...(cells.length > FEW && anywhere != null ? [`results  ${pathText(dirname(anywhere), options)}`] : []),
    `sweep    ${terminalText(sweep)}${owner === undefined ? '' : ` of ${terminalText(owner)}`}`,
    ...(uiUrl === null ? [] : [`web ui   ${terminalText(uiUrl)}`]),
    ...(failed?.results_dir == null ? [] : nextSteps(basename(failed.results_dir))),
  ];
}

/** The commands that show why a run did not pass. */
const nextSteps = (run: string): string[] => [
  `next     llm-tool-test show ${terminalText(run)}`,
  '         llm-tool-test view',
];

function gates(cell: SweepCell): string {
  return cell.gates_passed === null || cell.gates_total === null ? '' : `${cell.gates_passed}/${cell.gates_total}`;
}

/** Lists the cells of which checking their work again has changed the verdict. Empty if no work was checked again. */
function changedVerdicts(cells: readonly SweepCell[], label: (cell: SweepCell) => string): string[] {
  const again = cells.filter(({ regraded_from }) => regraded_from !== undefined);
  if (again.length === 0) return [];
  const changed = again.filter(({ outcome, regraded_from }) => outcome !== regraded_from?.outcome);
  return [
    '',
    `checked again: ${again.length} of ${cells.length}, without running agents; ${changed.length === 0 ? 'no verdict has changed' : `changed: ${changed.length}`}`,
    ...renderTable(
      changed.map((cell) => [label(cell), `${cell.regraded_from?.outcome ?? 'unknown'} → ${mark(cell.outcome)}`]),
      { indent: '  ' },
    ),
  ];
}
