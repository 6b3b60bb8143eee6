import {
  calibrationsIn,
  decisionMovers,
  decisionText,
  judgeNotes,
  progressText,
  type SweepCell,
  type SweepDocument,
} from '#decide';
import { beginningOf, formatDuration, shortKnownCost } from '#lib';
import { configurationLabel, gateTitle, givenScore, type Outcome, scoreText, shownTokens, sumUsage } from '#model';
import { calibrationGrids } from '../comparison/calibration.js';
import { blocks, heading, inline, list, table } from '../blocks/markdown.js';
import { sweepTables } from '../sweep/tables.js';
import { groupRegressions, REGRESSIONS } from '../sweep/regressions.js';
import {
  entryCells,
  entryText,
  hasVariants,
  outcomeOf,
  meanScore,
  summaries,
  toMatrix,
  type MatrixLine,
} from '../sweep/matrix.js';
import { cellColumns, cellNamer, isOpen, totalsText } from '../sweep/labels.js';
import { actionBlocks } from '../run/actions.js';
import {
  fileUrl,
  firstFailing,
  pageOfRun,
  type ReportedCell,
  type SweepFormat,
  type SweepReport,
} from './sweep-report.js';

/** For a pull request or an issue: totals, a matrix of outcomes, why cells did not pass, and all runs. */
export const md: SweepFormat = {
  render: (report) => renderMarkdown(report, { most: Infinity, links: true }),
};

export interface MarkdownOptions {
  /** The most rows of each table; the number of rows left out is shown. */
  most: number;
  /** True if the reader can open the files of runs. */
  links: boolean;
}

/** The longest message that is shown. The report of the run has the whole text. */
const LONGEST = 300;

/** Renders the report as GitHub-flavored markdown. */
export function renderMarkdown(report: SweepReport, options: MarkdownOptions): string {
  const { document, cells } = report;
  const failed = cells.filter(({ cell }) => cell.outcome === 'fail' || cell.outcome === 'error');
  const missing = cells.filter((reported) => reported.missing !== null).length;
  const lost = missing === 1 ? 'A run has' : `${missing} runs have`;
  return blocks([
    heading(2, headline(document)),
    `${totalsText(document)}. ${effortText(cells)}. Sweep ${inline(document.sweep)}.`,
    document.decision === undefined
      ? null
      : `**${inline(decisionText(document.decision))}**; ${[progressText(document.decision), ...decisionMovers(document.decision)].map(inline).join('; ')}.`,
    ...(document.decision?.doubts ?? []).map((text) => `> ${inline(text)}`),
    isOpen(document) ? '> The sweep has not ended. These are the results so far.' : null,
    ...(document.warnings ?? []).map((text) => `> ${inline(text)}`),
    ...judgeNotes(calibrationsIn(document)).map(({ text }) => `> ${inline(`${text}.`)}`),
    missing === 0 ? null : `> ${lost} been deleted or cannot be read. Only the sweep's own data is shown.`,
    outcomes(document.cells, options),
    ...(failed.length === 0 ? [] : [heading(3, 'Failures'), failures(report, failed, options)]),
    ...reviews(document.cells, options),
    ...judges(document, options),
    ...actionBlocks(failed, cellNamer(document.cells), options.most),
    ...regressions(document.cells, options),
    ...sweepTables(document, Infinity).flatMap(({ title, columns, rows }) => [
      heading(3, title),
      limited(columns, rows, (row) => row.map(inline), options),
    ]),
    `<details>\n<summary>All runs: ${cells.length}</summary>`,
    runs(report, options),
    '</details>',
  ]);
}

function headline(document: SweepDocument): string {
  const { cells, passed } = document.totals;
  const outcome = isOpen(document) ? null : passed === cells ? 'pass' : 'fail';
  return `${SIGNS[outcome ?? 'waiting']} llm-tool-test: ${passed} of ${cells} passed`;
}

