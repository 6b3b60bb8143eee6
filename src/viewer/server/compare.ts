import pc from 'picocolors';
import { comparisonOf } from '../../client/sweeps/comparison-of.js';
import { answer } from '../../reports/comparison-answer.js';
import { namer } from '../../reports/comparison-tables.js';
import type { ComparisonAnswer } from '../protocol.js';

interface Sides {
  base: string;
  head: string;
  /** The variants of base and head; empty: each variant is compared with itself. */
  variants: readonly string[];
}

/** Compares two sweeps or variants, as `compare` does. @throws UsageError if there are no such sweeps or variants */
export async function comparisonFor(
  { resultsPath, warn }: { resultsPath: string; warn: (text: string) => void },
  { base, head, variants }: Sides,
): Promise<ComparisonAnswer> {
  const comparison = await comparisonOf(resultsPath, base, head, { variants, warn });
  const words = answer(comparison, namer(comparison.configurations), pc.createColors(false));
  return { comparison, words };
}
