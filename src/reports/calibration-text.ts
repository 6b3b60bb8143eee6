import { renderTable, terminalText } from '../lib/format/table.js';
import type { Agreement, Calibration } from '../results/calibration/document.js';
import { judgeNote, rangeText } from '../results/calibration/judge-note.js';
import { scoreText } from '../results/score-text.js';
import type { Colors, TextOptions } from './terminal.js';

/** Renders a sentence for each judge: a warning unless it is shown to agree with people. */
export const judgeNotes = (calibration: readonly Calibration[], colors: Colors): string[] =>
  calibration.map((one) => {
    const note = terminalText(judgeNote(one));
    return one.verdict === 'agrees' ? note : colors.yellow(`warning: ${note}`);
  });

/** Renders the numbers behind the sentences, by criterion. Judges that no person has reviewed have none. */
export function calibrationTable(
  calibration: readonly Calibration[],
  { width }: TextOptions,
  colors: Colors,
): string[] {
  const rows = calibrationRows(calibration);
  if (rows.length === 0) return [];
  const heading = CALIBRATION_COLUMNS.map((column) => colors.dim(column.toLowerCase()));
  return renderTable([heading, ...rows.map((row) => row.map(terminalText))], { width, right: [2] });
}

/** Renders both sides of a comparison. Judges that are not shown to agree with people are among its doubts. */
export function comparedJudges(
  sides: { base: readonly Calibration[]; head: readonly Calibration[] } | undefined,
  options: TextOptions,
  colors: Colors,
): string[] {
  const { base = [], head = [] } = sides ?? {};
  const agreeing = [...base, ...head].filter(({ verdict }) => verdict === 'agrees');
  const side = (name: string, calibration: readonly Calibration[]): string[][] =>
    calibrationRows(calibration).map((row) => [name, ...row].map(terminalText));
  const rows = [...side('base', base), ...side('head', head)];
  const heading = ['', ...CALIBRATION_COLUMNS].map((column) => colors.dim(column.toLowerCase()));
  return [
    ...new Set(judgeNotes(agreeing, colors)),
    ...(rows.length === 0 ? [] : renderTable([heading, ...rows], { width: options.width, right: [3] })),
  ];
}

export const CALIBRATION_COLUMNS = [
  'Judge',
  'Criterion',
  'Reviewed',
  'Weighted kappa',
  'Judge minus person',
  'Judge mean',
  'Corrected',
] as const;

/** Returns a row for each kind of score that people gave, too. */
export function calibrationRows(calibration: readonly Calibration[]): string[][] {
  return calibration.flatMap(({ judge, overall, criteria }) =>
    [{ criterion: 'weighted score', ...overall }, ...criteria]
      .filter(({ reviewed }) => reviewed > 0)
      .map(({ criterion, ...agreement }) => [judge, criterion, ...numbers(agreement)]),
  );
}

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
