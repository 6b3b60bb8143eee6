import pc from 'picocolors';
import { answer, type Grid, measureGrid, namer, neededRuns, reliabilityGrid, subjectGrid } from '#reports';
import { comparisonOf } from '#sweeps';
import type { ComparisonAnswer, ShownTable } from '../protocol.js';

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
  const colors = pc.createColors(false);
  const words = answer(comparison, namer(comparison.configurations), colors);
  const subjects = subjectGrid(comparison.subject_tokens);
  const tables = [
    shown('What the runs took and scored', measureGrid(comparison.total.measures, comparison.alpha, colors)),
    shown(subjects.title ?? '', subjects),
    shown('Reliability', reliabilityGrid(comparison)),
  ].filter(({ rows }) => rows.length > 0);
  const isOpen = comparison.verdict === 'no difference shown' || comparison.verdict === 'too few runs';
  return { comparison, words, tables, needed: isOpen ? neededRuns(comparison) : [] };
}

const SIDES: Readonly<Record<string, string>> = { base: 'Before', head: 'After' };

const shown = (title: string, { columns = [], rows, right = [] }: Grid): ShownTable => ({
  title,
  // as the page names the two sides
  columns: columns.map((name) => SIDES[name] ?? name),
  rows: rows.map((row) => [...row]),
  right: [...right],
});
