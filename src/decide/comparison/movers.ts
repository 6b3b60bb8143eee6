import { type Count, isStratumTested, rate, type Stratum, sum } from '#statistics/pure';

/** The share of all changes in the direction of a verdict that the configurations behind it make up together. */
const MAX_SHARE = 0.6;
const SAME = 1e-9;
const NAMED = 3;

/**
 * Returns the configurations that moved a verdict about all of them together: the fewest whose changes make up most of
 * it, and how many have changed in its direction. None stands out if that takes more than a third of all.
 */
function movers<T extends Stratum>(all: readonly T[], verdict: 'better' | 'worse'): { found: T[]; moved: number } {
  const sign = verdict === 'better' ? 1 : -1;
  const tested = all.filter(isStratumTested);
  const changes = tested
    .map((one) => ({ one, by: sign * (rate(one.head) - rate(one.base)) }))
    .filter(({ by }) => by > SAME)
    .sort((a, b) => b.by - a.by);
  const most = MAX_SHARE * sum(changes, ({ by }) => by);
  let [covered, last] = [0, 0];
  const found: T[] = [];
  for (const { one, by } of changes) {
    // None of several equal ones is named alone.
    if (covered >= most && by < last - SAME) break;
    found.push(one);
    [covered, last] = [covered + by, by];
  }
  return { found: found.length > Math.max(1, tested.length / 3) ? [] : found, moved: changes.length };
}

/** Says which configurations moved a verdict about several; null if it is about one, or shows no difference. */
export function moversText<T extends Stratum>(
  all: readonly T[],
  verdict: string | null,
  {
    nameOf,
    sides: [before, now] = ['before', 'now'],
    sideText,
  }: { nameOf: (one: T) => string; sides?: [string, string]; sideText?: (side: Count) => string },
): string | null {
  if ((verdict !== 'better' && verdict !== 'worse') || all.filter(isStratumTested).length < 2) return null;
  const { found, moved } = movers(all, verdict);
  const [what, tested] = [verdict === 'better' ? 'rose' : 'fell', all.filter(isStratumTested).length];
  if (found.length === 0) return `${what} in ${moved} of ${tested} configurations, of which none stands out`;
  const text = (one: T): string =>
    `${nameOf(one)} (${(sideText ?? passedText)(one.base)} ${before}, ${(sideText ?? count)(one.head)} ${now})`;
  const more = found.length > NAMED ? ` and ${found.length - NAMED} more` : '';
  return `${what} mostly in ${found.slice(0, NAMED).map(text).join(', ')}${more}`;
}

const passedText = (side: Count): string => `${count(side)} passed`;
const count = ({ passed, tested }: Count): string => `${passed} of ${tested}`;
