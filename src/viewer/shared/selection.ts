import type { ListedRun } from '../protocol.js';
import { selectionKey } from './configuration.js';
import { matchesFilter, type Term } from './filter.js';

/** The choices of a user on a sweep's page. It is kept in the address; empty texts stand for what is usual. */
export interface Selection {
  /** An expression (filter.ts). */
  filter: string;
  /** A cell of the matrix: `selectionKey` of its runs. */
  at: string;
  /** The name of a column, after a minus to sort downwards; empty: what is important comes first. */
  sort: string;
  /** Names of columns. */
  columns: string;
  /** Only runs whose outcome differs from those: `agent:codex`, `variant:bare` or `sweep:<id>`. */
  against: string;
}

const NAMES = ['filter', 'at', 'sort', 'columns', 'against'] as const satisfies (keyof Selection)[];

/** Reads a selection from the query of an address. */
export const selectionIn = (query: URLSearchParams): Selection =>
  Object.fromEntries(NAMES.map((name) => [name, query.get(name) ?? ''])) as unknown as Selection;

/** Formats a selection for an address; empty if it is the usual one. */
export function queryOf(selection: Selection): string {
  const query = new URLSearchParams(
    NAMES.flatMap((name) => (selection[name] === '' ? [] : [[name, selection[name]]])),
  ).toString();
  return query === '' ? '' : `?${query}`;
}

/** Returns the runs for which all terms hold, of a cell of the matrix if `at` names one. */
export const selectRuns = <T extends ListedRun>(runs: readonly T[], terms: readonly Term[], at: string): T[] =>
  runs.filter((run) => (at === '' || selectionKey(run) === at) && matchesFilter(terms, run));

const ORDER = ['running', 'fail', 'error', 'waiting', 'cancelled', 'pass'];

/** Sorts running cells first, then failures; otherwise in the order of the sweep. */
export const importantFirst = <T extends { look: string }>(runs: readonly T[]): T[] =>
  [...runs].sort((a, b) => ORDER.indexOf(a.look) - ORDER.indexOf(b.look));
