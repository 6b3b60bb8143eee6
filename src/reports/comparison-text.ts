import pc from 'picocolors';
import { formatAge } from '../lib/format/age.js';
import { renderTable, terminalText, truncate } from '../lib/format/table.js';
import { scenarioLabel } from '../results/records/cell-label.js';
import type { Change, Comparison, Configuration, Side } from '../results/comparison/document.js';
import { comparedJudges } from './calibration-text.js';
import { answer } from './comparison-answer.js';
import { explanation } from './comparison-explain.js';
import {
  capabilityTable,
  configurationTable,
  measureTable,
  namer,
  parameterTable,
  percent,
  reliabilityTable,
  type Namer,
} from './comparison-tables.js';
import { joinBlocks, type Colors, type TextOptions } from './terminal.js';

interface ComparisonOptions extends TextOptions {
  /** ms since the epoch */
  now: number;
  /** Formats a command of this program for display. */
  command: (words: string) => string;
  /** Say what each number means. */
  explain?: boolean;
}

/**
 * Renders `compare`: the verdict and its numbers, each configuration, what the runs took, gates, what else differs
 * between the sweeps, and what to do next.
 */
export function renderComparison(comparison: Comparison, options: ComparisonOptions): string {
  const colors = pc.createColors(options.color);
  const name = namer(comparison.configurations);
  return joinBlocks([
    answer(comparison, name, colors),
    options.explain === true ? explanation(comparison, options) : [],
    sweeps(comparison, options),
    configurationTable(comparison, name, options, colors),
    parameterTable(comparison, options, colors),
    capabilityTable(comparison, options),
    reliabilityTable(comparison, colors),
    measureTable(comparison.total.measures, comparison.alpha, options, colors),
    gates(comparison, name, options, colors),
    changes(comparison, options, colors),
    leftOut(comparison, options),
    gateReasons(comparison, colors),
    ...comparedJudges(comparison, options, colors),
    comparison.doubts.map((doubt) => `${colors.yellow('!')} ${terminalText(doubt)}`),
    hints(comparison, options).map((hint) => colors.dim(hint)),
  ]);
}

/** Says why `--gate` would not pass. A reason that the answer already gives is left out. */
const gateReasons = ({ gate, verdict }: Comparison, colors: Colors): string[] =>
  gate.result !== 'not tested'
    ? []
    : gate.reasons
        .filter((_, at) => verdict !== 'nothing to compare' || at > 0)
        .map((reason) => `${colors.yellow('!')} not tested: ${terminalText(reason)}`);

/** Says which sweeps are compared, and what is not counted of them. */
function sweeps({ base, head, total }: Comparison, { now, width }: ComparisonOptions): string[] {
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
  return renderTable([row('base', base, total.base), row('head', head, total.head)], { width });
}

const notCounted = ({ reused, shared, retried, errored, cancelled, waiting }: Side): string[] =>
  [
    [retried, 'ran again'] as const,
    [reused, 'reused from earlier sweeps'] as const,
    [shared, `shared ${shared === 1 ? 'run' : 'runs'} left out`] as const,
    [errored, `${errored === 1 ? 'error' : 'errors'} left out`] as const,
    [cancelled, 'cancelled'] as const,
    [waiting, 'not finished'] as const,
  ].flatMap(([count, word]) => (count === 0 ? [] : [`${count} ${word}`]));

function gates(
  { configurations }: Comparison,
  name: Namer,
  { width }: TextOptions,
  colors: Colors,
): string[] {
  const several = configurations.length > 1;
  const block = (change: 'better' | 'worse', heading: string): string[] => {
    const rows = configurations.flatMap((one) =>
      one.gates
        .filter((gate) => gate.change === change)
        .map(({ gate, base, head }) => [
          `${base.passed}/${base.checked} → ${head.passed}/${head.checked}`,
          terminalText(gate),
          ...(several ? [colors.dim(name(one).join(' '))] : []),
        ]),
    );
    return rows.length === 0 ? [] : [heading, ...renderTable(rows, { width, indent: '  ' })];
  };
  return [
    ...block('worse', colors.red('gates that fail more often')),
    ...block('better', colors.green('gates that fail less often')),
  ];
}

function changes(
  { changes: all, configurations }: Comparison,
  { width }: TextOptions,
  colors: Colors,
): string[] {
  if (configurations.length === 0) return [];
  if (all.length === 0) {
    const same = configurations.every(({ same_inputs }) => same_inputs === true);
    return [
      same
        ? 'no changes between them: any difference is chance, or has a cause outside the inputs'
        : 'no known changes between them',
    ];
  }
  const rows = all.map((change) => [
    change.doubtful ? colors.yellow('?') : ' ',
    changeText(change),
    colors.dim(truncate(concerned(change, configurations), MOST_NAMES)),
  ]);
  return [
    'changes between them',
    ...renderTable(rows, { width, indent: '  ' }),
    ...(all.some(({ doubtful }) => doubtful)
      ? [colors.dim('  ? can cause a difference by itself, regardless of the tool')]
      : []),
  ];
}

/** Columns for the scenarios or agents that a change concerns. */
const MOST_NAMES = 24;

/** Returns the scenarios or agents that a change concerns; '' if it concerns all. */
function concerned({ of }: Change, all: readonly Configuration[]): string {
  const isAll = all.every((one) =>
    [scenarioLabel(one), one.agent, `${one.agent}/${one.model}`].some((name) => of.includes(name)),
  );
  return isAll ? '' : of.map(terminalText).join(', ');
}

const changeText = ({ what, base, head }: Change): string =>
  terminalText(base === null && head === null ? what : `${what}: ${base ?? 'none'} → ${head ?? 'none'}`);

function leftOut({ only_in_base, only_in_head }: Comparison, { width }: TextOptions): string[] {
  const line = (side: string, list: readonly Configuration[]): string[][] =>
    list.length === 0
      ? []
      : [[`${list.length} only in ${side}, not compared: ${list.map(fullName).join(', ')}`]];
  return renderTable([...line('base', only_in_base), ...line('head', only_in_head)], { width });
}

const fullName = (one: Configuration): string =>
  terminalText(`${scenarioLabel(one)} ${one.agent}/${one.model}`);

function hints({ verdict, total, base, head }: Comparison, { command }: ComparisonOptions): string[] {
  switch (verdict) {
    case 'better':
    case 'worse':
      return [`Runs and their reports: ${command(`show ${head.sweep}`)}`];
    case 'no difference shown':
    case 'too few runs':
      return [
        'This does not prove that they are equal.',
        ...neededRuns(total),
        'Decide on the number first: looking again and again finds false differences.',
        ...(base.baseline === undefined
          ? [
              `To stop as soon as it is clear: ${command(`run --until-clear --vs ${base.variant ?? base.sweep}`)}`,
            ]
          : []),
      ];
    case 'nothing to compare':
      return total.base.shared + total.head.shared > 0
        ? [`To rerun the same inputs: ${command('run --no-cache')}`]
        : [];
  }
}

/** Says how many more runs would show a difference of a certain size. */
function neededRuns({ needed }: Comparison['total']): string[] {
  if (needed === null) return [];
  const size = `${percent(needed.difference)} points`;
  return [
    needed.runs === 0
      ? `So many runs show a true difference of ${size} in 4 of 5 cases or more.`
      : `${needed.runs} more ${needed.runs === 1 ? 'run' : 'runs'} per configuration and side show ${size} in 4 of 5 cases.`,
  ];
}
