import type { Calibrations } from './document.js';
import { gateNotes } from './gate-note.js';
import { judgeNote, type JudgeNote } from './judge-note.js';

/** Says in sentences how far the models can be trusted that judge the runs of a sweep. */
export const judgeNotes = ({ judges, gates }: Calibrations): JudgeNote[] => [
  ...judges.map((judge) => ({ text: judgeNote(judge), isWarning: judge.verdict !== 'agrees' })),
  ...gateNotes(gates),
];

/** The sentences about models that are not shown to agree with people. */
export const judgeWarnings = (calibrations: Calibrations): string[] =>
  judgeNotes(calibrations).flatMap(({ text, isWarning }) => (isWarning ? text : []));
