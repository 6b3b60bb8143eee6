import { decide, endedCells, turnOrder } from '#decide';
import { groupBy, omit } from '#lib';
import type { Cell, Outcome } from '#model';
import type { Decided, DecideInput, UnreadCells } from '#protocol';
import { beginRound, newestRound, pullResults, resultsIndex, sharedProjectOf } from '#store';
import { decisionAsJudged } from '#sweeps';
import { LEFT_NO_RESULT, recordMissing, spentOn } from './report/record-result.js';
import type { Deps } from './step/deps.js';
import { readPlan } from './run/load-plan.js';
import { verifyStart } from './origin/verify-origin.js';

/**
 * Looks at the results of a sweep that runs until its verdict is clear, and releases the cells of its next round, if it
 * needs one. It depends only on the plan and the results, so an attempt that is repeated decides the same.
 */
export const decideNext =
  (deps: Deps) =>
  async ({ sweep, round, isFirst, isLast, released, lost, origin }: DecideInput): Promise<Decided> => {
    const { resultsPath } = deps;
    const { plan, planHash } = await readPlan(resultsPath, sweep);
    await verifyStart(deps, { sweep, planHash }, origin);
    if (plan.until_clear === undefined) throw new Error(`${sweep} does not run until its verdict is clear`);
    await beginRound(resultsPath, sweep, round);
    const project = await sharedProjectOf(resultsPath);
    if (project !== null) await pullResults(project, sweep);
    // By position. Decisions must not depend on it: documents are made of the cells as they are in the plan.
    const cells = turnOrder(plan.cells).flatMap((position) => plan.cells[position] ?? []);
    const isOver = async (): Promise<boolean> => (await newestRound(resultsPath, sweep)) > round;
    // Without a result, they would be released again and again. Those that the budget left out are not lost.
    if (!isLast)
      await recordMissing(deps, {
        plan,
        round,
        lost,
        isOver,
        otherwise: LEFT_NO_RESULT,
        cells: released.flatMap((position) => cells[position] ?? []),
      });
    const index = resultsIndex(resultsPath);
    const results = endedCells(index.linesOfSweep(sweep));
    const {
      decision,
      released: all,
      wanted,
    } = decide(plan.cells, plan.until_clear, results, isLast ? 'completed' : 'open');
    const again = isFirst && decision.stopped !== 'clear' ? undone(round, origin) : [];
    const repeated = all.filter(({ id }) => again.includes(results.get(id)?.outcome ?? 'pass'));
    const next = isLast ? [] : [...repeated, ...omitCells(wanted, repeated)];
    return {
      decision: {
        ...omit(
          next.length > 0 ? decision : await decisionAsJudged(resultsPath, plan, { decision, released: all }),
          'configurations',
          'doubts',
          'judge_drift',
        ),
        ...(next.length > 0 ? { verdict: 'undecided', stopped: null } : {}),
      },
      next: byKind(next, cells),
      released: all.length,
      counts: countsOf(omitCells(all, next), results),
      spentUsd: spentOn(plan, index),
    };
  };

/** The outcomes of cells that another round of the sweep runs again, like `loadCells`. */
const undone = (round: number, origin: DecideInput['origin']): Outcome[] => [
  ...(origin.order.again ?? []),
  ...(round > 1 ? (['cancelled'] as const) : []),
];

const omitCells = (cells: readonly Cell[], others: readonly Cell[]): Cell[] =>
  cells.filter((cell) => !others.includes(cell));

/** The positions of cells, by agent and model. */
function byKind(wanted: readonly Cell[], cells: readonly Cell[]): UnreadCells[] {
  const positions = new Map(cells.map(({ id }, position) => [id, position]));
  return groupBy(wanted, ({ agent, model }) => JSON.stringify([agent, model])).flatMap((group) =>
    group.slice(0, 1).map(({ agent, model }) => ({
      agent,
      model,
      positions: group.flatMap(({ id }) => positions.get(id) ?? []),
    })),
  );
}

function countsOf(cells: readonly Cell[], results: ReadonlyMap<string, { outcome: Outcome }>): Record<Outcome, number> {
  const counts = { pass: 0, fail: 0, error: 0, cancelled: 0 };
  for (const { id } of cells) {
    const outcome = results.get(id)?.outcome;
    if (outcome !== undefined) counts[outcome] += 1;
  }
  return counts;
}
