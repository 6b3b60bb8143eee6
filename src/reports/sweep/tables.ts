import type { ParameterResults, SweepDocument } from '#decide';
import { beginningOf, formatCost, formatDuration, groupBy, terminalText } from '#lib';
import type { SubjectTokens } from '#model';
import type { Grid } from '../blocks/terminal.js';

/**
 * Returns the tables about a sweep as a whole, without those that would be empty. `maxTrajectories`: of each value of
 * a parameter.
 */
export const sweepTables = (
  { cells, parameters = [], subject_tokens = [] }: Pick<SweepDocument, 'cells' | 'parameters' | 'subject_tokens'>,
  maxTrajectories: number,
): ParameterTable[] => [
  ...versionTables(cells),
  ...(subject_tokens.length === 0 ? [] : [subjectTable(subject_tokens)]),
  ...parameterTables(parameters, maxTrajectories),
];

/** A table of the results by parameter. Texts of scenarios and agents in it are not escaped. */
export interface ParameterTable {
  title: string;
  columns: string[];
  rows: string[][];
  /** Numbers (from 0) of the columns that are aligned right. */
  right: number[];
}

/** Returns a table of the versions of agents that ran, if any is known. */
function versionTables(cells: SweepDocument['cells']): ParameterTable[] {
  const known = cells.filter(({ agent_version: version }) => version !== undefined);
  const rows = groupBy(known, ({ agent, agent_version: version }) => JSON.stringify([agent, version])).map((group) => [
    group[0]?.agent ?? '',
    group[0]?.agent_version ?? '',
    String(group.length),
  ]);
  return rows.length === 0 ? [] : [{ title: 'Agents', columns: ['agent', 'version', 'runs'], rows, right: [2] }];
}

const LONGEST_VALUE = 60;
const LONGEST_SEQUENCE = 120;

/**
 * Returns the tables of the results by parameter: numbers, capabilities, and the most common trajectories of each
 * value. Tables without rows are left out.
 */
export const parameterTables = (
  parameters: readonly ParameterResults[],
  /** The most trajectories of each value. */
  maxTrajectories: number,
): ParameterTable[] =>
  [numbers(parameters), capabilities(parameters), trajectories(parameters, maxTrajectories)].filter(
    ({ rows }) => rows.length > 0,
  );

const nameOf = ({ parameter, value }: Pick<ParameterResults, 'parameter' | 'value'>): string[] => [
  parameter,
  beginningOf(JSON.stringify(value), LONGEST_VALUE),
];

/** A mean and a median, which are only shown if they are known for some value. */
interface Average {
  heading: string;
  of: (one: ParameterResults) => [mean: number | null, median: number | null];
  text: (value: number | null) => string;
}

const AVERAGES: readonly Average[] = [
  {
    heading: 'duration',
    of: (one) => [one.mean_duration_secs, one.median_duration_secs],
    text: (secs) => (secs === null ? 'n/a' : formatDuration(1000 * secs)),
  },
  { heading: 'cost', of: (one) => [one.mean_cost_usd, one.median_cost_usd], text: formatCost },
  { heading: 'tokens', of: (one) => [one.mean_tokens, one.median_tokens], text: count },
  { heading: 'tool calls', of: (one) => [one.mean_tool_calls, one.median_tool_calls], text: count },
];

/** Formats a mean of counts: "1,200.5". */
function count(value: number | null): string {
  return value?.toLocaleString('en', { maximumFractionDigits: 1 }) ?? 'n/a';
}

function numbers(parameters: readonly ParameterResults[]): ParameterTable {
  const averages = AVERAGES.filter(({ of }) => parameters.some((one) => of(one).some((is) => is !== null)));
  const columns = ['parameter', 'value', 'passed', 'rate', ...averages.map(({ heading }) => heading)];
  return {
    title: `By parameter${averages.length === 0 ? '' : ' (mean / median)'}`,
    columns,
    rows: parameters.map((one) => [
      ...nameOf(one),
      `${one.passed}/${one.tested}`,
      one.success_rate === null ? 'n/a' : percent(one.success_rate),
      ...averages.map(({ of, text }) => of(one).map(text).join(' / ')),
    ]),
    right: columns.map((_, at) => at).slice(2),
  };
}

const capabilities = (parameters: readonly ParameterResults[]): ParameterTable => ({
  title: 'Capabilities by parameter',
  columns: ['parameter', 'value', 'capability', 'achieved', 'rate'],
  rows: parameters.flatMap((one) =>
    (one.capabilities ?? []).map(({ capability, achieved, checked, rate }) => [
      ...nameOf(one),
      capability,
      `${achieved}/${checked}`,
      percent(rate),
    ]),
  ),
  right: [3, 4],
});

