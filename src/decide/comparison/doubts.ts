import { counted } from '#lib';
import type { Decision } from '../decision/decision.js';
import { wasNeverStarted } from '../is-tested.js';
import { type SweepInputs, jsonDifferences } from './changes.js';
import type { Comparison } from './document.js';
import { resultsOfRetries, type Pair, type SweepResults } from './arms.js';

type SweepWithPrices = SweepResults & Pick<SweepInputs, 'prices'>;

/** Returns sentences about what makes the numbers of two sweeps less reliable than they look. */
export const doubtsOf = (base: SweepWithPrices, head: SweepWithPrices, pairs: readonly Pair[]): string[] => [
  ...sweepDoubts('base', base),
  ...sweepDoubts('head', head),
  ...errorDoubts(pairs),
  ...ageDoubts(base, head),
  ...(jsonDifferences(base.prices, head.prices).length === 0
    ? []
    : ['the prices in the config file differ: costs computed from them cannot be compared']),
];

/** The same for a baseline, of which no more is known than its numbers. */
export const baselineDoubts = (base: Comparison['base'], head: SweepResults, pairs: readonly Pair[]): string[] => [
  ...sweepDoubts('head', head),
  ...errorDoubts(pairs),
  ...ageDoubts(base, head),
];

function sweepDoubts(name: string, { status, cells, lines }: SweepResults): string[] {
  const again = resultsOfRetries(lines);
  const passed = again.filter(({ outcome }) => outcome === 'pass').length;
  const unchecked = lines.filter((line) => line.unchecked === true).length;
  const finished = new Set(lines.map(({ cell }) => cell));
  const waiting = cells.filter(({ id }) => !finished.has(id)).length;
  return [
    ...(status === 'open' ? [`${name} has not ended: ${counted(waiting, 'cell')} without a result yet`] : []),
    ...(unchecked === 0
      ? []
      : [`${name}: ${counted(unchecked, 'run')} checked nothing (no gates and no judge), and count in no rate`]),
    ...(again.length === 0
      ? []
      : [
          `${name}: ${counted(again.length, 'cell')} had a result and ran again (retry --failed), and ${passed} of them then passed; the first result counts`,
        ]),
  ];
}

const DAY = 86_400_000;
const MAX_DAYS = 14;

/** Models, providers and machines change. Nothing but running both sides together corrects that. */
function ageDoubts(base: Pick<Comparison['base'], 'started'>, head: Pick<SweepResults, 'started'>): string[] {
  const days = Math.floor((Date.parse(head.started) - Date.parse(base.started)) / DAY);
  return days >= MAX_DAYS ? [`base ran ${days} days before head: models and providers may have changed meanwhile`] : [];
}

/** The largest difference between shares of errors that is not reported. */
const ALIKE = 0.1;

/**
 * If errors depend on how the tool behaves, the remaining cells are not a fair sample. Running them again does not show
 * what they hid.
 */
function errorDoubts(pairs: readonly Pair[]): string[] {
  const of = (name: keyof Pair): { errors: number; redone: number; ended: number } => {
    const sum = (read: (side: Pair['base']['side']) => number): number =>
      pairs.reduce((all, pair) => all + read(pair[name].side), 0);
    return {
      errors: sum(({ errored, after_errors }) => errored + after_errors),
      redone: sum(({ after_errors }) => after_errors),
      ended: sum(({ errored, tested, shared }) => errored + tested + shared),
    };
  };
  const [base, head] = [of('base'), of('head')];
  const share = ({ errors, ended }: typeof base): number => (ended === 0 ? 0 : errors / ended);
  const areAlike = Math.abs(share(head) - share(base)) <= ALIKE;
  if (areAlike && Math.max(share(head), share(base)) <= ALIKE && base.redone + head.redone === 0) return [];
  const redone = base.redone + head.redone === 0 ? '' : ', or did so before they passed or failed';
  const cells = `${head.errors} of ${counted(head.ended, 'cell')} in head, ${base.errors} of ${base.ended} in base ended with an error${redone}`;
  return [
    areAlike
      ? `${cells}: even if both sides have as many, those of one may hide passes and those of the other failures`
      : `error rates differ: ${cells}; if errors depend on how a run goes, the remaining runs are not a fair sample`,
  ];
}

/**
 * Doubts about sweeps that did not run a number of cells that was fixed before. `decision`: that which replaces the
 * total.
 */
export function stopDoubts(base: SweepResults, head: SweepResults, decision: Decision | null): string[] {
  if (decision !== null)
    return [
      `these are the two sides of a sweep that ${stoppedText(decision)}: the verdict, its interval and its p allow for that, but those of single configurations, costs and other numbers do not`,
    ];
  const sides =
    base.sweep === head.sweep ? [['the sweep', base] as const] : [['base', base] as const, ['head', head] as const];
  return sides.flatMap(([name, sweep]) => [
    ...(sweep.decision == null
      ? []
      : [
          `${name} ${stoppedText(sweep.decision)}: how many runs there are depends on how they went, which p and interval do not allow for; a difference in favour of what it found appears more often than they say`,
        ]),
    ...budgetDoubt(name, sweep),
    ...(sweep.status === 'cancelled'
      ? [`${name} was cancelled: if whoever did so had seen results, these are no fair sample`]
      : []),
  ]);
}

const stoppedText = ({ stopped, measure }: Decision): string => {
  const command = `\`run --until-clear${measure === undefined ? '' : ` --measure ${measure}`}\``;
  return stopped === 'clear'
    ? `ran until its verdict was clear (${command})`
    : `was to run until its verdict is clear (${command}), and ${stopped === null ? 'has not ended' : `stopped for another reason: ${stopped}`}`;
};

function budgetDoubt(name: string, { lines, cells }: SweepResults): string[] {
  const last = new Map(lines.map((line) => [line.cell, line]));
  const unstarted = cells.filter(({ id }) => {
    const line = last.get(id);
    return line !== undefined && wasNeverStarted(line);
  }).length;
  return unstarted === 0
    ? []
    : [
        `${name}: ${unstarted} ${unstarted === 1 ? 'cell was' : 'cells were'} never started, because of the budget: which ones may depend on what the others have cost`,
      ];
}
