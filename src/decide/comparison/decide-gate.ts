import { configurationLabel } from '#model';
import type { ComparisonOptions } from './document.js';
import type { Gate } from './gate.js';
import type { Side } from './side.js';
import { hidden, stratumOf, untested, type BoundedFindings, type Findings } from './findings.js';
import { moversText } from './movers.js';
import type { Arm, Pair } from './arms.js';

/**
 * Decides the result of `--gate`. It fails closed: head passes only if everything that base tested was tested again,
 * and hidden cells could not make it worse; it is called `not worse` only if that is shown. On the other hand, head is
 * not called worse if only hidden cells could make it so. `onlyInBase`: configurations that head does not have.
 */
export function decideGate(
  findings: BoundedFindings,
  pairs: readonly Pair[],
  onlyInBase: readonly Arm[],
  options: ComparisonOptions,
): Gate {
  const { margin } = options;
  const [actual, worst] = [gateOf(findings.actual, margin), gateOf(findings.worstForHead, margin)];
  if (actual === 'worse') {
    const sure = surelyWorse(findings);
    return sure.total || sure.configurations.includes(true)
      ? { result: 'worse', reasons: reasonsForWorse(sure, pairs) }
      : { result: 'not tested', reasons: [doubt(pairs, true)] };
  }
  const dropped = onlyInBase.filter(({ side }) => results(side) > 0);
  const withoutHead = pairs.filter(({ base, head }) => results(base.side) > 0 && results(head.side) === 0);
  const reasons = [
    ...(pairs.some(({ base, head }) => results(base.side) > 0 && results(head.side) > 0)
      ? []
      : ['no configuration has runs that passed or failed in both']),
    ...sentence(dropped, 'tested in base, missing in head'),
    ...sentence(
      withoutHead.map(({ head }) => head),
      'tested in base, but no run of head passed or failed',
    ),
    ...unfinished(pairs),
    ...(worst === 'worse' || (worst === 'undecided' && actual !== 'undecided') ? [doubt(pairs, false)] : []),
  ];
  if (reasons.length > 0) return { result: 'not tested', reasons };
  return actual === 'undecided'
    ? { result: 'undecided', reasons: [undecidedReason(findings.actual, margin)] }
    : { result: worst === 'not shown' ? worst : actual, reasons: [] };
}

/** Number of cells that passed or failed, including those not counted because the other side has the same run. */
const results = ({ tested, shared }: Side): number => tested + shared;

/**
 * All configurations together and each by itself are tested at the full level, two-sided. An alarm needs a fall, so
 * each of the two has half of the level: they share it.
 */
function gateOf(
  { total, configurations }: Findings,
  margin: number | null,
): 'worse' | 'not worse' | 'not shown' | 'undecided' {
  if ([total, ...configurations].some(isTooMuchWorse)) return 'worse';
  // If all results were reused, the inputs are the same, and so are the results.
  if (total.verdict === 'nothing to compare' || total.not_worse?.holds === true) return 'not worse';
  if (margin !== null || total.verdict === 'too few runs') return 'undecided';
  return total.verdict === 'better' ? 'not worse' : 'not shown';
}

/** True if something is worse, and not shown to be worse by less than the margin. */
const isTooMuchWorse = ({ verdict, not_worse }: Pick<Findings['total'], 'verdict' | 'not_worse'>): boolean =>
  verdict === 'worse' && not_worse?.holds !== true;

/** True for the total or a configuration if it is worse, whatever the hidden cells would have shown. */
interface SurelyWorse {
  total: boolean;
  configurations: boolean[];
}

const surelyWorse = ({ actual, bestForHead: best }: BoundedFindings): SurelyWorse => ({
  total: isTooMuchWorse(actual.total) && isTooMuchWorse(best.total),
  configurations: actual.configurations.map(
    (one, at) => isTooMuchWorse(one) && best.configurations.slice(at, at + 1).some(isTooMuchWorse),
  ),
});

/** Names the configurations that moved the total, or those that are worse if all together are not. */
function reasonsForWorse({ total, configurations }: SurelyWorse, pairs: readonly Pair[]): string[] {
  if (total) {
    const compared = pairs.map((pair) => ({ ...stratumOf(pair), ...pair.head.configuration }));
    const moved = moversText(compared, 'worse', { nameOf: configurationLabel });
    return moved === null ? [] : [`the pass rate ${moved}`];
  }
  const worse = pairs.filter((_, at) => configurations[at] === true);
  const text = ({ base, head }: Pair): string =>
    `${configurationLabel(head.configuration)} (${count(base.side)} before, ${count(head.side)} now)`;
  return [`worse on its own: ${listOf(worse.map(text))}`];
}

const count = ({ passed, tested }: Side): string => `${passed} of ${tested} passed`;

const undecidedReason = ({ total: { not_worse } }: Findings, margin: number | null): string =>
  margin === null || not_worse === null
    ? 'too few runs to show that head is worse'
    : `head may be worse by up to ${points(-not_worse.bound)} points, and ${points(margin)} are too many`;

const points = (share: number): number => Number((100 * share).toFixed(1));

function doubt(pairs: readonly Pair[], isWorse: boolean): string {
  const all = (name: keyof Pair, of: (side: Side) => number): number =>
    pairs.reduce((sum, pair) => sum + of(pair[name].side), 0);
  const count = (name: keyof Pair): number => all(name, hidden);
  const isAnyRedone = (['base', 'head'] as const).some((name) => all(name, hidden) > all(name, untested));
  const what = isAnyRedone ? 'were not tested, or only after an error' : 'were not tested';
  const otherwise = isWorse
    ? 'if those of head passed and those of base failed, head would not be worse'
    : 'if those of head failed and those of base passed, head would be worse';
  return `${count('head')} cells of head and ${count('base')} of base ${what}: ${otherwise}`;
}

/** The results to come are not a sample of all: those that take long are missing. */
function unfinished(pairs: readonly Pair[]): string[] {
  const waiting = (name: keyof Pair): number => pairs.reduce((sum, pair) => sum + pair[name].side.waiting, 0);
  return (['head', 'base'] as const).flatMap((name) =>
    waiting(name) === 0 ? [] : [`${waiting(name)} cells of ${name} have no result yet`],
  );
}

const sentence = (arms: readonly Arm[], what: string): string[] =>
  arms.length === 0 ? [] : [`${what}: ${listOf(arms.map(({ configuration }) => configurationLabel(configuration)))}`];

const NAMED = 3;

const listOf = (names: readonly string[]): string =>
  names.slice(0, NAMED).join(', ') + (names.length > NAMED ? ` and ${names.length - NAMED} more` : '');