const SIGNS: Readonly<Record<Outcome | 'waiting', string>> = {
  pass: '✅',
  fail: '❌',
  error: '⚠️',
  cancelled: '🚫',
  waiting: '⏳',
};
const sign = (outcome: Outcome | null): string => `${SIGNS[outcome ?? 'waiting']} ${outcome ?? 'waiting'}`;

function outcomes(cells: readonly SweepCell[], { most }: MarkdownOptions): string {
  const { rows, columns } = toMatrix(cells);
  const variants = hasVariants(cells);
  const line = (row: MatrixLine): string[] => [
    inline(variants ? row.heading.join(' ') : row.heading[0]),
    ...columns.map((column) => entry(entryCells(row, column))),
  ];
  const footer = summaries(columns).map(({ label, values }) => [`_${label}_`, ...values.map(inline)]);
  const header = ['', ...columns.map((column) => inline(column.heading.join('/')))];
  return limited(header, rows, line, { most, footer });
}

function entry(cells: readonly SweepCell[]): string {
  if (cells.length === 0) return '';
  const score = meanScore(cells);
  const cached = cells.filter((cell) => cell.cached).length;
  return [
    `${SIGNS[outcomeOf(cells) ?? 'waiting']} ${entryText(cells)}`,
    ...(score === null ? [] : [`score ${scoreText(score)}`]),
    ...(cached === 0 ? [] : [`${cached} cached`]),
  ].join(', ');
}

function failures(report: SweepReport, cells: readonly ReportedCell[], options: MarkdownOptions): string {
  const columns = cellColumns(report.document.cells);
  const row = (reported: ReportedCell): string[] => {
    const { cell } = reported;
    const gate = firstFailing(reported);
    return [
      sign(cell.outcome),
      ...columns.map(({ of }) => inline(of(cell))),
      gate === null ? '' : inline(gateTitle(gate)),
      inline(beginningOf(gate?.message ?? cell.message ?? '', LONGEST)),
      whereToRead(report, reported, options),
    ];
  };
  const headings = columns.map((column) => column.heading);
  return limited(['Outcome', ...headings, 'Gate', 'Why', 'Report'], cells, row, options);
}

/** Lists the human reviews. Runs without one have no row. */
function reviews(cells: readonly SweepCell[], options: MarkdownOptions): string[] {
  const columns = cellColumns(cells);
  const reviewed = cells.filter(({ human }) => human !== undefined);
  if (reviewed.length === 0) return [];
  const labelled = reviewed.some(({ human }) => human?.labels !== undefined);
  const row = (cell: SweepCell): string[] => [
    cell.human === undefined ? '' : givenScore(cell.human),
    ...columns.map(({ of }) => inline(of(cell))),
    cell.judge_score === null ? '' : scoreText(cell.judge_score),
    inline(cell.human?.reviewer ?? ''),
    ...(labelled ? [inline((cell.human?.labels ?? []).join(', '))] : []),
    inline(beginningOf(cell.human?.problem ?? cell.human?.notes ?? '', LONGEST)),
  ];
  const headings = columns.map((column) => column.heading);
  const header = ['Score', ...headings, 'Judge', 'Reviewer', ...(labelled ? ['Labels'] : []), 'Notes'];
  return [heading(3, 'Human reviews'), limited(header, reviewed, row, options)];
}

/** Lists how far models that judge agree with people, if there are human scores or verdicts. */
const judges = (document: SweepDocument, options: MarkdownOptions): string[] =>
  calibrationGrids(calibrationsIn(document)).flatMap(({ title, columns, rows }) => [
    heading(3, title),
    limited(columns, rows, (row) => row.map(inline), options),
  ]);

/** Lists what got worse, a line for each configuration. */
function regressions(cells: readonly SweepCell[], { most }: MarkdownOptions): string[] {
  const columns = cellColumns(cells);
  const found = groupRegressions(cells).map(({ cells: [first, ...more], message, share }) => {
    const name =
      first === undefined
        ? ''
        : more.length === 0
          ? columns.map(({ of }) => inline(of(first))).join(' ')
          : inline(configurationLabel(first));
    return `${name}: ${inline(beginningOf(message, LONGEST))}${share === null ? '' : ` (${share})`}`;
  });
  if (found.length === 0) return [];
  const shown = found.slice(0, most);
  return [
    heading(3, REGRESSIONS),
    ...(shown.length === 0 ? [] : [list(shown)]),
    ...leftOut(found.length - shown.length),
  ];
}

