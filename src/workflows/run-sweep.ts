import {
  allHandlersFinished,
  CancellationScope,
  condition,
  continueAsNew,
  getExternalWorkflowHandle,
  isCancellation,
  ParentClosePolicy,
  setCurrentDetails,
  startChild,
  upsertMemo,
  upsertSearchAttributes,
  workflowInfo,
  WorkflowIdReusePolicy,
} from '@temporalio/workflow';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { cellLabel } from '#model/pure';
import {
  type CellPage,
  type Decided,
  type DecideInput,
  type OpenRun,
  originOf,
  type PageCell,
  type Parked,
  type RunPlace,
  runResultIn,
  runWorkflowId,
  type SweepInput,
  type SweepProgress,
  type SweepResult,
  type SweepStatus,
} from '#protocol';
import { rootCauseMessage } from './root-message.js';
import { activities } from './sweep/activities.js';
import { endWithoutResult, spentOf } from './sweep/end-without-result.js';
import { createHosts } from './sweep/hosts.js';
import { createInheritedRuns } from './sweep/inherited-runs.js';
import { handleMessages } from './sweep/messages.js';
import { progressOf } from './sweep/progress.js';
import { runScenario } from './run-scenario.js';
import { carry, startState } from './scheduler/carry.js';
import type { Cost } from './scheduler/money.js';
import { PAGE, type Wanted } from './scheduler/reading.js';
import type { SweepAction, SweepEvent } from './scheduler/events.js';
import { reduce } from './scheduler/reduce.js';
import { hasStartedAll, incarnationOf, isOver, nextTime, numbersOf, startedRuns } from './scheduler/state.js';
import { announceEnd } from './announce-end.js';
import { cellAttributes, decisionAttributes, decisionMemo, summaryOf, sweepDetails } from './ui.js';
import { wakeRun } from './wait-for-provider.js';

/** How many hosts a run may lose before it is given up: it may be the run that makes them fail. */
const MOST_HOSTS = 3;

/**
 * Runs the cells of a plan, each as a child workflow. `scheduler/reduce.ts` decides what to do; this function does it.
 */
