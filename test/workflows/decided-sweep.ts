import type { Activities } from '../../src/activities/index.js';
import { omit } from '../../src/lib/omit.js';
import { decide } from '../../src/results/decision/decide.js';
import type { UntilClear } from '../../src/results/decision/until-clear.js';
import type { Cell } from '../../src/results/records/cell.js';
import type { Outcome } from '../../src/results/records/result-line.js';
import { cell } from './stub-activities.js';

/** The cells of two variants, of which `base` comes first in each pair. */
export const pairedSides = (most: number): Cell[] =>
  Array.from({ length: most }, (_, index) => index + 1).flatMap((repetition) =>
    ['base', 'head'].map((variant) =>
      cell(repetition, { id: `notes/mock/default/${variant}/${repetition}`, variant }),
    ),
  );

const PLAN: UntilClear = {
  base: { kind: 'variant', variant: 'base' },
  ...{ margin: null, alpha: 0.05, most_runs: 20, round_size: 1 },
};

/** Activities of a sweep that runs until its verdict is clear. They keep the results in memory. */
export function decidingActivities(
  cells: readonly Cell[],
  outcomeOf: (cell: Cell) => Outcome,
): Pick<Activities, 'loadCells' | 'decideNext' | 'writeReport'> {
  const results = new Map<string, { outcome: Outcome; cost_usd: number }>();
  return {
    loadCells: ({ positions = [] }) =>
      Promise.resolve({
        cells: positions.flatMap((position) =>
          cells.slice(position, position + 1).map((one) => ({ cell: one, finished: null })),
        ),
        total: cells.length,
      }),
    writeReport: ({ cell: one }) => {
      const outcome = outcomeOf(one);
      results.set(one.id, { outcome, cost_usd: 0.25 });
      return Promise.resolve({ outcome, message: '', costUsd: 0.25 });
    },
    decideNext: ({ isLast }) => {
      const { decision, released, wanted } = decide(cells, PLAN, results, isLast ? 'completed' : 'open');
      const positions = isLast ? [] : wanted.map((one) => cells.indexOf(one));
      const counts = { pass: 0, fail: 0, error: 0, cancelled: 0 };
      for (const { id } of released) {
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
