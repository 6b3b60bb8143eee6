import { colors, type Grid } from '../blocks/terminal.js';
import {
  type Change,
  type Comparison,
  type Configuration,
  driftText,
  judgeCheck,
  type Side,
  type SpentBefore,
} from '#decide';
import { formatAge, levelText, percent, terminalText, truncate } from '#lib';
import { scenarioLabel } from '#model';
import { POOL } from '#statistics';
import type { Namer } from './tables.js';

/* The parts of a comparison that the terminal and Markdown show alike, besides its tables of numbers. */

export interface ComparisonView {
  /** ms since the epoch */
  now: number;
  /** Formats a command of this program for display. */
  command: (words: string) => string;
  /** Say what each number means. */
  explain?: boolean;
}

/** Says why `--gate` would not pass. A reason that the answer already gives is left out. */
export const gateReasons = ({ gate, verdict, judge_drift: drift }: Comparison): string[] =>
  gate.result !== 'not tested'
    ? []
    : gate.reasons
        .filter((_, at) => verdict !== 'nothing to compare' || at > 0)
        .filter((reason) => drift === undefined || reason !== driftText(drift))
        .map((reason) => `not tested: ${terminalText(reason)}`);

/** Says which sweeps are compared, and what is not counted of them. */
export function sweepGrid({ base, head, total }: Comparison, now: number): Grid {
  const row = (
    label: string,
    { sweep, variant, started, status, baseline }: Comparison['base'],
    side: Side,
  ): string[] => [
    label,
    terminalText(baseline ?? (variant === null ? sweep : `${variant} of ${sweep}`)),
    formatAge(now - Date.parse(started)),
    [...(status === 'completed' ? [] : [status]), `${side.tested} compared`, ...notCounted(side)].join(', '),
  ];
  return { rows: [row('base', base, total.base), row('head', head, total.head)] };
}

const notCounted = ({ reused, shared, retried, after_errors, errored, cancelled, waiting }: Side): string[] =>
  [
    [after_errors, 'after an error'] as const,
    [retried, 'ran again'] as const,
    [reused, 'reused from earlier sweeps'] as const,
    [shared, `shared ${shared === 1 ? 'run' : 'runs'} left out`] as const,
    [errored, `${errored === 1 ? 'error' : 'errors'} left out`] as const,
    [cancelled, 'cancelled'] as const,
    [waiting, 'not finished'] as const,
  ].flatMap(([count, word]) => (count === 0 ? [] : [`${count} ${word}`]));

/** Says which versions of the agents ran on both sides. */
export function versionGrid({ configurations }: Comparison): Grid {
  const rows = configurations.flatMap(({ agent, agent_ran: ran }): [string, string[]][] => {
    if (ran === undefined) return [];
    const texts = [ran.base, ran.head].map(({ versions }) => terminalText(versions?.join(', ') ?? 'n/a'));
    const row = [terminalText(agent), [...new Set(texts)].join(' → ')];
    return [[row.join('\n'), row]];
  });
  return { columns: ['agent', 'version'], rows: [...new Map(rows).values()] };
}

/** Lists the gates that fail more often, or less often, than before. */
export function gateGrid({ configurations }: Comparison, change: 'better' | 'worse', name: Namer): Grid {
  const several = configurations.length > 1;
  return {
    title: change === 'worse' ? colors.red('gates that fail more often') : colors.green('gates that fail less often'),
    rows: configurations.flatMap((one) =>
      one.gates
        .filter((gate) => gate.change === change)
        .map(({ gate, base, head }) => [
          `${base.passed}/${base.checked} → ${head.passed}/${head.checked}`,
          terminalText(gate),
          ...(several ? [colors.dim(name(one).join(' '))] : []),
        ]),
    ),
    indent: '  ',
  };
}

/** Says that nothing else has changed between the sweeps; null if something has, which `changeGrid` lists. */
export function unchangedText({ changes, configurations }: Comparison): string | null {
  if (configurations.length === 0 || changes.length > 0) return null;
  return configurations.every(({ same_inputs }) => same_inputs === true)
    ? 'no changes between them: any difference is chance, or has a cause outside the inputs'
    : 'no known changes between them';
}

/** Lists what else has changed between the sweeps. */
export function changeGrid({ changes, configurations }: Comparison): Grid {
  return {
    title: 'changes between them',
    rows:
      configurations.length === 0
        ? []
        : changes.map((change) => [
            change.doubtful ? colors.yellow('?') : ' ',
            changeText(change),
            colors.dim(truncate(concerned(change, configurations), MAX_NAMES)),
          ]),
    indent: '  ',
    notes: changes.some(({ doubtful }) => doubtful)
      ? ['  ? can cause a difference by itself, regardless of the tool']
      : [],
  };
}