export async function runSweep(input: SweepInput): Promise<SweepResult> {
  const { sweep, round } = input;
  const origin = originOf(input, workflowInfo().firstExecutionRunId);
  let state = startState(input);
  let failure: Error | null = null;
  let started = 0;
  /** Cells whose child workflows the server has not confirmed yet. */
  const starting = new Set<string>();
  /** Whether a new history is about to take over. */
  let isHandingOver = false;
  const runs = new CancellationScope();

  const workflowIdOf = (cell: string): string => {
    const run = state.open.get(cell);
    return runWorkflowId(sweep, cell, round, run === undefined ? {} : numbersOf(run));
  };
  const status = (): SweepStatus => (state.cancelled ? 'cancelled' : state.paused ? 'paused' : 'running');
  const progress = (): SweepProgress => progressOf(state, status(), workflowIdOf);
  const show = (): void => setCurrentDetails(sweepDetails(progress()));
  const hosts =
    input.placed === true
      ? createHosts(
          input,
          () => state,
          (run, host, result) => {
            const { cell } = run.page;
            inherited.forget(cell.id);
            const message = `its hosts were lost ${MOST_HOSTS} times, at last ${host.name}`;
            if (result !== null)
              dispatch({ type: 'ended', cell: cell.id, outcome: result.outcome, cost: result });
            else if (state.cancelled || incarnationOf(run) >= MOST_HOSTS)
              dispatch(endWithoutResult(run, state.cancelled, message, { costUsd: null }));
            else dispatch({ type: 'host lost', cell: cell.id, host });
          },
        )
      : null;
  const inherited = createInheritedRuns({
    ...{ sweep, workflowIdOf, dispatch, state: () => state },
    isLosing: (workflowId) => hosts?.isLosing(workflowId) === true,
    ask: (cell, signal) => runOf(cell).signal(signal),
  });

  function dispatch(event: SweepEvent): void {
    const step = reduce(state, event, Date.now());
    state = step.state;
    for (const action of step.actions) perform(action);
    if (failure !== null) endWanted(false, failure.message);
    show();
  }

  function perform(action: SweepAction): void {
    switch (action.type) {
      case 'start':
        started += 1;
        void run(action.cell);
        break;
      case 'place':
        void place(action.run);
        break;
      case 'wake':
        // If the run has closed meanwhile, the signal is not needed: its end is reported anyway.
        void runOf(action.cell)
          .signal(wakeRun, wakeOf(action.parked))
          .catch(() => undefined);
        break;
      case 'load':
        void load(action.wanted);
        break;
      case 'decide':
        void decide(action.known);
        break;
    }
  }

  const runOf = (cell: string) => getExternalWorkflowHandle(workflowIdOf(cell));

  async function place(sought: OpenRun): Promise<void> {
    if (hosts === null) return;
    const { page } = sought;
    let found: RunPlace;
    try {
      found = await hosts.seek(sought);
    } catch (error) {
      if (isCancellation(error) && !state.cancelled) dispatch({ type: 'not placed', cell: page.cell.id });
      else dispatch(endWithoutResult(sought, isCancellation(error), rootCauseMessage(error), { costUsd: 0 }));
      return;
    }
    started += 1;
    dispatch({ type: 'placed', cell: page.cell.id, place: found });
    await run(page, sought, found);
  }

  async function run(
    page: PageCell,
    { lostHosts }: Pick<OpenRun, 'lostHosts'> = {},
    on?: RunPlace,
  ): Promise<void> {
    const { cell, fresh } = page;
    const proof = on === undefined ? page.proof : on.proof;
    const since = Date.now();
    const workflowId = workflowIdOf(cell.id);
    // Once the run's host is lost, what becomes of its workflow no longer matters.
    const isSame = (): boolean => workflowIdOf(cell.id) === workflowId;
    const isAbandoned = (): boolean => !isSame() || hosts?.isLosing(workflowId) === true;
    const start = (workflowIdReusePolicy: WorkflowIdReusePolicy) =>
      startChild(runScenario, {
        workflowId,
        workflowIdReusePolicy,
        args: [
          {
            sweep,
            cell,
            ...(proof === undefined ? {} : { proof }),
            ...(fresh === undefined ? {} : { fresh }),
            ...(lostHosts === undefined ? {} : { lostHosts }),
            ...(input.sparse === undefined ? {} : { sparse: input.sparse }),
            ...(input.limits === undefined ? {} : { limits: input.limits }),
            ...(isHandingOver ? { announcesEnd: true } : {}),
          },
        ],
        ...(on === undefined ? {} : { taskQueue: on.queue }),
        typedSearchAttributes: cellAttributes(sweep, cell),
        staticSummary: summaryOf(cellLabel(cell)),
        // A next history takes the run over. If this sweep is terminated, the worker cancels the run.
        parentClosePolicy: ParentClosePolicy.ABANDON,
        // The time until a dead worker's workflow task is given to another worker.
        workflowTaskTimeout: '5 seconds',
      });
    starting.add(cell.id);
    inherited.forget(cell.id);
    try {
      const result = await runs.run(async () => {
        const child = await start(WorkflowIdReusePolicy.REJECT_DUPLICATE).catch(async (error: unknown) => {
          if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
          // This sweep was reset to a time before it started the run.
          const ended = await inherited.endOf(cell.id);
          if (ended === null) return null;
          return ended.result ?? start(WorkflowIdReusePolicy.ALLOW_DUPLICATE);
        });
        starting.delete(cell.id);
        dispatch({ type: 'begun', cell: cell.id });
        if (child === null || 'outcome' in child) return child;
        return child.result().catch((error: unknown) => {
          const result = runResultIn(error);
          if (result === null) throw error;
          return result;
        });
      });
      if (result === null) inherited.adopt(cell.id);
      else if (isSame()) dispatch({ type: 'ended', cell: cell.id, outcome: result.outcome, cost: result });
    } catch (error) {
      starting.delete(cell.id);
      if (isAbandoned()) return;
      const cost = isCancellation(error) ? await costOfCancelled(cell.id) : spentOf(error);
      dispatch(endWithoutResult({ page, since }, isCancellation(error), rootCauseMessage(error), cost));
    }
  }

  /** A cancelled workflow closes without a result. Its cost matters if the sweep goes on and has a budget. */
  async function costOfCancelled(cell: string): Promise<Cost> {
    if (state.money === null || state.cancelled) return { costUsd: null };
    const runs = [{ cell, workflowId: workflowIdOf(cell) }];
    const [ended] = await CancellationScope.nonCancellable(() =>
      activities.findEndedRuns({ sweep, runs, waitMs: 0 }),
    );
    return { costUsd: null, knownUsd: ended?.knownUsd ?? 0 };
  }

  /** Ends the runs that want a host but will not get one. */
  function endWanted(cancelled: boolean, message: string): void {
    const wanted = [...state.open.values()].find(({ place }) => place === 'wanted');
    if (wanted === undefined) return;
    dispatch(endWithoutResult(wanted, cancelled, message, { costUsd: null }));
    endWanted(cancelled, message);
  }

  const isSeeking = (): boolean => [...state.open.values()].some(({ place }) => place === 'being sought');

  async function load(wanted: Wanted): Promise<void> {
    const { again } = input;
    try {
      const page: CellPage = await activities.loadCells({
        sweep,
        offset: 0,
        limit: PAGE,
        round,
        ...wanted,
        ...(again === undefined ? {} : { again }),
        ...origin,
      });
      dispatch({ type: 'loaded', page, wanted });
    } catch (error) {
      if (isCancellation(error)) return;
      failure = error as Error;
      dispatch({ type: 'held' });
    }
  }

  async function decide(known: Pick<DecideInput, 'isFirst' | 'isLast' | 'released'>): Promise<void> {
    try {
      const input: DecideInput = { sweep, round, ...known, lost: state.lost, ...origin };
      const summary = known.isFirst ? 'release the first round' : 'look at the results';
      const decided = await activities.decideNext.executeWithOptions({ summary }, [input]);
      showDecision(decided);
      dispatch({ type: 'decided', decided });
    } catch (error) {
      if (isCancellation(error)) return;
      failure = error as Error;
      dispatch({ type: 'held' });
    }
  }

  function cancelRuns(): void {
    dispatch({ type: 'cancelled' });
    hosts?.stopSeeking();
    runs.cancel();
    endWanted(true, '');
    for (const cell of inherited.open()) {
      void runOf(cell)
        .cancel()
        .catch(() => undefined); // it has closed
    }
  }

  handleMessages({
    input,
    state: () => state,
    status,
    progress,
    workflowIdOf,
    dispatch,
    hosts,
    inherited,
    cancelRuns,
  });

  const wantsNewHistory = (): boolean =>
    !state.cancelled &&
    (workflowInfo().continueAsNewSuggested ||
      (started >= (input.cellsPerHistory ?? Infinity) && !hasStartedAll(state)));

  /**
   * Waits until every cell has ended or a new history is needed. Dispatches `time` whenever a wait of the sweep ends.
   */
  async function untilOver(): Promise<'over' | 'new history'> {
    while (!isOver(state) && !(failure !== null && state.open.size === 0)) {
      if (wantsNewHistory() && failure === null) return 'new history';
      const at = nextTime(state, Date.now());
      const isDisturbed = (): boolean =>
        isOver(state) ||
        (failure !== null && state.open.size === 0) ||
        wantsNewHistory() ||
        nextTime(state, Date.now()) !== at;
      if (at === null) await condition(isDisturbed);
      else if (!(await condition(isDisturbed, Math.max(1, at - Date.now())))) dispatch({ type: 'time' });
    }
    return 'over';
  }

  /**
   * Prepares for the next history: asks every open run to announce its end, and then starts nothing more. Cells are
   * started until all runs have been asked, which may take seconds; these announce their end without being asked.
   */
  async function prepareNextHistory(): Promise<void> {
    isHandingOver = true;
    hosts?.stopWatching();
    await askRuns();
    dispatch({ type: 'held' });
    hosts?.stopSeeking();
    await condition(() => !state.loading && starting.size === 0 && !isSeeking());
    await condition(() => allHandlersFinished() && hosts?.isLosingAny() !== true);
  }

  /**
   * Asks the runs of this history to announce their end. If one closes before it can be asked, waits until the server has
   * reported its end.
   */
  async function askRuns(): Promise<void> {
    const asked = startedRuns(state).filter((cell) => !inherited.has(cell));
    await Promise.all(
      asked.map(async (cell) => {
        if (starting.has(cell)) await condition(() => !starting.has(cell));
        const workflowId = workflowIdOf(cell);
        const isAsked = await runOf(cell)
          .signal(announceEnd)
          .then(
            () => true,
            () => false,
          );
        if (!isAsked) await condition(() => !state.open.has(cell) || workflowIdOf(cell) !== workflowId);
      }),
    );
  }

  show();
  let next: 'over' | 'new history';
  try {
    dispatch({ type: 'time' });
    void hosts?.watch().catch(() => undefined);
    void inherited.watch().catch(() => undefined);
    next = await untilOver();
    if (next === 'new history') await prepareNextHistory();
  } catch (error) {
    if (!isCancellation(error)) throw error;
    // Cancelled from outside, for example in the Web UI. Handled like our own update.
    cancelRuns();
    next = 'over';
    await CancellationScope.nonCancellable(() => condition(() => state.open.size === 0));
  }
  return CancellationScope.nonCancellable(async () => {
    if (next === 'new history' && !state.cancelled)
      return continueAsNew<typeof runSweep>({
        ...input,
        state: { ...carry(state), ...(hosts === null ? {} : { watched: hosts.watched() }) },
      });
    await condition(() => state.open.size === 0 && allHandlersFinished());
    if (failure !== null && !state.cancelled) throw failure;
    const end = state.cancelled ? 'cancelled' : 'completed';
    const { money } = state;
    const overBudget =
      money === null || money.unaffordable === 0
        ? {}
        : { overBudget: { maxUsd: money.maxUsd, spentUsd: money.spentUsd } };
    await activities.finishSweep({
      sweep,
      round,
      status: end,
      lost: [...state.lost],
      ...overBudget,
      ...origin,
    });
    return { status: end, counts: { ...state.counts } };
  });
}

/** The Web UI shows this after the sweep has ended too, when nobody answers its queries. */
function showDecision({ decision }: Decided): void {
  upsertMemo(decisionMemo(decision));
  upsertSearchAttributes(decisionAttributes(decision));
}

const wakeOf = ({ nth, wakeProof }: Parked): { nth: number; proof?: string } => ({
  nth,
  ...(wakeProof === undefined ? {} : { proof: wakeProof }),
});
