import { beginningOf } from '#lib/pure';
import { gateTitle } from '../gate-title.js';
import type { Judgment } from '../records/judgment.js';
import type { Metrics } from '../records/result-line.js';

/** A gate that a model has decided. */
export interface JudgedGate {
  /** Its place in the scenario, from 1. */
  number: number;
  title: string;
}

/** The criteria and gates that a model has judged, for a person to judge too. */
export interface Judged {
  /** Ids of the criteria that the judge has scored. */
  criteria: readonly string[];
  gates: readonly JudgedGate[];
}

/** A gate that could not be checked has no verdict to compare with. */
export const judgedIn = (
  metrics: { judge: Pick<Judgment, 'scores'> | null; details: Metrics['details'] } | null,
): Judged => ({
  criteria: Object.keys(metrics?.judge?.scores ?? {}),
  gates: (metrics?.details ?? []).flatMap((gate) =>
    gate.judged_by === undefined || gate.status === 'error' ? [] : [{ number: gate.index + 1, title: gateTitle(gate) }],
  ),
});

/** More of a prompt does not fit into a line. */
const LONGEST_TITLE = 60;

/** The words that the form has for a gate: "gate 2 (llm_judge The list is complete), pass or fail". */
export const labelOfGate = ({ number, title }: JudgedGate): string =>
  `${shortLabelOfGate({ number })} (${beginningOf(title, LONGEST_TITLE)}), pass or fail`;

/** The words that are enough to find a gate: "gate 2". */
export const shortLabelOfGate = ({ number }: Pick<JudgedGate, 'number'>): string => `gate ${number}`;
