import { isTested } from '../../results/is-tested.js';
import type { SweepCell } from '../../results/records/sweep-document.js';

interface Count {
  passed: number;
  /** Those that passed or failed. */
  tested: number;
  /** "2 of 3 passed, 1 error". */
  text: string;
}

/** What a run looks like: its outcome, or what it does instead of having one. */
export const lookOf = (
  { id, outcome }: Pick<SweepCell, 'id' | 'outcome'>,
  running: { has(id: string): boolean },
): string => (running.has(id) ? 'running' : (outcome ?? 'waiting'));

/** Counts the repetitions of a cell by outcome. `running`: by the ids of those whose runs are open. */
export function countOf(
  cells: readonly Pick<SweepCell, 'id' | 'outcome' | 'unchecked'>[],
  running: { has(id: string): boolean },
): Count {
  const ended = cells.filter(({ id }) => !running.has(id));
  const having = (outcome: SweepCell['outcome']): number =>
    ended.filter((cell) => cell.outcome === outcome).length;
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
