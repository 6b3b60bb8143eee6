import { gateTitle, type ResultDigest } from '#model';

/** Says why a cell did not pass: the first gate that failed or could not be checked, with what it found. */
export function whyNotPassed({ metrics, message }: Pick<ResultDigest, 'metrics' | 'message'>): string {
  const gate = metrics?.details.find(({ passed }) => !passed);
  return gate === undefined ? message : `${gateTitle(gate)}: ${gate.message}`;
}
