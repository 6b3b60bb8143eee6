import pc from 'picocolors';
import { formatAge } from '../lib/format/age.js';
import { renderTable, terminalText, truncate } from '../lib/format/table.js';
import { scenarioLabel } from '../results/records/cell-label.js';
import type {
  Change,
  Comparison,
  ComparisonVerdict,
  Configuration,
  Side,
} from '../results/comparison/document.js';
import { minimumRuns } from '../statistics/exact-test.js';
import { comparedJudges } from './calibration-text.js';
import {
  capabilityTable,
  configurationTable,
  measureTable,
  namer,
  parameterTable,
  pText,
  points,
  type Namer,
} from './comparison-tables.js';
import type { Colors, TextOptions } from './terminal.js';

interface ComparisonOptions extends TextOptions {
  /** ms since the epoch */
  now: number;
  /** Formats a command of this program for display. */
  command: (words: string) => string;
}

/**
 * Renders `compare`: the verdict and its numbers, each configuration, what the runs took, gates, what else differs
 * between the sweeps, and what to do next.
 */
export function renderComparison(comparison: Comparison, options: ComparisonOptions): string {
  const colors = pc.createColors(options.color);
  const name = namer(comparison.configurations);
  const blocks = [
    answer(comparison, name, colors),
    sweeps(comparison, options),
    configurationTable(comparison, name, options, colors),
    parameterTable(comparison, options, colors),
    capabilityTable(comparison, options),
    measureTable(comparison.total.measures, options, colors),
    gates(comparison, name, options, colors),
    changes(comparison, options, colors),
    leftOut(comparison, options),
    gateReasons(comparison, colors),
    comparedJudges(comparison.calibration, options, colors),
    comparison.doubts.map((doubt) => `${colors.yellow('!')} ${terminalText(doubt)}`),
    hints(comparison, options).map((hint) => colors.dim(hint)),
  ];
  return `${blocks
    .filter((block) => block.length > 0)
    .map((block) => block.join('\n'))
    .join('\n\n')}\n`;
}

/** Renders the verdict, with the number of runs behind it and its p. */
function answer(comparison: Comparison, name: Namer, colors: Colors): string[] {
  const { verdict, total, configurations, alpha } = comparison;
  const { base, head, difference, p, smallest_p: smallest } = total;
  if (difference === null || p === null || smallest === null)
    return [headline(verdict, colors), `  ${whyNothing(total)}`];
  const tested = configurations.filter((one) => one.p !== null);
  const alone = tested.filter((one) => isShown(one.verdict) && one.verdict !== verdict);
  const runs = `${base.tested} and ${head.tested} runs${tested.length > 1 ? ` of ${tested.length} configurations` : ''}`;
  return [
    `${headline(verdict, colors)}: ${passRates(comparison)}`,
    verdict === 'too few runs'
      ? `  with ${runs} the smallest possible p is ${pText(smallest)}; showing a difference requires ${alpha} or less`
      : `  ${points(difference)} points, p = ${pText(p)} (exact test, two-sided; ${alpha} or less is significant)`,
    ...alone
      .slice(0, MOST_ALONE)
      .map((one) => `  but ${headline(one.verdict, colors)} on its own: ${name(one).join(' ')}`),
    ...(alone.length > MOST_ALONE ? [`  and ${alone.length - MOST_ALONE} more, see below`] : []),
  ];
}

/** Variants of one sweep ran side by side, so none of them was "before" the other. */
function passRates({ base: { variant: before }, head: { variant: after }, total }: Comparison): string {
  const { base, head } = total;
  return before === null || after === null
    ? `${head.passed} of ${head.tested} runs passed, ${base.passed} of ${base.tested} before`
    : `${terminalText(after)} passed ${head.passed} of ${head.tested} runs, ${terminalText(before)} ${base.passed} of ${base.tested}`;
}

/** The table lists all of them. */
const MOST_ALONE = 3;

const isShown = (verdict: ComparisonVerdict): boolean => verdict === 'better' || verdict === 'worse';

function headline(verdict: ComparisonVerdict, colors: Colors): string {
  switch (verdict) {
    case 'better':
      return colors.green('✓ better');
    case 'worse':
      return colors.red('✗ worse');
    case 'no difference shown':
      return colors.yellow('? no difference shown');
    case 'too few runs':
      return colors.yellow('? too few runs to show any difference');
    case 'nothing to compare':
      return colors.yellow('- nothing to compare');
  }
}

/** Says why `--fail-on-worse` would not pass. A reason that the answer already gives is left out. */
const gateReasons = ({ gate, verdict }: Comparison, colors: Colors): string[] =>
  gate.result !== 'not tested'
    ? []
    : gate.reasons
        .filter((_, at) => verdict !== 'nothing to compare' || at > 0)
        .map((reason) => `${colors.yellow('!')} not tested: ${terminalText(reason)}`);

const whyNothing = ({ base, head }: Comparison['total']): string =>
  base.shared + head.shared > 0
    ? 'one sweep reused the runs of the other, so there is no difference to test'
    : 'no configuration has runs that passed or failed in both';

/** Says which sweeps are compared, and what is not counted of them. */
function sweeps({ base, head, total }: Comparison, { now, width }: ComparisonOptions): string[] {
  const row = (
    label: string,
    { sweep, variant, started, status }: Comparison['base'],
    side: Side,
  ): string[] => [
    label,
    terminalText(variant === null ? sweep : `${variant} of ${sweep}`),
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

function hints(
  { verdict, total, head, configurations, alpha }: Comparison,
  { command }: ComparisonOptions,
): string[] {
  const tested = configurations.filter(({ p }) => p !== null).length;
  switch (verdict) {
    case 'better':
    case 'worse':
      return [`Runs and their reports: ${command(`show ${head.sweep}`)}`];
    case 'no difference shown':
      return [
        'This does not prove that they are equal: any value in the intervals is possible.',
        `More runs narrow them: ${command('run --repeat <n>')}`,
      ];
    case 'too few runs':
      return [
        `Showing any difference takes at least ${minimumRuns(tested, alpha)} runs per side and configuration;`,
        `a small difference takes many more: ${command('run --repeat <n>')}`,
      ];
    case 'nothing to compare':
      return total.base.shared + total.head.shared > 0
        ? [`To rerun the same inputs: ${command('run --no-cache')}`]
        : [];
  }
}
