import type { Metrics } from './records/result-line.js';

/** Says of which gates the agent could have forged the evidence: a sentence for each reason; none if it could not. */
export function forgeableNotes({ details }: Pick<Metrics, 'details'>): string[] {
  const reasons = [...new Set(details.flatMap(({ forgeable }) => forgeable ?? []))];
  return reasons.map((reason) => {
    const numbers = details.filter(({ forgeable }) => forgeable === reason).map(({ index }) => index + 1);
    return `The evidence of ${numbers.length === 1 ? 'gate' : 'gates'} ${numbers.join(', ')} could have been forged: ${reason}.`;
  });
}
