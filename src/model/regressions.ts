import { z } from 'zod';
import { testDifference } from '#statistics';
import { KeptText } from './records/redact-fields.js';

/** Something that is worse than in all runs of the same configuration before. */
export const Regression = z.object({
  kind: z.enum(['score', 'gate', 'cost']).describe('What got worse'),
  message: z.string().describe('In a sentence'),
  since: KeptText.describe('Id of the previous run of the cell'),
  runs: z.int().exactOptional().describe('Number of runs that it is compared with; absent: one'),
});
export type Regression = z.infer<typeof Regression>;

/** The values of a run that are compared. Scores are from 0 to 1, the cost is in US dollars; null: unknown. */
export interface Comparable {
  composite_score: number | null;
  judge_score: number | null;
  cost_usd: number | null;
  gatesPassed: readonly string[];
}

/** Thresholds (specs/reference/documents.md): a score down by 15 %, a cost up by 50 %. */
const SCORE_LOSS = 0.15;
const COST_RISE = 0.5;
/** Rounding errors must not decide whether a change is exactly 15 %. */
const EPSILON = 1e-9;

/**
 * Returns what is worse now than in `before`, the previous run of the cell, and in all `others`, the runs of the same
 * configuration beside it, so that what differs from run to run anyway does not count. A value that is unknown on
 * either side is not compared. Only one score is compared: the composite score, or the judge's score where a composite
 * one is missing.
 */
export function findRegressions(
  before: Comparable & { id: string },
  now: Omit<Comparable, 'gatesPassed'> & { gatesFailed: readonly string[] },
  others: readonly Comparable[] = [],
): Regression[] {
  const regression = (kind: Regression['kind'], message: string): Regression => ({
    kind,
    message,
    since: before.id,
    ...(others.length === 0 ? {} : { runs: others.length + 1 }),
  });
  const valuesBefore = (key: 'composite_score' | 'judge_score' | 'cost_usd'): number[] =>
    before[key] === null ? [] : [before, ...others].flatMap((one) => one[key] ?? []);
  const found: Regression[] = [];
  for (const [name, key] of [
    ['composite score', 'composite_score'],
    ['judge score', 'judge_score'],
  ] as const) {
    const [known, is] = [valuesBefore(key), now[key]];
    if (known.length === 0 || is === null) continue;
    const was = Math.min(...known);
    if (was > 0 && is / was <= 1 - SCORE_LOSS + EPSILON)
      found.push(regression('score', `${name} down ${percent(1 - is / was)}: ${was.toFixed(2)} to ${is.toFixed(2)}`));
    break;
  }
  for (const gate of now.gatesFailed) {
    if ([before, ...others].every(({ gatesPassed }) => gatesPassed.includes(gate)))
      found.push(regression('gate', `gate newly failing: ${gate}`));
  }
  const [known, is] = [valuesBefore('cost_usd'), now.cost_usd];
  const was = Math.max(...known);
  if (known.length > 0 && is !== null && was > 0 && is / was >= 1 + COST_RISE - EPSILON) {
    found.push(regression('cost', `cost up ${percent(is / was - 1)}: $${was} to $${is}`));
  }
  return found;
}

const ALPHA = 0.05;

/**
 * Returns whether something that is worse in `worse` of a configuration's `runs`, and was so in none of the `earlier`
 * ones, is more than chance would show in a sweep of so many configurations. Otherwise nearly every sweep would have
 * some.
 */
export function isBeyondChance({
  worse,
  runs,
  earlier,
  configurations,
}: Record<'worse' | 'runs' | 'earlier' | 'configurations', number>): boolean {
  const stratum = {
    base: { passed: earlier, tested: earlier },
    head: { passed: runs - worse, tested: runs },
  };
  const { p } = testDifference([stratum], { alpha: ALPHA });
  return p !== null && p * configurations <= ALPHA;
}

const percent = (share: number): string => `${Math.round(share * 100)} %`;
