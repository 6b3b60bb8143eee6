import { omit } from '../lib/omit.js';
import { DEFAULT_VARIANT } from '../results/records/cell-label.js';
import type { ScenarioVariant } from '../scenario/reader.js';
import { WITH, WITHOUT, type StoredSubject } from '../scenario/subject.js';

/**
 * The variants of a scenario, each with its subject and without it. A scenario without variants of its own gets `with` and
 * `without`; to a variant `x`, `x-without` is added. Variants without a subject stay as they are.
 */
export const withBaseline = <
  V extends Pick<ScenarioVariant, 'variant' | 'scenario'> & { subject: StoredSubject[]; leftOut: string[] },
>(
  variants: readonly V[],
): V[] =>
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
        leftOut: [],
      },
    ];
  });
