import type { GateDetail } from './records/result-line.js';

/** Identifies a gate when runs are compared: by its name, else by its type and subject. */
export const gateKey = ({
  gate_type,
  name,
  subject,
}: Pick<GateDetail, 'gate_type' | 'name' | 'subject'>): string => name ?? `${gate_type} ${subject}`.trim();