/** Columns for the scenarios or agents that a change concerns. */
const MAX_NAMES = 24;

/** Returns the scenarios or agents that a change concerns; '' if it concerns all. */
function concerned({ of }: Change, all: readonly Configuration[]): string {
  const isAll = all.every((one) =>
    [scenarioLabel(one), one.agent, `${one.agent}/${one.model}`].some((name) => of.includes(name)),
  );
  return isAll ? '' : of.map(terminalText).join(', ');
}

const changeText = ({ what, base, head }: Change): string =>
  terminalText(base === null && head === null ? what : `${what}: ${base ?? 'none'} → ${head ?? 'none'}`);

/** Names configurations that only one side has. */
export function leftOut({ only_in_base, only_in_head }: Comparison): string[] {
  const line = (side: string, list: readonly Configuration[]): string[] =>
    list.length === 0 ? [] : [`${list.length} only in ${side}, not compared: ${list.map(fullName).join(', ')}`];
  return [...line('base', only_in_base), ...line('head', only_in_head)];
}

const fullName = (one: Configuration): string => terminalText(`${scenarioLabel(one)} ${one.agent}/${one.model}`);

/** Says what to do next. */
export const hints = (comparison: Comparison, options: ComparisonView): string[] => [
  ...judgeHint(comparison, options),
  ...nextSteps(comparison, options),
];

/** More runs do not help against a judge that may have moved. */
function judgeHint(
  { base, head, verdict, total, judge_drift: drift }: Comparison,
  { command }: ComparisonView,
): string[] {
  const isClaimed = verdict === 'better' || verdict === 'worse' || total.not_worse?.holds === true;
  const check = drift === undefined ? null : judgeCheck(drift, { base: base.sweep, head: head.sweep });
  if (check === null || !(isClaimed || drift?.explains === true)) return [];
  const question = drift?.state === 'not checked' ? 'Has the judge moved?' : 'To compare by one judge:';
  return [`${question} ${command(terminalText(check.command))} ${terminalText(check.does)}.`];
}

function nextSteps(comparison: Comparison, { command }: ComparisonView): string[] {
  const { verdict, total, base, head, margin } = comparison;
  // The question of the margin is answered.
  if (margin !== null && total.not_worse?.holds === true)
    return [`Runs and their reports: ${command(`show ${terminalText(head.sweep)}`)}`];
  switch (verdict) {
    case 'better':
    case 'worse':
      return [`Runs and their reports: ${command(`show ${terminalText(head.sweep)}`)}`];
    case 'no difference shown':
    case 'too few runs':
      return [
        'This does not prove that they are equal.',
        ...neededRuns(comparison),
        ...(base.baseline === undefined
          ? [
              `To stop as soon as it is clear: ${command(`run --until-clear --base ${terminalText(base.variant ?? base.sweep)}`)}`,
              `That would be tested at ${levelText(comparison.next_start_alpha)}, which is left of alpha.`,
            ]
          : []),
      ];
    case 'nothing to compare':
      return total.base.shared + total.head.shared > 0
        ? [`To rerun the same inputs: ${command('run --no-cache')}`]
        : [];
  }
}

/**
 * Says how many more runs would show a difference of a certain size, and what another look costs; empty if nothing is
 * compared.
 */
export function neededRuns({ total: { needed }, look, verdict }: Comparison): string[] {
  if (needed === null) return [];
  const size = `${percent(needed.difference)} points`;
  if (needed.runs === 0) return [`So many runs show a true difference of ${size} in 4 of 5 cases or more.`];
  // Where nothing could be shown, nothing has been spent.
  const next = (look?.number ?? 1) + (verdict === 'too few runs' ? 0 : 1);
  return [
    `${needed.runs} more ${needed.runs === 1 ? 'run' : 'runs'} per configuration and side show ${size} in 4 of 5 cases.`,
    `To compare them is look ${next} of this question, tested at ${levelText(needed.alpha)}.`,
    'Buy all of them first: each look in between lowers the level of the next.',
  ];
}

/** Says why a sweep of `run --until-clear` has less than all of alpha, and what one after it would have. */
export const alphaLeftText = (left: number, { of_alpha: alpha, spent, by }: SpentBefore): string =>
  `this question was asked before, in ${by.map(terminalText).join(', ')}: of the ${levelText(POOL * alpha)} that all its false verdicts may have together, ${levelText(spent)} may be spent; this start has ${levelText(left)}, and one after it would have an eleventh of that`;
