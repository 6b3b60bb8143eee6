import type { Outcome } from '#model';
import { isTested } from '#decide/pure';
import { groupBy, omit } from '#lib/pure';
import type { ListedRun, MatrixCell, SweepAnswer, SweepState } from '../protocol.js';
import { COLUMNS, knownColumns, sortRuns } from './columns.js';
import { selectionKey } from './configuration.js';
import { comparable, counterpartsOf } from './counterparts.js';
import { figuresOf } from './figures.js';
import { parseFilter, type Term } from './filter.js';
import { importantFirst, type Selection, selectRuns } from './selection.js';

/** More repetitions are not drawn one by one. */
const MAX_DOTS = 12;

/** The part of the table that a page shows. */
export interface TablePart {
  from: number;
  limit: number;
}

/** The parts of a sweep that are read only for the runs that a page shows. */
export interface MoreOfSweep {
  /** The end of what the agent of a run said; null if it is unknown. */
  endOf: (run: ListedRun) => string | null;
  /** The outcomes of another sweep by `cellKey`. */
  outcomesOf: (sweep: string) => ReadonlyMap<string, string>;
}

/** All runs of a sweep as the table has them, which takes longer to find out than what is selected of them. */
export interface RunTable extends Pick<SweepAnswer, 'choices' | 'columns' | 'against' | 'isRepeated'> {
  all: readonly ListedRun[];
}

/** Returns the table of a sweep. It depends on nothing that a page asks for. */
export function runTable({
  document: { cells },
  why,
  failed,
  others,
  open,
}: Pick<SweepState, 'document' | 'why' | 'failed' | 'others' | 'open'>): RunTable {
  const running = new Set(open.map(({ cell }) => cell));
  const all = cells.map((cell): ListedRun => ({
    ...cell,
    look: running.has(cell.id) ? 'running' : (cell.outcome ?? 'waiting'),
    ...reasonOf(cell, why),
    ...(failed[cell.id] === undefined ? {} : { failed: failed[cell.id] as readonly string[] }),
  }));
  return {
    all,
    choices: choicesIn(all),
    columns: knownColumns(all),
    against: comparable(cells, others),
    isRepeated: cells.some(({ repetition }) => repetition > 1),
  };
}

/** Returns what a page shows of a sweep: the whole matrix, but of its thousands of runs only a part of the table. */
export function sliceSweep(
  { document, started, notes, tables, open, engine }: SweepState,
  { all, ...table }: RunTable,
  { filter, at, sort, against }: Selection,
  { from, limit }: TablePart,
  { endOf, outcomesOf }: MoreOfSweep,
): SweepAnswer {
  const compared = against === '' ? all : differing(all, against, outcomesOf);
  const parsed = parseFilter(filter);
  const select = (of: string): ListedRun[] =>
    'problem' in parsed ? [] : selectRuns<ListedRun>(compared, parsed.terms satisfies Term[], of);
  const inMatrix = select('');
  const found = at === '' ? inMatrix : select(at);
  const runs = sortRuns(importantFirst(found), sort)
    .slice(from, from + limit)
    .map((run) => {
      const end = endOf(run);
      return end === null ? run : { ...run, end };
    });
  const shown = new Set(runs.map(({ id }) => id));
  return {
    document: omit(document, 'cells'),
    ...{ started, notes, tables, runs, from, engine },
    ...table,
    problem: 'problem' in parsed ? parsed.problem.message : null,
    matrix: matrixOf(inMatrix),
    figures: figuresOf(found),
    found: found.length,
    open: open.filter(({ cell }) => shown.has(cell)),
    openCount: open.length,
  };
}

function reasonOf(
  { id, outcome, message }: Pick<ListedRun, 'id' | 'outcome' | 'message'>,
  why: SweepState['why'],
): Pick<ListedRun, 'why'> {
  const reason = outcome === 'pass' ? null : (why[id] ?? message);
  return reason === null ? {} : { why: reason };
}

/** The runs whose outcome differs from that of their counterpart, with that. */
function differing(
  runs: readonly ListedRun[],
  against: string,
  outcomesOf: MoreOfSweep['outcomesOf'],
): readonly ListedRun[] {
  const otherOf = counterpartsOf(runs, ({ look }) => look, against, outcomesOf);
  return runs.flatMap((run) => {
    const other = otherOf(run);
    return other === null || other === run.look ? [] : [{ ...run, other }];
  });
}

/** More values of a column are not offered. */
const MAX_CHOICES = 200;

const choicesIn = (runs: readonly ListedRun[]): Record<string, string[]> =>
  Object.fromEntries(
    COLUMNS.flatMap((column) =>
      column.kind === 'number' || column.isProse === true
        ? []
        : [[column.name, [...new Set(runs.flatMap((run) => column.values(run)))].slice(0, MAX_CHOICES)] as const],
    ),
  );

const matrixOf = (runs: readonly ListedRun[]): MatrixCell[] =>
  groupBy(runs, selectionKey).map((group) => {
    const [{ scenario, variant, agent, model }] = group as [ListedRun];
    const looks = group.length > MAX_DOTS ? [] : group.map(({ look }) => look);
    return { scenario, variant, agent, model, ...countOf(group), looks };
  });

interface Count {
  passed: number;
  /** The runs that passed or failed. */
  tested: number;
  /** "2 of 3 passed, 1 error". */
  text: string;
}

/** Counts the repetitions of a cell by outcome. */
function countOf(runs: readonly Pick<ListedRun, 'look' | 'outcome' | 'unchecked'>[]): Count {
  const ended = runs.filter(({ look }) => look !== 'running');
  const having = (outcome: Outcome | null): number => ended.filter((run) => run.outcome === outcome).length;
  const checked = ended.filter(isTested);
  const passed = checked.filter(({ outcome }) => outcome === 'pass').length;
  const unchecked = having('pass') + having('fail') - checked.length;
  const besides: [number, string][] = [
    [unchecked, 'unchecked'],
    [having('error'), 'error'],
    [having('cancelled'), 'cancelled'],
    [runs.length - ended.length, 'running'],
    [having(null), 'waiting'],
  ];
  const parts = [
    ...(checked.length === 0 ? [] : [`${passed} of ${checked.length} passed`]),
    ...besides.flatMap(([count, what]) => (count === 0 ? [] : [`${count} ${what}`])),
  ];
  return { passed, tested: checked.length, text: parts.join(', ') };
}
