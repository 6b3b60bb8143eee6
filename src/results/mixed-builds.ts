import { DEFAULT_VARIANT } from './records/cell-label.js';
import type { Cell } from './records/cell.js';

/** A run's cell, and what names the content of the target that it used; null where that is not known. */
export interface BuildUsed {
  cell: Pick<Cell, 'scenario' | 'variant'>;
  fingerprint: string | null;
}

/**
 * Warnings where runs of one scenario in one variant used different builds of the target: it was changed while the sweep ran,
 * or before a retry. Their results then say nothing about one build.
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
