import { stripVTControlCharacters } from 'node:util';
import { ALPHA, configurationsIn, expectedOf, forecast, MAX_RUNS, POWER } from '#decide';
import { UsageError } from '#lib';
import {
  answer,
  curveColumns,
  curveRow,
  forecastAnswer,
  forecastHints,
  type Grid,
  measureGrid,
  namer,
  neededRuns,
  reliabilityGrid,
  subjectGrid,
  sureVerdict,
} from '#reports';
import { resultsIndex } from '#store';
import { comparisonOf, findPlan } from '#sweeps';
import type { ComparisonAnswer, ForecastAnswer, ShownTable } from '../protocol.js';

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
  const words = answer(comparison, namer(comparison.configurations)).map(plain);
  const subjects = subjectGrid(comparison.subject_tokens);
  const tables = [
    shown('What the runs took and scored', measureGrid(comparison.total.measures, comparison.alpha)),
    shown(subjects.title ?? '', subjects),
    shown('Reliability', reliabilityGrid(comparison)),
  ].filter(({ rows }) => rows.length > 0);
  const isOpen = comparison.verdict === 'no difference shown' || comparison.verdict === 'too few runs';
  return {
    comparison,
    words,
    sure: sureVerdict(comparison)?.verdict ?? null,
    tables,
    needed: isOpen ? neededRuns(comparison) : [],
  };
}

/** Without the colours of a terminal. */
const plain = (text: string): string => stripVTControlCharacters(text);

const SIDES: Readonly<Record<string, string>> = { base: 'Before', head: 'After' };

const shown = (title: string, { columns = [], rows, right = [] }: Grid): ShownTable => ({
  title,
  // As the page names the two sides.
  columns: columns.map((name) => SIDES[name] ?? name),
  rows: rows.map((row) => row.map(plain)),
  right: [...right],
});

/**
 * Says what it takes to show a change of what a sweep runs, as `plan` does, by the measure that decides the sweep.
 * `points`: the change in percentage points.
 *
 * @throws UsageError if there is no such sweep, or the change is none
 */
export function forecastFor(resultsPath: string, sweep: string, points: number): ForecastAnswer {
  if (!(points > 0 && points < 100)) throw new UsageError('usage', 'expected a change above 0 and below 100 points');
  const { cells, concurrency, max_usd: maxUsd, until_clear: untilClear } = findPlan(resultsPath, sweep);
  const measure = untilClear?.measure ?? 'passes';
  const { results } = resultsIndex(resultsPath).digests();
  const document = forecast(
    configurationsIn(cells).map((one) => expectedOf(one, results, { measure })),
    {
      measure,
      effect: points / 100,
      power: POWER,
      alpha: ALPHA,
      concurrency,
      maxUsd,
      maxRuns: MAX_RUNS,
      sides: 2,
    },
  );
  return {
    forecast: document,
    answers: forecastAnswer(document),
    curve: {
      title: 'What other numbers of runs show',
      columns: curveColumns(concurrency),
      rows: document.curve.map(curveRow),
      right: [0, 1, 2, 3, 4],
    },
    hints: forecastHints(document),
  };
}
