import type { GateDetail } from './records/result-line.js';

/** What a gate is called when two runs are compared: its own name, else what it checks. */
export const gateKey = ({
  gate_type,
  name,
  subject,
}: Pick<GateDetail, 'gate_type' | 'name' | 'subject'>): string => name ?? `${gate_type} ${subject}`.trim();
