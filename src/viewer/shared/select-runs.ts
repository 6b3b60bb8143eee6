import type { SweepCell } from '#decide';

/** A user's selection on a sweep's page. It is kept in the address; empty texts select everything. */
export interface Selection {
  outcome: string;
  agent: string;
  scenario: string;
  /** A label of a human review. */
  label: string;
  text: string;
  /** A cell of the matrix: `keyOf` of its runs. */
  at: string;
}

const NAMES = ['outcome', 'agent', 'scenario', 'label', 'text', 'at'] as const satisfies (keyof Selection)[];

/** Reads a selection from the query of an address. */
export const selectionIn = (query: URLSearchParams): Selection =>
  Object.fromEntries(NAMES.map((name) => [name, query.get(name) ?? ''])) as unknown as Selection;

/** Formats a selection for an address; empty if everything is selected. */
export function queryOf(selection: Selection): string {
  const query = new URLSearchParams(
    NAMES.flatMap((name) => (selection[name] === '' ? [] : [[name, selection[name]]])),
  ).toString();
  return query === '' ? '' : `?${query}`;
}

type ConfigurationOfCell = Pick<SweepCell, 'scenario' | 'variant' | 'agent' | 'model'>;

/** Identifies what repetitions have in common. */
export const selectionKey = ({ scenario, variant, agent, model }: ConfigurationOfCell): string =>
  JSON.stringify([scenario, variant, agent, model]);

/** An agent with its model, as one name. */
export const agentName = ({ agent, model }: Pick<ConfigurationOfCell, 'agent' | 'model'>): string =>
  model === 'default' ? agent : `${agent}/${model}`;

export const outcomeName = ({ outcome }: Pick<SweepCell, 'outcome'>): string => outcome ?? 'waiting';

/** Returns the cells that are selected. `why` says why some have not passed, and is searched too. */
export function selectRuns(
  cells: readonly SweepCell[],
  { outcome, agent, scenario, label, text, at }: Selection,
  why: Readonly<Record<string, string>>,
): SweepCell[] {
  const words = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  return cells.filter((cell) => {
    if (outcome !== '' && outcomeName(cell) !== outcome) return false;
    if (agent !== '' && agentName(cell) !== agent) return false;
    if (scenario !== '' && cell.scenario !== scenario) return false;
    if (label !== '' && cell.human?.labels?.includes(label) !== true) return false;
    if (at !== '' && selectionKey(cell) !== at) return false;
    if (words.length === 0) return true;
    const all = `${cell.id} ${agentName(cell)} ${cell.message ?? ''} ${why[cell.id] ?? ''}`.toLowerCase();
    return words.every((word) => all.includes(word));
  });
}

const ORDER = ['fail', 'error', 'waiting', 'cancelled', 'pass'];

/** Sorts running cells first, then failures; otherwise in the order of the sweep. */
export function importantFirst(cells: readonly SweepCell[], running: { has(id: string): boolean }): SweepCell[] {
  const rank = (cell: SweepCell): number => (running.has(cell.id) ? -1 : ORDER.indexOf(outcomeName(cell)));
  return [...cells].sort((a, b) => rank(a) - rank(b));
}
