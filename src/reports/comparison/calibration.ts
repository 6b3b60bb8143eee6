import {
  type Agreement,
  type Calibrations,
  comparedCalibrations,
  type Comparison,
  type GateCalibration,
  judgeNotes,
  rangeText,
} from '#decide';
import { beginningOf, terminalText } from '#lib';
import { scoreText } from '#model';
import { type Block, colors, type Grid } from '../blocks/terminal.js';

/** Renders the sentences about models that judge: warnings unless they are shown to agree with people. */
export const judgeLines = (calibrations: Calibrations): string[] =>
  judgeNotes(calibrations).map(({ text, isWarning }) =>
    isWarning ? colors.yellow(`warning: ${terminalText(text)}`) : terminalText(text),
  );

/** Returns the numbers behind the sentences, by criterion and gate. What no person has reviewed has none. */
export const calibrationTables = (calibrations: Calibrations): Grid[] => calibrationGrids(calibrations).map(untitled);

/** Returns what is known of the models that judged a sweep. Its warnings are shown elsewhere, as doubts. */
export const judgeBlocks = (calibrations: Calibrations): Block[] => [
  agreementLines(calibrations),
  ...calibrationTables(calibrations).map((grid) => [grid]),
];

/** Returns the same of both sides of a comparison. */
export function comparedJudges(comparison: Comparison): Block[] {
  const { base, head } = comparedCalibrations(comparison);
  return [
    [...new Set([...agreementLines(base), ...agreementLines(head)])],
    ...comparedGrids(comparison).map((grid) => [untitled(grid)]),
  ];
}

/** In a terminal, the columns say what a table is about. */
const untitled = ({ columns, rows, right, whole }: CalibrationTable): Grid => ({
  columns: columns.map((column) => column.toLowerCase()),
  rows,
  right,
  whole,
});

const agreementLines = (calibrations: Calibrations): string[] =>
  judgeNotes(calibrations).flatMap(({ text, isWarning }) => (isWarning ? [] : terminalText(text)));

/** A table about models that judged. */
interface CalibrationTable extends Grid {
  title: string;
  columns: string[];
  rows: string[][];
  right: number[];
  whole: number[];
}

type CalibrationHead = Omit<CalibrationTable, 'rows'>;

const JUDGES: CalibrationHead = {
  title: 'Judges compared with people',
  columns: ['Judge', 'Criterion', 'Reviewed', 'Weighted kappa', 'Judge minus person', 'Mean', 'Corrected'],
  right: [2],
  whole: [2, 3, 4, 5, 6],
};
const GATES: CalibrationHead = {
  title: 'Gates decided by a model compared with people',
  columns: ['Judge', 'Gate', 'Reviewed', 'Same verdict', 'Kappa', 'Passed', 'Corrected'],
  right: [2],
  whole: [2, 3, 4, 5, 6],
};

/**
 * Returns a row for each kind of score and each gate that people have judged, too. Tables without rows are left out.
 */
export const calibrationGrids = (calibrations: Calibrations): CalibrationTable[] =>
  withRows([
    { ...JUDGES, rows: judgeRows(calibrations) },
    { ...GATES, rows: gateRows(calibrations) },
  ]);

/** The same for both sides of a comparison, with a column that names the side. */
export function comparedGrids(comparison: Comparison): CalibrationTable[] {
  const { base, head } = comparedCalibrations(comparison);
  const both = (grid: CalibrationHead, rowsOf: (of: Calibrations) => string[][]) => ({
    ...grid,
    columns: ['', ...grid.columns],
    right: grid.right.map((column) => column + 1),
    whole: [0, ...grid.whole.map((column) => column + 1)],
    rows: [...rowsOf(base).map((row) => ['base', ...row]), ...rowsOf(head).map((row) => ['head', ...row])],
  });
  return withRows([both(JUDGES, judgeRows), both(GATES, gateRows)]);
}

const withRows = (grids: CalibrationTable[]): CalibrationTable[] => grids.filter(({ rows }) => rows.length > 0);

const judgeRows = ({ judges }: Calibrations): string[][] =>
  judges.flatMap(({ judge, overall, criteria }) =>
    [{ criterion: 'weighted score', ...overall }, ...criteria]
      .filter(({ reviewed }) => reviewed > 0)
      .map(({ criterion, ...agreement }) => [judge, criterion, ...numbers(agreement)]),
  );

const numbers = (agreement: Agreement): string[] => [
  String(agreement.reviewed),
  `${scoreText(agreement.kappa)}${rangeText(agreement.interval)}`,
  `${signed(agreement.difference)}${rangeText(agreement.difference_interval)}`,
  scoreText(agreement.judge_mean),
  agreement.corrected === null
    ? 'n/a'
    : `${scoreText(agreement.corrected.mean)}${rangeText(agreement.corrected.interval)}`,
];

const signed = (value: number | null): string => (value !== null && value > 0 ? '+' : '') + scoreText(value);

/** More of a prompt would take the room of the numbers. */
const LONGEST_GATE = 40;

const gateRows = ({ gates }: Calibrations): string[][] =>
  gates
    .filter(({ reviewed }) => reviewed > 0)
    .map((one) => [
      one.judge,
      `${one.scenario}: ${beginningOf(one.gate, LONGEST_GATE)}`,
      String(one.reviewed),
      `${one.agreed}/${one.reviewed}${shareRange(one.interval)}`,
      `${scoreText(one.kappa)}${rangeText(one.kappa_interval)}`,
      `${one.passed}/${one.judged}`,
      one.corrected === null ? 'n/a' : `${shareText(one.corrected.rate)} %${shareRange(one.corrected.interval)}`,
    ]);

const shareText = (share: number): string => String(Math.round(100 * share));
const shareRange = (interval: GateCalibration['interval']): string =>
  interval === null ? '' : ` (${shareText(interval.low)}-${shareText(interval.high)} %)`;
