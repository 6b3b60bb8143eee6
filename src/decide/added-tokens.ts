import { groupBy } from '#lib';
import {
  type Cell,
  contextOf,
  type Metrics,
  type Outcome,
  type SubjectSides,
  subjectTokens,
  type SubjectTokens,
} from '#model';
import type { Combined } from './by-parameter.js';

/** A cell with what its run recorded; null: no run yet. */
export interface MeasuredCell extends Omit<Cell, 'id' | 'repetition'> {
  outcome: Outcome | null;
  metrics: Pick<Metrics, 'agent_work'> | null;
}

/** Returns what subjects add to the context in a sweep that has variants with a subject, and the same without. */
export function addedTokens(variants: readonly Combined[], cells: readonly MeasuredCell[]): SubjectTokens[] {
  if (variants.every(({ subject }) => subject === undefined)) return [];
  const groups = groupBy(cells, ({ scenario, agent, model }) => JSON.stringify([scenario, agent, model]));
  const byScenario = new Map(groupBy(variants, ({ name }) => name).map((all) => [all[0]?.name, all]));
  return subjectTokens(
    groups.flatMap((group) => {
      const ofScenario = byScenario.get(group[0]?.scenario) ?? [];
      return ofScenario.flatMap((one) => sidesOf(group, one));
    }),
  );
}

function sidesOf(cells: readonly MeasuredCell[], { variant, subject }: Combined): SubjectSides[] {
  const [first] = cells;
  if (first === undefined || subject === undefined) return [];
  const context = (name: string) =>
    contextOf(
      cells
        .filter((cell) => cell.variant === name && (cell.outcome === 'pass' || cell.outcome === 'fail'))
        .map(({ metrics }) => metrics?.agent_work),
    );
  const { sizes, tools } = context(variant);
  const { scenario, agent, model } = first;
  const of = { scenario, variant, agent, model, added: subject.parts, removed: [], comparable: true };
  return [{ ...of, base: context(subject.without).sizes, head: sizes, tools }];
}
