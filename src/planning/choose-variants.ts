import { suggest } from '../lib/suggest.js';
import { UsageError } from '../lib/errors/usage-error.js';
import type { SelectedScenario } from './select-scenarios.js';

/**
 * Returns the scenarios with only the wanted variants, without scenarios that have none of them. If `wanted` is empty,
 * returns all.
 *
 * @throws UsageError for a name that no scenario's variant has
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

/** @throws UsageError whose message begins with `problem` if the variant is unknown */
export function checkVariant(name: string, known: readonly string[], problem: string): void {
  if (known.includes(name)) return;
  const near = suggest(name, known);
  throw new UsageError(
    'unknown_variant',
    `${problem} '${name}'${near === null ? '.' : `; did you mean '${near}'?`} Known variants: ${known.join(', ')}`,
  );
}