function runs(report: SweepReport, options: MarkdownOptions): string {
  const columns = cellColumns(report.document.cells);
  const row = (reported: ReportedCell): string[] => {
    const { cell } = reported;
    return [
      `${sign(cell.outcome)}${cell.cached ? ', cached' : ''}`,
      ...columns.map(({ of }) => inline(of(cell))),
      cell.gates_total === null ? '' : `${cell.gates_passed ?? 0}/${cell.gates_total}`,
      cell.judge_score === null ? '' : scoreText(cell.judge_score),
      cell.duration_secs === null ? '' : formatDuration(cell.duration_secs * 1000),
      cell.outcome === null ? '' : shortKnownCost(cell.cost_usd, cell.cost_usd_at_least),
      whereToRead(report, reported, options),
    ];
  };
  const headings = columns.map((column) => column.heading);
  const header = ['Outcome', ...headings, 'Gates', 'Judge', 'Duration', 'Cost', 'Report'];
  return limited(header, report.cells, row, options);
}

function whereToRead(report: SweepReport, reported: ReportedCell, { links }: MarkdownOptions): string {
  const { cell, records, missing } = reported;
  if (missing !== null) return inline(missing);
  if (cell.results_dir === null || records === null) return '';
  const page = pageOfRun(report, reported);
  if (page !== null) return `[report](${page})`;
  return links ? `[report](${fileUrl(report.base, cell.results_dir, 'report.md')})` : inline(records.run.run_id);
}

/**
 * Renders a table with at most `most` rows and the number of rows left out. The rows of the footer are always shown.
 */
function limited<T>(
  header: readonly string[],
  items: readonly T[],
  row: (item: T) => string[],
  { most, footer = [] }: { most: number; footer?: readonly string[][] },
): string {
  const rows = items.slice(0, most).map(row);
  return [
    ...(rows.length === 0 ? [] : [table(header, [...rows, ...footer])]),
    ...leftOut(items.length - rows.length),
  ].join('\n\n');
}

const leftOut = (count: number): string[] => (count === 0 ? [] : [`_${count} more not shown._`]);

/** Adds up the time and tokens of a sweep's runs, without reused ones; null: unknown. */
function effortOf(cells: readonly ReportedCell[]) {
  const own = cells.filter(({ cell }) => !cell.cached);
  const durations = own.flatMap(({ cell }) => cell.duration_secs ?? []);
  const used = own.flatMap(({ records }) => (records?.run.agent == null ? [] : shownTokens(records.run.agent)));
  return {
    seconds: durations.length === 0 ? null : durations.reduce((sum, seconds) => sum + seconds, 0),
    tokens: sumUsage(used.map(({ usage }) => usage)),
    /** True if some agents were interrupted, so that the tokens are a lower bound. */
    atLeast: used.some(({ atLeast }) => atLeast),
  };
}

/** Formats the effort: "Runs took 3m 20s, tokens 1,200 in and 350 out". */
function effortText(cells: readonly ReportedCell[]): string {
  const { seconds, tokens, atLeast } = effortOf(cells);
  const { input, output } = tokens;
  return [
    `Runs took ${seconds === null ? 'n/a' : formatDuration(seconds * 1000)}`,
    ...(input === null && output === null
      ? []
      : [`tokens ${atLeast ? 'at least ' : ''}${tokenText(input)} in and ${tokenText(output)} out`]),
  ].join(', ');
}

/** Formats a number of tokens: "1,200"; "n/a" if it is unknown, which is not 0. */
const tokenText = (count: number | null): string => count?.toLocaleString('en') ?? 'n/a';
