// Workflow code imports this file, so it contains only plain functions.
import { assertNever, pEquals, percent, points } from '#lib/pure';
import { configurationLabel, DEFAULT_VARIANT } from '#model/pure';
import { moversText } from '../comparison/movers.js';
import type { Decision } from './decision.js';

type ShownDecision = Omit<Decision, 'configurations' | 'doubts' | 'judge_drift' | 'runs_again'> &
  Partial<Pick<Decision, 'runs_again'>>;

/** Says what was decided: "guided is worse than bare: pass rate -70 points (between -91 and -28)". */
export const decisionText = (decision: ShownDecision): string => `${verdictText(decision)}${estimateText(decision)}`;

/**
 * Says how far the sweep is, or why it has stopped: "stopped after 20 of at most 40 runs, because the verdict is
 * clear".
 */
export function progressText(decision: ShownDecision): string {
  const {
    stopped,
    runs,
    runs_again = 0,
    most_runs: most,
    rounds,
    spent_alpha,
    alpha,
    p,
    spent_before,
    measure,
  } = decision;
  const again = runs_again > 0 ? `, ${runs_again} more after errors` : '';
  const done = `${runs} of at most ${most} runs${again}`;
  const spent = `${Number(spent_alpha.toFixed(4))} of the significance level of ${alpha} spent${spent_before === undefined ? '' : `, what earlier ones left of ${spent_before.of_alpha}`}`;
  const shared = `all share the significance level of ${alpha}${spent_before === undefined ? '' : `, what earlier ones left of ${spent_before.of_alpha}`}`;
  const looks = `${rounds} ${rounds === 1 ? 'look' : 'looks'}, ${measure === 'reward' ? shared : spent}`;
  if (stopped === null) return `${done}; ${looks}`;
  const saved = (stopped === 'clear' || stopped === 'futile') && most > runs ? ` (${most - runs} saved)` : '';
  return `stopped after ${done}${saved}: ${reasonText(decision, stopped)}; ${looks}${p == null ? '' : `, ${pEquals(p, alpha)}`}`;
}

/** Says which configurations moved a decision about several; empty if it is about one, or shows no difference. */
export function decisionMovers(decision: Decision): string[] {
  const { configurations, verdict, base, head_variant, measure } = decision;
  const isReward = measure === 'reward';
  const moved = moversText(isReward ? configurations.map(asRates) : configurations, verdict, {
    ...(isReward ? { sideText: ({ passed, tested }) => (passed / tested).toFixed(2) } : {}),
    nameOf: (one) => configurationLabel({ ...one, variant: DEFAULT_VARIANT }),
    ...(base.variant === null || head_variant === null ? {} : { sides: [`in ${base.variant}`, `in ${head_variant}`] }),
  });
  return moved === null ? [] : [`the ${measureText(decision)} ${moved}`];
}

/** With mean rewards in place of pass rates. */
function asRates(one: Decision['configurations'][number]): Decision['configurations'][number] {
  const of = ({ reward = 0, tested }: typeof one.base): typeof one.base => ({ passed: reward * tested, tested });
  return { ...one, base: of(one.base), head: of(one.head) };
}

const measureText = ({ measure }: Pick<ShownDecision, 'measure'>): string =>
  measure === 'reward' ? 'mean reward' : 'pass rate';

/** Formats a difference: "+12 points", or "+0.12" of a mean reward. */
function changeText(difference: number, { measure }: Pick<ShownDecision, 'measure'>): string {
  if (measure !== 'reward') return points(difference);
  const text = Math.abs(difference).toFixed(2);
  return Number(text) === 0 ? text : `${difference > 0 ? '+' : '-'}${text}`;
}

function verdictText(decision: ShownDecision): string {
  const { verdict, stopped, base, head_variant, margin } = decision;
  const head = head_variant ?? 'this sweep';
  const other = base.variant ?? base.sweep ?? 'the base';
  const limit = limitText(margin, decision);
  switch (verdict) {
    case 'better':
    case 'worse':
      return `${head} is ${verdict} than ${other}`;
    case 'not worse':
      return `${head} is not worse than ${other} by ${limit} or more`;
    case 'equivalent':
      return `${head} and ${other} differ by less than ${limit}`;
    case 'undecided':
      return `${stopped === null ? 'not clear yet' : 'undecided'} whether ${head} is better or worse than ${other}`;
    case 'not tested':
      return `whether ${head} is better or worse than ${other} could not be tested`;
    default:
      return assertNever(verdict);
  }
}

const limitText = (share: number | null | undefined, { measure }: Pick<ShownDecision, 'measure'>): string =>
  measure === 'reward' ? String(share) : `${Math.round((share ?? 0) * 1000) / 10} points`;

function estimateText(decision: ShownDecision): string {
  const { difference, interval, other_scenarios: others, measure } = decision;
  if (difference === null || interval === null) return '';
  const between = ({ low, high }: NonNullable<ShownDecision['interval']>): string =>
    `between ${changeText(low, decision)} and ${changeText(high, decision)}`;
  const elsewhere = others === undefined ? '' : `; for scenarios like these ${between(others)}`;
  const unit = measure === 'reward' ? '' : ' points';
  return `: ${measureText(decision)} ${changeText(difference, decision)}${unit} (${between(interval)}${elsewhere})`;
}

function reasonText(decision: ShownDecision, stopped: NonNullable<Decision['stopped']>): string {
  const { effect, verdict, measure } = decision;
  switch (stopped) {
    case 'clear':
      return verdict === 'not tested'
        ? 'the runs are clear, but the judge could be the reason'
        : 'the verdict is clear';
    case 'futile':
      return `the runs left would show a change of ${limitText(effect?.difference, decision)} in only ${percent(effect?.power ?? 0)} % of cases`;
    case 'most runs':
      return 'no runs are left';
    case 'budget':
      return 'the budget is used up';
    case 'errors':
      return measure === 'reward'
        ? 'too many runs have no reward from 0 to 1'
        : 'too many runs neither passed nor failed';
    case 'cancelled':
      return 'it was cancelled';
    default:
      return assertNever(stopped);
  }
}
