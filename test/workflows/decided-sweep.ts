import type { Activities } from '../../src/activities/create-activities.js';
import { omit } from '../../src/lib/json.js';
import { decide } from '../../src/decide/decision/decide.js';
import type { CellResult } from '../../src/decide/decision/paired-cells.js';
import type { UntilClear } from '../../src/decide/decision/until-clear.js';
import type { Cell } from '../../src/model/records/cell.js';
import type { Outcome } from '../../src/model/records/run-facts.js';
import { cell } from './stub-activities.js';

/** The cells of two variants, of which `base` comes first in each pair. */
export const pairedSides = (most: number): Cell[] =>
  Array.from({ length: most }, (_, index) => index + 1).flatMap((repetition) =>
    ['base', 'head'].map((variant) => cell(repetition, { id: `notes/mock/default/${variant}/${repetition}`, variant })),
  );

const PLAN: UntilClear = {
  base: { kind: 'variant', variant: 'base' },
  margin: null,
  alpha: 0.05,
  most_runs: 20,
  round_size: 1,
};

/** Activities of a sweep that runs until its verdict is clear. They keep the results in memory. */
export function decidingActivities(
  cells: readonly Cell[],
  outcomeOf: (cell: Cell, nth: number) => Outcome,
): Pick<Activities, 'loadCells' | 'decideNext' | 'writeReport'> {
  const results = new Map<string, CellResult>();
  return {
    loadCells: ({ positions = [] }) =>
      Promise.resolve({
        cells: positions.flatMap((position) =>
          cells.slice(position, position + 1).map((one) => {
            const redo = results.get(one.id)?.errors ?? 0;
            return { cell: one, finished: null, ...(redo === 0 ? {} : { redo }) };
          }),
        ),
        total: cells.length,
      }),
    writeReport: ({ cell: one }) => {
      const before = results.get(one.id)?.errors ?? 0;
      const outcome = outcomeOf(one, before + 1);
      const errors = before + (outcome === 'error' ? 1 : 0);
      results.set(one.id, { outcome, cost_usd: 0.25, errors });
      return Promise.resolve({ outcome, message: '', costUsd: 0.25 });
    },
    decideNext: ({ isLast }) => {
      const { decision, released, wanted } = decide(cells, PLAN, results, isLast ? 'completed' : 'open');
      const positions = isLast ? [] : wanted.map((one) => cells.indexOf(one));
      const counts = { pass: 0, fail: 0, error: 0, cancelled: 0 };
      for (const { id } of released.filter((one) => !wanted.includes(one))) {
        const outcome = results.get(id)?.outcome;
        if (outcome !== undefined) counts[outcome] += 1;
      }
      return Promise.resolve({
        decision: omit(decision, 'configurations', 'doubts'),
        next: positions.length === 0 ? [] : [{ agent: 'mock', model: 'default', positions }],
        released: released.length,
        counts,
        spentUsd: 0,
      });
    },
  };
}
