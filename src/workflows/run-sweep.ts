import {
  allHandlersFinished,
  CancellationScope,
  condition,
  continueAsNew,
  defineQuery,
  defineUpdate,
  executeChild,
  isCancellation,
  ParentClosePolicy,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { Activities } from '../activities/index.js';
import type { Cell } from '../results/cell.js';
import { runScenario } from './run-scenario.js';
import {
  QUERIES,
  UPDATES,
  type LostCell,
  type SweepInput,
  type SweepProgress,
  type SweepResult,
  type SweepStatus,
} from './protocol.js';
import { rootMessage } from './root-message.js';
import { trackSpending } from './spending.js';
import { cellAttributes, summaryOf, sweepDetails } from './ui.js';

const pauseSweep = defineUpdate<SweepStatus>(UPDATES.pause);
const resumeSweep = defineUpdate<SweepStatus>(UPDATES.resume);
const cancelSweep = defineUpdate<SweepStatus>(UPDATES.cancel);
const progressOfSweep = defineQuery<SweepProgress>(QUERIES.progress);

/** Reasons of so many lost cells are told; those of more would outgrow what Temporal carries. */
const LOST_REASONS = 200;

/** Cells come in pages: the matrix itself never crosses Temporal. */
const PAGE = 100;

const { loadCells, finishSweep } = proxyActivities<Activities>({
  startToCloseTimeout: '5 minutes',
  retry: { initialInterval: '1 second', maximumInterval: '30 seconds', maximumAttempts: 10 },
});

/** Runs the cells of a plan, at most `concurrency` at once, each as a child workflow. */
export async function runSweep(input: SweepInput): Promise<SweepResult> {
  const { sweep, concurrency } = input;
  const counts = input.carried?.counts ?? { pass: 0, fail: 0, error: 0, cancelled: 0 };
  const lost: LostCell[] = input.carried?.lost ?? [];
  const active = new Map<string, string>();
  let offset = input.carried?.offset ?? 0;
  let paused = input.carried?.paused ?? false;
  let cancelled = false;
  let total = 0;
  let admitted = 0;
  const spending = trackSpending(input.maxUsd, input.carried?.spending);

  const status = (): SweepStatus => (cancelled ? 'cancelled' : paused ? 'paused' : 'running');
  const progress = (): SweepProgress => ({
    status: status(),
    active: [...active].map(([cell, workflowId]) => ({ cell, workflowId })),
    total,
    counts,
    ...spentSoFar(),
  });
  const spentSoFar = (): Pick<SweepProgress, 'spentUsd' | 'maxUsd'> => {
    const said = spending.read();
    return said === null ? {} : { maxUsd: said.maxUsd, spentUsd: said.carried.spentUsd };
  };
  const show = (): void => setCurrentDetails(sweepDetails(progress()));
  const runs = new CancellationScope();

  setHandler(progressOfSweep, progress);
  setHandler(pauseSweep, () => {
    paused = true;
    show();
    return status();
  });
  setHandler(resumeSweep, () => {
    paused = false;
    show();
    return status();
  });
  setHandler(cancelSweep, () => {
    cancelled = true;
    runs.cancel();
    show();
    return status();
  });

  async function run(cell: Cell, workflowId: string): Promise<void> {
    let costUsd: number | null = null;
    try {
      const result = await runs.run(() =>
        executeChild(runScenario, {
          workflowId,
          args: [{ sweep, cell }],
          typedSearchAttributes: cellAttributes(sweep, cell),
          staticSummary: summaryOf(`${cell.scenario} with ${cell.agent} ${cell.model} #${cell.repetition}`),
          // Should this workflow be terminated, its runs kill their agents and write their reports.
          parentClosePolicy: ParentClosePolicy.REQUEST_CANCEL,
        }),
      );
      counts[result.outcome] += 1;
      costUsd = result.costUsd;
    } catch (error) {
      if (isCancellation(error)) counts.cancelled += 1;
      else {
        counts.error += 1;
        if (lost.length < LOST_REASONS)
          lost.push({ cell: cell.id, message: `the run's workflow did not complete: ${rootMessage(error)}` });
      }
    } finally {
      active.delete(cell.id);
      spending.end(cell, costUsd);
      show();
    }
  }

  /** True when all cells are admitted; false when there should be a new history first. */
  async function admit(): Promise<boolean> {
    for (;;) {
      const page = await loadCells({ sweep, offset, limit: PAGE, round: input.round });
      total = page.total;
      show();
      for (const waiting of page.cells) {
        const { cell, finished } = waiting;
        if (finished === null) {
          await condition(
            () =>
              cancelled || (!paused && active.size < concurrency && spending.admission(waiting) !== 'wait'),
          );
          if (cancelled) return true;
          if (spending.admission(waiting) === 'never') {
            spending.leaveOut();
            counts.error += 1;
            offset += 1;
            continue;
          }
          if (workflowInfo().continueAsNewSuggested || admitted === input.cellsPerHistory) return false;
          const workflowId = `sweep/${sweep}/${cell.id}/r${input.round}`;
          admitted += 1;
          active.set(cell.id, workflowId);
          spending.start(waiting);
          void run(cell, workflowId);
          show();
        } else {
          counts[finished] += 1;
          spending.add(waiting.costUsd);
        }
        offset += 1;
      }
      if (page.cells.length < PAGE) return true;
    }
  }

  let complete = true;
  try {
    complete = await admit();
    await condition(() => active.size === 0);
  } catch (error) {
    if (!isCancellation(error)) throw error;
    // Cancelled from outside, for example in the Web UI: the same as our own update.
    cancelled = true;
    runs.cancel();
    await CancellationScope.nonCancellable(() => condition(() => active.size === 0));
  }
  return CancellationScope.nonCancellable(async () => {
    await condition(allHandlersFinished);
    const money = spending.read();
    if (!complete && !cancelled) {
      return continueAsNew<typeof runSweep>({
        ...input,
        carried: { offset, paused, counts, lost, ...(money === null ? {} : { spending: money.carried }) },
      });
    }
    const end = cancelled ? 'cancelled' : 'completed';
    const overBudget =
      money === null || money.carried.unaffordable === 0
        ? {}
        : { overBudget: { maxUsd: money.maxUsd, spentUsd: money.carried.spentUsd } };
    await finishSweep({ sweep, status: end, lost, ...overBudget });
    return { status: end, counts };
  });
}
