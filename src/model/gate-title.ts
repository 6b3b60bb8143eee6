import type { GateDetail } from './records/result-line.js';

/** Formats a gate for readers: "file_exists notes.md". */
export const gateTitle = ({
  gate_type: type,
  name,
  subject,
}: Pick<GateDetail, 'gate_type' | 'name' | 'subject'>): string => `${type} ${name ?? subject}`.trim();
