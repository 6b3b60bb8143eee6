import { colors } from '../blocks/terminal.js';
import { type Comparison, type ComparisonVerdict, driftText, moversText, withoutDriftText } from '#decide';
import { firstLevel } from '#statistics';
import { betweenText, levelText, percent, points, pText, terminalText } from '#lib';
import type { Namer } from './tables.js';

/** Renders the verdict in words that need no statistics, with the numbers of runs behind it. */
export function answer(comparison: Comparison, name: Namer): string[] {
  const { verdict, total, configurations } = comparison;
  if (total.difference === null) return [headline(verdict, true), `  ${emptyReason(total)}`];
  const tested = configurations.filter(({ p }) => p !== null);
  const isPerhaps = total.robust === false;
  const alone = tested.filter(
    (one) => isShown(one.verdict) && (one.verdict !== verdict || (isPerhaps && one.robust !== false)),
  );
  return [
    `${headlineOf(comparison)}: ${passRates(comparison, tested.length)}`,
    ...[
      ...(isPerhaps && comparison.judge_drift?.explains !== true ? [doubtReason(total)] : []),
      ...change(comparison),
      ...moved(comparison, name),
      ...pooled(comparison, tested.length),
      ...margin(comparison),
      ...otherScenarios(comparison),
      ...laterLook(comparison),
      ...judge(comparison),
    ].map((line) => `  ${line}`),
    ...alone
      .slice(0, MAX_SINGLE)
      .map((one) => `  ${headline(one.verdict, one.robust !== false)} on its own: ${name(one).join(' ')}`),
    ...(alone.length > MAX_SINGLE ? [`  and ${alone.length - MAX_SINGLE} more, see below`] : []),
  ];
}

/** The table lists all of them. */
const MAX_SINGLE = 3;

const isShown = (verdict: ComparisonVerdict): boolean => verdict === 'better' || verdict === 'worse';

/**
 * Returns what is sure, and in how many single configurations if it is not so in all together: first a loss, for which
 * `--gate` fails. A gain of single ones counts if all together show nothing. Null: nothing is sure.
 */
export function sureVerdict({
  verdict,
  total,
  configurations,
}: Pick<Comparison, 'verdict' | 'total' | 'configurations'>): {
  verdict: 'better' | 'worse';
  part: number | null;
} | null {
  const isSure = isShown(verdict) && total.robust !== false;
  const sure = configurations.filter(({ robust }) => robust !== false);
  const worse = sure.filter((one) => one.verdict === 'worse' && one.not_worse?.holds !== true).length;
  const better = sure.filter((one) => one.verdict === 'better').length;
  if (verdict === 'worse' && isSure) return { verdict, part: null };
  if (worse > 0) return { verdict: 'worse', part: worse };
  if (verdict === 'better' && isSure) return { verdict, part: null };
  return isShown(verdict) || better === 0 ? null : { verdict: 'better', part: better };
}

function headlineOf(comparison: Comparison): string {
  const { verdict, total, configurations } = comparison;
  const sure = sureVerdict(comparison);
  const isSure = total.robust !== false;
  if (sure === null || sure.part === null) return headline(verdict, isSure);
  const tested = configurations.filter(({ p }) => p !== null).length;
  const inTotal =
    verdict === 'no difference shown' || verdict === 'too few runs'
      ? NOTHING_SHOWN[verdict]
      : `${isSure ? '' : 'perhaps '}${verdict}`;
  return `${headline(sure.verdict, true)} in ${sure.part} of ${tested} configurations; in total, ${inTotal}`;
}

const NOTHING_SHOWN = {
  'no difference shown': 'no difference shown',
  'too few runs': 'too few runs to show any difference',
} as const;

function headline(verdict: ComparisonVerdict, isRobust: boolean): string {
  switch (verdict) {
    case 'better':
    case 'worse':
      if (!isRobust) return colors.yellow(`? perhaps ${verdict}`);
      return verdict === 'better' ? colors.green('✓ better') : colors.red('✗ worse');
    case 'no difference shown':
    case 'too few runs':
      return colors.yellow(`? ${NOTHING_SHOWN[verdict]}`);
    case 'nothing to compare':
      return colors.yellow('- nothing to compare');
  }
}

const doubtReason = ({ base, head }: Comparison['total']): string =>
  base.after_errors + head.after_errors > 0
    ? 'cells without a result, or with one only after an error, could be the reason'
    : 'cells without a result could be the reason';

