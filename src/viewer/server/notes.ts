import {
  calibrationsIn,
  decisionMovers,
  decisionText,
  doneAgainText,
  judgeNotes,
  progressText,
  type SweepDocument,
} from '#decide';

/** The notes on a sweep as a whole, in sentences: its decision, and reasons to doubt its results. */
export function notesOf(document: SweepDocument): string[] {
  const { decision, warnings = [] } = document;
  const again = doneAgainText(document.cells);
  return [
    ...(decision === undefined
      ? []
      : [[decisionText(decision), progressText(decision), ...decisionMovers(decision)].join('; ')]),
    ...(decision?.doubts ?? []),
    ...warnings,
    ...(again === null ? [] : [again]),
    ...judgeNotes(calibrationsIn(document)).map(({ text }) => text),
    ...(document.live === true ? ['Mocks were ignored: this sweep was live'] : []),
  ];
}