const trajectories = (parameters: readonly ParameterResults[], most: number): ParameterTable => ({
  title: 'Common trajectories by parameter',
  columns: ['parameter', 'value', 'actions', 'runs', 'share', 'duration'],
  rows: parameters.flatMap((one) =>
    (one.common_trajectories ?? [])
      .slice(0, most)
      .map(({ sequence, count: runs, percentage, average_duration_secs: secs }) => [
        ...nameOf(one),
        sequenceText(sequence),
        String(runs),
        percent(percentage),
        secs === null ? 'n/a' : formatDuration(1000 * secs),
      ]),
  ),
  right: [3, 4, 5],
});

/** Formats actions, with repetitions counted: "read, write ×2". */
function sequenceText(sequence: readonly string[]): string {
  const runs: { action: string; times: number }[] = [];
  for (const action of sequence) {
    const last = runs.at(-1);
    if (last?.action === action) last.times += 1;
    else runs.push({ action, times: 1 });
  }
  const text = runs.map(({ action, times }) => (times === 1 ? action : `${action} ×${times}`)).join(', ');
  return text === '' ? 'none' : beginningOf(text, LONGEST_SEQUENCE);
}

const percent = (share: number): string => `${Math.round(100 * share)}%`;

/**
 * Returns the table of what subjects add to the context before the first turn, with a row for each agent and model.
 * `sides`: what base and head are called. Its texts are not escaped.
 */
export const subjectTable = (
  all: readonly SubjectTokens[] = [],
  sides: readonly [base: string, head: string] = ['without', 'with'],
): ParameterTable => {
  // The size of tool definitions is of interest even if their tokens are unknown, or the model first gets only names.
  const hasTools = all.some(({ mcp_tools: tools }) => tools !== undefined);
  return {
    title: 'Context cost: tokens before the first turn',
    columns: ['subject', 'agent', ...sides, 'runs', ...(hasTools ? ['tool definitions'] : [])],
    rows: all.map((one) => [
      addedText(one),
      `${one.agent}/${one.model}`,
      ...sizes(one),
      `${runsOf(one, 'base')} and ${runsOf(one, 'head')}`,
      ...(hasTools ? [toolsText(one)] : []),
    ]),
    right: [2, 3],
  };
};

/** The same table in a comparison. */
export function subjectGrid(all: readonly SubjectTokens[] | undefined): Grid {
  const { rows, ...table } = subjectTable(all, ['base', 'head']);
  return { ...table, rows: rows.map((row) => row.map(terminalText)) };
}

/** Says it in words: "skill pdf adds 412 tokens". */
function addedText({ added, removed, difference, scenarios }: SubjectTokens): string {
  const [now, before] = [namesOf(added), namesOf(removed)];
  if (difference === null) {
    const why = scenarios.every(({ comparable }) => comparable) ? '' : ': other inputs differ too';
    return `what ${added.length > 0 ? now : before} adds is not known${why}`;
  }
  const differences = scenarios.flatMap((one) => one.difference ?? []);
  const [low, high] = [Math.min(...differences), Math.max(...differences)];
  const range = low === high ? '' : `; ${countText(low)} to ${countText(high)} in ${differences.length} scenarios`;
  if (removed.length === 0 && difference >= 0)
    return `${now} ${isPlural(added) ? 'add' : 'adds'} ${tokens(difference)}${range}`;
  return `${changedParts(now, before)}: ${moreOrFewer(difference)}${range}`;
}

function toolsText({ mcp_tools: tools }: SubjectTokens): string {
  if (tools === undefined) return '';
  return `${countText(tools.count)} ${tools.count === 1 ? 'tool' : 'tools'}, ${countText(tools.bytes)} bytes`;
}

const changedParts = (now: string, before: string): string =>
  before === ''
    ? `with ${now}`
    : now === ''
      ? `without ${before}`
      : now === before
        ? `changed ${now}`
        : `${now} instead of ${before}`;

const namesOf = (parts: readonly string[]): string => parts.join(' and ');
const isPlural = (parts: readonly string[]): boolean => parts.length > 1 || parts.includes('instructions');

const moreOrFewer = (difference: number): string =>
  difference === 0 ? 'as many tokens' : `${tokens(Math.abs(difference))} ${difference > 0 ? 'more' : 'fewer'}`;

const tokens = (number: number): string =>
  number === 0 ? 'no tokens' : `${countText(number)} ${number === 1 ? 'token' : 'tokens'}`;

/** The sizes of the first requests; of several scenarios there is no single one, since their prompts differ. */
function sizes({ scenarios }: SubjectTokens): string[] {
  const [only, ...others] = scenarios;
  if (only === undefined || others.length > 0) return ['', ''];
  return [only.base.tokens, only.head.tokens].map((size) => (size === null ? 'n/a' : countText(size)));
}

/** The number of runs of which the size is known, and of all if that is not so for some. */
function runsOf({ scenarios }: SubjectTokens, side: 'base' | 'head'): string {
  const sum = (of: 'runs' | 'unknown'): number => scenarios.reduce((total, scenario) => total + scenario[side][of], 0);
  const [known, unknown] = [sum('runs'), sum('unknown')];
  return unknown === 0 ? String(known) : `${known} of ${known + unknown}`;
}

const countText = (number: number): string => number.toLocaleString('en');
