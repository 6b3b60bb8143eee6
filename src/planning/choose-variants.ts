import { suggest } from '../lib/suggest.js';
import { UsageError } from '../lib/usage-error.js';
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
  for (const name of wanted) checkVariant(name, known, 'no scenario has a variant');
  return scenarios
    .map((one) => ({ ...one, variants: one.variants.filter(({ variant }) => wanted.includes(variant)) }))
    .filter(({ variants }) => variants.length > 0);
}

/** @throws UsageError that begins with `problem` if the variant is unknown. */
export function checkVariant(name: string, known: readonly string[], problem: string): void {
  if (known.includes(name)) return;
  const near = suggest(name, known);
  throw new UsageError(
    'unknown_variant',
    `${problem} '${name}'${near === null ? '.' : `; did you mean '${near}'?`} Known variants: ${known.join(', ')}`,
  );
}
