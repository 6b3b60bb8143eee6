import type { SweepCell } from '#decide';
import { isTested } from '#decide/pure';
import { groupBy } from '#lib/pure';
import { findIn, MAX_MATCHES } from './find-text.js';
import type { EmbeddedReport, MatrixCell, ReportedRun, SweepAnswer, SweepState } from '../protocol.js';
import {
  agentName,
  importantFirst,
  selectionKey,
  outcomeName,
  type Selection,
  selectionIn,
  selectRuns,
} from './select-runs.js';

/** More repetitions are not drawn one by one. */
const MAX_DOTS = 12;

/**
 * Returns what a page shows of a sweep: the whole matrix, but of its thousands of runs only the first `limit` selected
 * ones.
 */
export function sliceSweep(
  { document: { cells, ...document }, started, why, notes, tables, open, engine }: SweepState,
  selection: Selection,
  limit: number,
): SweepAnswer {
  const running = new Map(open.map((one) => [one.cell, one]));
  const found = importantFirst(selectRuns(cells, selection, why), running);
  const runs = found.slice(0, limit).map((cell) => {
    const reason = why[cell.id];
    return reason === undefined ? cell : { ...cell, why: reason };
  });
  const shown = new Set(runs.map(({ id }) => id));
  const distinct = (of: (cell: SweepCell) => string): string[] => [...new Set(cells.map(of))];
  return {
    document,
    started,
    notes,
    tables,
    runs,
    engine,
    choices: {
      outcomes: distinct(outcomeName),
      scenarios: distinct(({ scenario }) => scenario),
      variants: distinct(({ variant }) => variant),
      agents: distinct(agentName),
      labels: [...new Set(cells.flatMap(({ human }) => human?.labels ?? []))],
    },
    matrix: matrixOf(selectRuns(cells, { ...selection, at: '' }, why), running),
    found: found.length,
    isRepeated: cells.some(({ repetition }) => repetition > 1),
    open: open.filter(({ cell }) => shown.has(cell)),
    openCount: open.length,
  };
}

const matrixOf = (cells: readonly SweepCell[], running: { has(id: string): boolean }): MatrixCell[] =>
  groupBy(cells, selectionKey).map((group) => {
    const [{ scenario, variant, agent, model }] = group as [SweepCell];
    const looks = group.length > MAX_DOTS ? [] : group.map((cell) => lookOf(cell, running));
    return { scenario, variant, agent, model, ...countOf(group, running), looks };
  });

interface Count {
  passed: number;
  /** The runs that passed or failed. */
  tested: number;
  /** "2 of 3 passed, 1 error". */
  text: string;
}

/** The mark of a run: its outcome, or what it does instead of having one. */
const lookOf = ({ id, outcome }: Pick<SweepCell, 'id' | 'outcome'>, running: { has(id: string): boolean }): string =>
  running.has(id) ? 'running' : (outcome ?? 'waiting');

/** Counts the repetitions of a cell by outcome. `running`: by the ids of those whose runs are open. */
function countOf(
  cells: readonly Pick<SweepCell, 'id' | 'outcome' | 'unchecked'>[],
  running: { has(id: string): boolean },
): Count {
  const ended = cells.filter(({ id }) => !running.has(id));
  const having = (outcome: SweepCell['outcome']): number => ended.filter((cell) => cell.outcome === outcome).length;
  const checked = ended.filter(isTested);
  const passed = checked.filter(({ outcome }) => outcome === 'pass').length;
  const unchecked = having('pass') + having('fail') - checked.length;
  const besides: [number, string][] = [
    [unchecked, 'unchecked'],
    [having('error'), 'error'],
    [having('cancelled'), 'cancelled'],
    [cells.length - ended.length, 'running'],
    [having(null), 'waiting'],
  ];
  const parts = [
    ...(checked.length === 0 ? [] : [`${passed} of ${checked.length} passed`]),
    ...besides.flatMap(([count, what]) => (count === 0 ? [] : [`${count} ${what}`])),
  ];
  return { passed, tested: checked.length, text: parts.join(', ') };
}

/** The answer: the lines of a stream, or one document. */
type Answer = { lines: readonly object[] } | { error: string };

const NOT_HERE = 'This file does not contain that.';
const MAX_RUNS = 100;

/** Answers a request as the server does, from the data of a report in a single file. */
export function answerFrom({ sweep, runs }: EmbeddedReport, path: string): Answer {
  const [address = '', query = ''] = path.split('?');
  const [, , kind, id = '', part] = address.split('/').map(decodeURIComponent);
  if (kind === 'sweeps' && id === sweep.document.sweep && part === undefined) {
    const asked = new URLSearchParams(query);
    return { lines: [sliceSweep(sweep, selectionIn(asked), Number(asked.get('limit') ?? MAX_RUNS))] };
  }
  if (kind !== 'runs' || !Object.hasOwn(runs, id)) return { error: NOT_HERE };
  const run = runs[id] ?? NOT_HERE;
  if (typeof run === 'string') return { error: run };
  const lines = partOf(run, part, new URLSearchParams(query));
  return lines === null ? { error: NOT_HERE } : { lines };
}

function partOf(
  { answer, events, changes }: ReportedRun,
  part: string | undefined,
  query: URLSearchParams,
): readonly object[] | null {
  if (part === undefined) return [answer];
  if (part === 'events') return events;
  if (part === 'matches') {
    const all = events.flatMap((line) => ('events' in line ? line.events : []));
    const found = all.flatMap((event) => findIn(event, query.get('text') ?? '') ?? []);
    return [{ matches: found.slice(0, MAX_MATCHES), more: Math.max(0, found.length - MAX_MATCHES) }];
  }
  return part === 'changes' ? [changes] : null;
}
