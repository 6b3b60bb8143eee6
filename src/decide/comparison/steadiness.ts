import { pEquals } from '#lib';
import { testDifference } from '#statistics';
import type { Pair, Sample } from './samples.js';

/** Small, because every comparison is tested twice. */
const ALPHA = 0.01;

/**
 * Says for each side if its pass rate has changed while it ran: the second half of the runs of each configuration is compared with the
 * first. Runs that pass and fail by chance are flaky; these fail together, for a reason that may have nothing to do with what is compared.
 */
export const steadinessDoubts = (pairs: readonly Pair[]): string[] =>
  (['base', 'head'] as const).flatMap((name) => {
    const halves = pairs.map((pair) => halvesOf(pair[name].samples));
    const { p, verdict } = testDifference(halves, { alpha: ALPHA });
    if (p === null || (verdict !== 'better' && verdict !== 'worse')) return [];
    const rateOf = (half: 'base' | 'head'): string =>
      `${halves.reduce((all, one) => all + one[half].passed, 0)} of ${halves.reduce((all, one) => all + one[half].tested, 0)}`;
    return [
      `the pass rate of ${name} ${verdict === 'better' ? 'rose' : 'fell'} while it ran: ${rateOf('base')} of the first runs passed, ${rateOf('head')} of the last (${pEquals(p, ALPHA)}); its runs are not a fair sample`,
    ];
  });

function halvesOf(samples: readonly Sample[]) {
  const inOrder = [...samples].sort((a, b) => Date.parse(a.timestamp) - Date.parse(b.timestamp));
  const middle = Math.floor(inOrder.length / 2);
  const count = (half: readonly Sample[]) => ({
    passed: half.filter(({ outcome }) => outcome === 'pass').length,
    tested: half.length,
  });
  return { base: count(inOrder.slice(0, middle)), head: count(inOrder.slice(middle)) };
}
