import { nearest } from '../../lib/nearest.js';
import { UsageError } from '../usage-error.js';
import type { SelectedScenario } from './select-scenarios.js';

/**
 * Scenarios with those of their variants that are wanted, without the scenarios that have none of them. No name wanted: all.
 * @throws UsageError for a name that no scenario has
 */
export function chooseVariants(
  scenarios: readonly SelectedScenario[],
  wanted: readonly string[],
): SelectedScenario[] {
  if (wanted.length === 0) return [...scenarios];
  const known = [...new Set(scenarios.flatMap(({ variants }) => variants.map(({ variant }) => variant)))];
  for (const name of wanted) checkVariant(name, known, 'no scenario has the variant');
  return scenarios
    .map((one) => ({ ...one, variants: one.variants.filter(({ variant }) => wanted.includes(variant)) }))
    .filter(({ variants }) => variants.length > 0);
}

/** @throws UsageError that begins with `said` where the variant is none of those that are known. */
export function checkVariant(name: string, known: readonly string[], said: string): void {
  if (known.includes(name)) return;
  const near = nearest(name, known);
  throw new UsageError(
    'unknown_variant',
    `${said} '${name}'${near === null ? '' : `; did you mean '${near}'?`} Known: ${known.join(', ')}`,
  );
}
