import { type Cell, DEFAULT_VARIANT } from '#model';

/** A run's cell, and the fingerprint of the target that it used; null: unknown. */
export interface BuildUsed {
  cell: Pick<Cell, 'scenario' | 'variant'>;
  fingerprint: string | null;
}

/**
 * Returns a warning for each scenario and variant whose runs used different builds of the target, because it was
 * changed while the sweep ran, or before a retry. Their results do not describe any one build.
 */
export function mixedBuilds(used: readonly BuildUsed[]): string[] {
  const builds = new Map<string, Map<string, number>>();
  for (const { cell, fingerprint } of used) {
    if (fingerprint === null) continue;
    const key = `${cell.scenario}${cell.variant === DEFAULT_VARIANT ? '' : ` ${cell.variant}`}`;
    const counts = builds.get(key) ?? new Map<string, number>();
    counts.set(fingerprint, (counts.get(fingerprint) ?? 0) + 1);
    builds.set(key, counts);
  }
  return [...builds]
    .filter(([, counts]) => counts.size > 1)
    .map(
      ([key, counts]) =>
        `${key}: its runs used ${counts.size} different builds of the target (${[...counts.values()].join(', ')} runs): it was changed while the sweep ran, or before a retry`,
    );
}
