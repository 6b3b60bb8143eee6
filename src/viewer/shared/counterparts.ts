import type { SweepCell } from '#decide';
import { agentName } from './configuration.js';

type CellNames = Pick<SweepCell, 'scenario' | 'variant' | 'agent' | 'model' | 'repetition'>;

/** Names a cell in the same way in every sweep. */
export const cellKey = ({ scenario, variant, agent, model, repetition }: CellNames): string =>
  JSON.stringify([scenario, variant, agent, model, repetition]);

/** The kinds of counterparts of a cell: another agent or variant of their sweep, or the same cells of another sweep. */
const KINDS: Readonly<Record<string, (cell: CellNames) => string>> = {
  agent: ({ scenario, variant, repetition }) => JSON.stringify([scenario, variant, repetition]),
  variant: ({ scenario, agent, model, repetition }) => JSON.stringify([scenario, agent, model, repetition]),
  sweep: cellKey,
};

const nameIn = (cell: CellNames, kind: string): string => (kind === 'agent' ? agentName(cell) : cell.variant);

/** Returns what the cells of a sweep can be compared with. `others`: ids of sweeps. */
export function comparable(cells: readonly CellNames[], others: readonly string[]): string[] {
  const inSweep = ['agent', 'variant'].flatMap((kind) => {
    const names = [...new Set(cells.map((cell) => nameIn(cell, kind)))];
    return names.length > 1 ? names.map((name) => `${kind}:${name}`) : [];
  });
  return [...inSweep, ...others.map((id) => `sweep:${id}`)];
}

/**
 * Returns a function that finds the outcome that a cell is compared with; null if there is none. `sweepOutcomes`: the
 * outcomes of another sweep by `cellKey`.
 */
export function counterpartsOf<T extends CellNames>(
  cells: readonly T[],
  outcome: (cell: T) => string,
  against: string,
  sweepOutcomes: (sweep: string) => ReadonlyMap<string, string>,
): (cell: T) => string | null {
  const [kind, name] = [against.slice(0, against.indexOf(':')), against.slice(against.indexOf(':') + 1)];
  const keyOf = Object.hasOwn(KINDS, kind) ? KINDS[kind] : undefined;
  if (keyOf === undefined) return () => null;
  if (kind === 'sweep') {
    const outcomes = sweepOutcomes(name);
    return (cell) => outcomes.get(keyOf(cell)) ?? null;
  }
  const base = cells.filter((cell) => nameIn(cell, kind) === name);
  const outcomes = new Map(base.map((cell) => [keyOf(cell), outcome(cell)]));
  return (cell) => (nameIn(cell, kind) === name ? null : (outcomes.get(keyOf(cell)) ?? null));
}
