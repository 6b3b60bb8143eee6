import {
  allHandlersFinished,
  ApplicationFailure,
  CancellationScope,
  condition,
  continueAsNew,
  defineQuery,
  defineUpdate,
  executeChild,
  getExternalWorkflowHandle,
  isCancellation,
  ParentClosePolicy,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { Activities } from '../../activities/index.js';
import { cellLabel } from '../../results/records/cell-label.js';
import type { Cell } from '../../results/records/cell.js';
import { readLimit } from '../arguments.js';
import { trackLimits } from './limits.js';
import {
  QUERIES,
  UPDATES,
  type LoadCellsInput,
  type LostCell,
  type PageCell,
  type RunResult,
  type SweepInput,
  type SweepProgress,
  type SweepResult,
  type SweepStatus,
} from '../protocol.js';
import { rootCauseMessage } from '../root-message.js';
import { runScenario } from '../run-scenario.js';
import { trackSpending } from './spending.js';
import { cellAttributes, summaryOf, sweepDetails } from '../ui.js';
import { skipWaitSignal, providerLimited } from '../wait-for-provider.js';
import { ownValue } from '../../lib/own-value.js';

const pauseSweep = defineUpdate<SweepStatus>(UPDATES.pause);
const resumeSweep = defineUpdate<SweepStatus>(UPDATES.resume);
const cancelSweep = defineUpdate<SweepStatus>(UPDATES.cancel);
const goOn = defineUpdate<SweepStatus>(UPDATES.goOn);
const progressOfSweep = defineQuery<SweepProgress>(QUERIES.progress);

/** Maximum number of lost cells whose reasons are kept; more would exceed Temporal's payload limit. */
const LOST_REASONS = 200;

/** Cells per page: the whole matrix never crosses Temporal. */
const PAGE = 100;

const { loadCells, finishSweep } = proxyActivities<Activities>({
  startToCloseTimeout: '5 minutes',
  retry: { initialInterval: '1 second', maximumInterval: '30 seconds', maximumAttempts: 10 },
});

const roundOf = ({ round, again }: SweepInput): Pick<LoadCellsInput, 'round' | 'again'> => ({
  round,
  ...(again === undefined ? {} : { again }),
});

type Spent = Pick<RunResult, 'costUsd' | 'knownUsd'>;

/** Cost of the agent of a run that could not write its report, from the details of the run's error. */
function spentOf(error: unknown): Spent {
  const { cause } = error as Error;
  const [known] = cause instanceof ApplicationFailure ? (cause.details ?? []) : [];
  return { costUsd: null, ...(known as Partial<Spent> | undefined) };
}

/**
 * The sweep workflow of builds before the scheduler (`run-sweep.ts`). Sweeps that those builds started continue with
 * it, and their histories replay. No new sweep uses it.
 */
export async function runLegacySweep(input: SweepInput): Promise<SweepResult> {
  const { sweep, concurrency } = input;
  const counts = input.carried?.counts ?? { pass: 0, fail: 0, error: 0, cancelled: 0 };
  const lost: LostCell[] = input.carried?.lost ?? [];
  const active = new Map<string, { cell: Cell; workflowId: string }>();
  let waiting: PageCell[] = input.carried?.waiting ?? [];
  let offset = input.carried?.offset ?? 0;
  let paused = input.carried?.paused ?? false;
  let cancelled = false;
  let total = input.carried?.total ?? 0;
  let admitted = 0;
  const spending = trackSpending(input.maxUsd, input.carried?.spending);
  const limits = trackLimits(input.carried?.limits);

  const status = (): SweepStatus => (cancelled ? 'cancelled' : paused ? 'paused' : 'running');
  const progress = (): SweepProgress => ({
    status: status(),
    active: [...active.values()].map(({ cell, workflowId }) => ({ cell: cell.id, workflowId })),
    total,
    counts,
    ...spentSoFar(),
    ...(limits.open().length === 0 ? {} : { limits: limits.open() }),
  });
  const spentSoFar = (): Pick<SweepProgress, 'spentUsd' | 'maxUsd'> => {
    const spent = spending.read();
    return spent === null ? {} : { maxUsd: spent.maxUsd, spentUsd: spent.carried.spentUsd };
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

  setHandler(providerLimited, (argument) => {
    const limit = readLimit(argument);
    if (limit === null) return;
    limits.add(limit);
    show();
  });
  setHandler(goOn, async () => {
    limits.clear();
    const waiting = [...active.values()].map(({ workflowId }) =>
      // A run that has just ended needs no signal.
      getExternalWorkflowHandle(workflowId)
        .signal(skipWaitSignal)
        .catch(() => undefined),
    );
    await Promise.all(waiting);
    show();
    return status();
  });

  async function run(cell: Cell): Promise<void> {
    const workflowId = `sweep/${sweep}/${cell.id}/r${input.round}`;
    active.set(cell.id, { cell, workflowId });
    const since = Date.now();
    let spent: Spent = { costUsd: null };
    try {
      const result = await runs.run(() =>
        executeChild(runScenario, {
          workflowId,
          args: [{ sweep, cell, inProcess: true }],
          typedSearchAttributes: cellAttributes(sweep, cell),
          staticSummary: summaryOf(cellLabel(cell)),
          // If this workflow is terminated, its runs stop their agents and write their reports.
          parentClosePolicy: ParentClosePolicy.REQUEST_CANCEL,
          // How long until a dead worker's workflow task is given to another worker.
          workflowTaskTimeout: '5 seconds',
        }),
      );
      counts[result.outcome] += 1;
      spent = result;
    } catch (error) {
      spent = spentOf(error);
      if (isCancellation(error)) counts.cancelled += 1;
      else {
        counts.error += 1;
        if (lost.length < LOST_REASONS)
          lost.push({
            cell: cell.id,
            message: `the run's workflow did not complete: ${rootCauseMessage(error)}`,
            since,
          });
      }
    } finally {
      active.delete(cell.id);
      spending.end(cell, spent.costUsd, spent.knownUsd);
      show();
    }
  }

  const hasRoom = ({ agent, model }: Cell): boolean => {
    const open = [...active.values()].map((run) => run.cell);
    const below = (cap: number | undefined, having: (cell: Cell) => boolean): boolean =>
      cap === undefined || open.filter(having).length < cap;
    return (
      open.length < concurrency &&
      below(ownValue(input.caps?.agents ?? {}, agent), (cell) => cell.agent === agent) &&
      below(ownValue(input.caps?.models ?? {}, model), (cell) => cell.model === model)
    );
  };
  /** The first cell that need not wait, either because it can start or because it never will. */
  const next = (): PageCell | undefined =>
    paused
      ? undefined
      : waiting.find(
          (page) => hasRoom(page.cell) && !limits.holds(page.provider) && spending.admission(page) !== 'wait',
        );

  async function loadPage(): Promise<{ last: boolean }> {
    const page = await loadCells({ sweep, offset, limit: PAGE, ...roundOf(input) });
    total = page.total;
    offset += page.cells.length;
    for (const { finished, costUsd } of page.cells) {
      if (finished !== null) counts[finished] += 1;
      spending.add(costUsd);
    }
    waiting = page.cells.filter(({ finished }) => finished === null);
    show();
    return { last: page.cells.length < PAGE };
  }

  /** Returns true once all cells are admitted; false if a new history must begin first. */
  async function admit(): Promise<boolean> {
    for (let last = false; ;) {
      while (waiting.length > 0) {
        await condition(() => cancelled || next() !== undefined);
        const page = next();
        if (cancelled || page === undefined) return true;
        if (spending.admission(page) === 'never') {
          spending.leaveOut();
          counts.error += 1;
        } else {
          if (workflowInfo().continueAsNewSuggested || admitted === input.cellsPerHistory) return false;
          admitted += 1;
          spending.start(page);
          void run(page.cell);
          show();
        }
        waiting = waiting.filter((other) => other !== page);
      }
      if (last) return true;
      ({ last } = await loadPage());
    }
  }

  let complete = true;
  try {
    complete = await admit();
    await condition(() => active.size === 0);
  } catch (error) {
    if (!isCancellation(error)) throw error;
    // Cancelled from outside, for example in the Web UI. Handled like our own update.
    cancelled = true;
    runs.cancel();
    await CancellationScope.nonCancellable(() => condition(() => active.size === 0));
  }
  return CancellationScope.nonCancellable(async () => {
    await condition(allHandlersFinished);
    const money = spending.read();
    if (!complete && !cancelled) {
      return continueAsNew<typeof runLegacySweep>({
        ...input,
        carried: {
          offset,
          waiting,
          total,
          paused,
          counts,
          lost,
          ...(limits.open().length === 0 ? {} : { limits: limits.open() }),
          ...(money === null ? {} : { spending: money.carried }),
        },
      });
    }
    const end = cancelled ? 'cancelled' : 'completed';
    const overBudget =
      money === null || money.carried.unaffordable === 0
        ? {}
        : { overBudget: { maxUsd: money.maxUsd, spentUsd: money.carried.spentUsd } };
    await finishSweep({ sweep, round: input.round, status: end, lost, ...overBudget });
    return { status: end, counts };
  });
}
