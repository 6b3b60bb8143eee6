import type { GateDetail, Metrics } from './records/result-line.js';

/** Formats a gate for readers: "file_exists notes.md". */
export const gateTitle = ({
  gate_type: type,
  name,
  subject,
}: Pick<GateDetail, 'gate_type' | 'name' | 'subject'>): string => `${type} ${name ?? subject}`.trim();

/** Identifies a gate when runs are compared: by its name, else by its type and subject. */
export const gateKey = ({ gate_type, name, subject }: Pick<GateDetail, 'gate_type' | 'name' | 'subject'>): string =>
  name ?? `${gate_type} ${subject}`.trim();

/** Says of which gates the agent could have forged the evidence: a sentence for each reason; none if it could not. */
export function forgeableNotes({ details }: Pick<Metrics, 'details'>): string[] {
  const reasons = [...new Set(details.flatMap(({ forgeable }) => forgeable ?? []))];
  return reasons.map((reason) => {
    const numbers = details.filter(({ forgeable }) => forgeable === reason).map(({ index }) => index + 1);
    return `The evidence of ${numbers.length === 1 ? 'gate' : 'gates'} ${numbers.join(', ')} could have been forged: ${reason}.`;
  });
}
