import { DEFAULT_VARIANT } from '../results/records/cell-label.js';
import { omit } from '../lib/omit.js';
import { WITH, WITHOUT } from '../scenario/subject.js';
import type { SelectedScenario, SelectedVariant } from './select-scenarios.js';

/**
 * The variants of a scenario, each with its subject and without it. A scenario without variants of its own gets `with` and
 * `without`; to a variant `x`, `x-without` is added. Variants without a subject stay as they are.
 */
export const withBaseline = (variants: readonly SelectedVariant[]): SelectedVariant[] =>
  variants.flatMap((one) => {
    if (one.subject.length === 0) return [one];
    const isPlain = one.variant === DEFAULT_VARIANT;
    return [
      isPlain ? { ...one, variant: WITH } : one,
      {
        ...one,
        variant: isPlain ? WITHOUT : `${one.variant}-${WITHOUT}`,
        scenario: omit(one.scenario, 'subject'),
        subject: [],
      },
    ];
  });

/** `--with-without`: the scenarios with a baseline, as if each said so. */
export const allWithBaseline = (scenarios: readonly SelectedScenario[]): SelectedScenario[] =>
  scenarios.map((one) =>
    one.scenario.baseline === true ? one : { ...one, variants: withBaseline(one.variants) },
  );
