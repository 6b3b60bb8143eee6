import type { GateDetail, GateVerdict } from '#model';

/** A gate of a run that a model has decided, and what a person says of it. */
export interface DecidedGate {
  scenario: string;
  judge: string;
  gate: Pick<GateDetail, 'index' | 'gate_type' | 'name' | 'subject' | 'passed'>;
  human: GateVerdict | null;
}

/**
 * Says which verdicts are about the same question to the same model: gates of a scenario with the same type, name and
 * subject. The subject of `llm_judge` is its prompt.
 */
export const gateJudgeKey = ({ scenario, judge, gate }: Omit<DecidedGate, 'human'>): string =>
  JSON.stringify([judge, scenario, gate.gate_type, gate.name, gate.subject]);
