import type { GateDetail } from './records/result-line.js';

/** Formats a gate for readers: "file_exists notes.md". */
export const gateTitle = ({ gate_type: type, name, subject }: GateDetail): string =>
  `${type} ${name ?? subject}`.trim();
