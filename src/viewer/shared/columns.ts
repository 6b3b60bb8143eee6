import { formatDuration, shortKnownCost } from '#lib/pure';
import { givenScore } from '#model/pure';
import type { ListedRun } from '../protocol.js';
import { agentName } from './configuration.js';

/** A fact about a run that the table can show, sort by and filter by. */
export type Column = {
  /** As filters and addresses name it. */
  name: string;
  title: string;
  /** Shown unless the reader has chosen columns. */
  isUsual?: true;
} & (
  | {
      kind: 'text';
      /** All that a filter may name; empty: nothing is known. */
      values: (run: ListedRun) => readonly string[];
      /** The text in the table, if it is not these values. */
      text?: (run: ListedRun) => string;
      /** True: a filter names a part of the value. */
      isProse?: true;
    }
  | {
      kind: 'number';
      /** Null: unknown. */
      value: (run: ListedRun) => number | null;
      text?: (run: ListedRun) => string;
      /** True: a filter may have a unit of time. */
      isTime?: true;
    }
);

const known = (text: string | null | undefined): string[] => (text == null || text === '' ? [] : [text]);
const seconds = (secs: number | null): string => (secs === null ? '' : formatDuration(secs * 1000));

/** In the order in which they are offered. */
export const COLUMNS: readonly Column[] = [
  { name: 'outcome', title: 'Outcome', kind: 'text', values: ({ look }) => [look] },
  { name: 'scenario', title: 'Scenario', kind: 'text', values: ({ scenario }) => [scenario] },
  { name: 'variant', title: 'Variant', kind: 'text', values: ({ variant }) => [variant] },
  {
    name: 'agent',
    title: 'Agent',
    kind: 'text',
    values: (run) => [...new Set([run.agent, agentName(run)])],
    text: agentName,
  },
  { name: 'model', title: 'Model', kind: 'text', values: ({ model }) => [model] },
  { name: 'version', title: 'Version', kind: 'text', values: ({ agent_version: version }) => known(version) },
  { name: 'repetition', title: 'Repetition', kind: 'number', value: ({ repetition }) => repetition },
  { name: 'other', title: 'Other outcome', kind: 'text', values: ({ other }) => known(other) },
  {
    name: 'reason',
    title: 'Reason and end of the output',
    isUsual: true,
    kind: 'text',
    isProse: true,
    values: ({ why }) => known(why),
  },
  { name: 'gate', title: 'Failed gates', kind: 'text', values: ({ failed = [] }) => failed },
  {
    name: 'gates',
    title: 'Gates',
    isUsual: true,
    kind: 'number',
    value: ({ gates_passed: passed }) => passed,
    text: ({ gates_passed: passed, gates_total: total }) => (total === null ? '' : `${passed ?? 0}/${total}`),
  },
  {
    name: 'judge',
    title: 'Judge',
    isUsual: true,
    kind: 'number',
    value: ({ judge_score: score }) => score,
    text: ({ judge_score: score }) => score?.toFixed(2) ?? '',
  },
  {
    name: 'score',
    title: 'Score',
    kind: 'number',
    value: ({ composite_score: score }) => score,
    text: ({ composite_score: score }) => score?.toFixed(2) ?? '',
  },
  {
    name: 'duration',
    title: 'Duration',
    isUsual: true,
    kind: 'number',
    isTime: true,
    value: ({ duration_secs: secs }) => secs,
    text: ({ duration_secs: secs }) => seconds(secs),
  },
  {
    name: 'cost',
    title: 'Cost',
    isUsual: true,
    kind: 'number',
    value: ({ cost_usd: usd }) => usd,
    text: ({ outcome, cost_usd: usd, cost_usd_at_least: least }) =>
      outcome === null ? '' : shortKnownCost(usd, least),
  },
  { name: 'attempts', title: 'Attempts', kind: 'number', value: ({ attempts }) => attempts },
  { name: 'starts', title: 'Starts', kind: 'number', value: ({ starts }) => starts },
  {
    name: 'reused',
    title: 'Reused',
    kind: 'text',
    values: ({ outcome, cached }) => (outcome === null ? [] : [cached ? 'yes' : 'no']),
  },
  {
    name: 'rating',
    title: 'Rating',
    isUsual: true,
    kind: 'number',
    value: ({ human }) => human?.score ?? null,
    text: ({ human }) => (human === undefined ? '' : givenScore(human)),
  },
  { name: 'label', title: 'Labels', isUsual: true, kind: 'text', values: ({ human }) => human?.labels ?? [] },
  {
    name: 'notes',
    title: 'Notes',
    isUsual: true,
    kind: 'text',
    isProse: true,
    values: ({ human }) => known(human?.notes),
  },
  { name: 'reviewer', title: 'Reviewer', kind: 'text', values: ({ human }) => known(human?.reviewer) },
];

const BY_NAME: ReadonlyMap<string, Column> = new Map(COLUMNS.map((column) => [column.name, column]));

export const columnNamed = (name: string): Column | undefined => BY_NAME.get(name);

/** The text of a column; empty if nothing is known. */
export function textIn(column: Column, run: ListedRun): string {
  if (column.text !== undefined) return column.text(run);
  if (column.kind === 'text') return column.values(run).join(', ');
  return String(column.value(run) ?? '');
}

const isKnown = (column: Column, run: ListedRun): boolean =>
  column.kind === 'text' ? column.values(run).length > 0 : column.value(run) !== null;

/** The names of the columns of which something is known of some run. */
export const knownColumns = (runs: readonly ListedRun[]): string[] =>
  COLUMNS.filter((column) => runs.some((run) => isKnown(column, run))).map(({ name }) => name);

/** The columns that an address names; the usual ones if it names none. Names that are no columns are left out. */
export function columnsIn(names: string): readonly Column[] {
  if (names === '') return COLUMNS.filter(({ isUsual }) => isUsual === true);
  return [...new Set(names.split(','))].flatMap((name) => columnNamed(name) ?? []);
}

/**
 * Sorts runs by a column, downwards if a minus is before its name. Runs of which it is unknown come last, and equal
 * ones stay as they are. An unknown name changes nothing.
 */
export function sortRuns<T extends ListedRun>(runs: readonly T[], by: string): readonly T[] {
  const isDown = by.startsWith('-');
  const column = columnNamed(isDown ? by.slice(1) : by);
  if (column === undefined) return runs;
  const keyed = runs.map((run) => ({ run, key: keyOf(column, run) }));
  const known = keyed.filter(({ key }) => key !== null);
  known.sort((a, b) => (isDown ? -1 : 1) * compare(a.key ?? '', b.key ?? ''));
  return [...known, ...keyed.filter(({ key }) => key === null)].map(({ run }) => run);
}

const keyOf = (column: Column, run: ListedRun): string | number | null =>
  column.kind === 'number' ? column.value(run) : isKnown(column, run) ? textIn(column, run).toLowerCase() : null;

// By code unit: `localeCompare` would take a second for thousands of texts, and order them as the machine is set.
const compare = (a: string | number, b: string | number): number => (a < b ? -1 : a > b ? 1 : 0);