const emptyReason = ({ base, head }: Comparison['total']): string =>
  base.shared + head.shared > 0
    ? 'one sweep reused the runs of the other, so there is no difference to test'
    : 'no configuration has runs that passed or failed in both';

/** Variants of one sweep ran side by side, so none of them was "before" the other. */
function passRates(comparison: Comparison, configurations: number): string {
  const [before, now] = sidesOf(comparison);
  const { base, head } = comparison.total;
  if (configurations > 1) return `${rate(base.rate)} passed ${before}, ${rate(head.rate)} ${now} on average`;
  return `${base.passed} of ${base.tested} passed ${before}, ${head.passed} of ${head.tested} ${now}`;
}

const sidesOf = ({ base, head }: Comparison): [string, string] =>
  base.variant === null || head.variant === null
    ? ['before', 'now']
    : [`in variant ${terminalText(base.variant)}`, `in variant ${terminalText(head.variant)}`];

const rate = (share: number | null): string => `${percent(share ?? 0)} %`;

/** Says by how much the pass rate has changed, and between which bounds the true change probably lies. */
function change({ verdict, total: { difference, interval, smallest_p }, alpha }: Comparison): string[] {
  if (difference === null || interval === null || smallest_p === null) return [];
  const size = `${percent(Math.abs(difference))} points`;
  switch (verdict) {
    case 'better':
      return [`the pass rate rose by ${size} (between ${betweenText(interval.low, interval.high)})`];
    case 'worse':
      return [`the pass rate fell by ${size} (between ${betweenText(-interval.high, -interval.low)})`];
    case 'too few runs':
      return [
        `even the largest difference could be chance (p = ${pText(smallest_p, alpha)}, above ${levelText(alpha)})`,
      ];
    case 'no difference shown':
      return [
        `the true change may be anything from ${percent(-interval.low)} points down to ${percent(interval.high)} points up`,
      ];
    case 'nothing to compare':
      return [];
  }
}

/** An average does not show that one configuration fell from 10 of 10 to 3 of 10. */
function moved(comparison: Comparison, name: Namer): string[] {
  const { configurations, verdict } = comparison;
  const text = moversText(configurations, verdict, {
    nameOf: (one) => name(one).join(' '),
    sides: sidesOf(comparison),
  });
  return text === null ? [] : [text];
}

/** The sum of all runs favours configurations with many runs, so it can even point the other way. */
function pooled(comparison: Comparison, configurations: number): string[] {
  const { base, head, difference } = comparison.total;
  if (configurations < 2 || difference === null) return [];
  const [before, now] = sidesOf(comparison);
  const raw = head.passed / head.tested - base.passed / base.tested;
  return [
    `all runs of ${configurations} configurations: ${base.passed} of ${base.tested} passed ${before}, ${head.passed} of ${head.tested} ${now}`,
    ...(raw * difference < 0 ? ['these sums mislead: the sides have different shares of easy configurations'] : []),
  ];
}

/** The numbers above are about the scenarios that ran. */
const otherScenarios = ({ total: { other_scenarios: others } }: Comparison): string[] =>
  others === null
    ? []
    : [`for scenarios like these: between ${points(others.interval.low)} and ${points(others.interval.high)} points`];

/** The level of a first look is that of nearly every comparison. */
export const laterLook = ({ look, alpha }: Pick<Comparison, 'look' | 'alpha'>): string[] =>
  look === undefined || (look.number < 2 && alpha >= firstLevel(look.of_alpha))
    ? []
    : [
        `${look.number < 2 ? 'run --until-clear has asked this' : `look ${look.number} of this question`}: tested at ${levelText(alpha)}; all looks share ${look.of_alpha}`,
      ];
const judge = ({ judge_drift: drift }: Comparison): string[] =>
  drift === undefined ? [] : [driftText(drift), ...withoutDriftText(drift)].map(terminalText);

function margin({ verdict, margin, total: { not_worse, equivalent } }: Comparison): string[] {
  if (margin === null || not_worse === null) return [];
  const allowed = `${percent(margin)} points`;
  if (equivalent === true) return [`equivalent: neither worse nor better by ${allowed} or more`];
  if (!not_worse.holds)
    return [`not shown to be within ${allowed}: it may be up to ${percent(-not_worse.bound)} points worse`];
  const claim = `not worse by ${allowed} or more`;
  if (not_worse.bound <= -margin) return [claim];
  if (not_worse.bound < 0) return [`${claim}: at most ${percent(-not_worse.bound)} points`];
  // The bound is one-sided: it may exclude a fall that the interval above does not.
  return [verdict === 'better' ? `${claim}: the pass rate has not fallen` : claim];
}
