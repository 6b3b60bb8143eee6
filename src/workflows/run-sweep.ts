import {
  allHandlersFinished,
  CancellationScope,
  condition,
  continueAsNew,
  isCancellation,
  upsertMemo,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import { assertNever, defined } from '#lib/pure';
import type { CellPage, SweepInput, SweepResult } from '#protocol';
import { announceEnd } from './announce-end.js';
import { isMonthAsked, overBudgetOf } from './scheduler/money.js';
import { carry, hasStartedAll, isOver, nextTime, startedRuns } from './scheduler/state.js';
import type { SweepAction } from './scheduler/events.js';
import { PAGE } from './scheduler/reading.js';
import { reduce } from './scheduler/reduce.js';
import { activities, insist, createSweep, enqueue, handleOf, show, type Sweep, workflowIdOf } from './sweep/sweep.js';
import { stopSeeking, watchHosts } from './sweep/hosts.js';
import { watchInherited } from './sweep/inherited-runs.js';
import { handleMessages, verifyClaims } from './sweep/messages.js';
import { performRun, placeRun } from './sweep/run.js';
import { decisionAttributes, decisionMemo } from './ui.js';
import { wakeRun } from './wait-for-provider.js';

/**
 * Runs the cells of a plan, each as a child workflow. Whatever happens is an event in a queue; `handleEvents` takes the
 * events out of it, and does what `scheduler/reduce.ts` decides.
 */
export async function runSweep(input: SweepInput): Promise<SweepResult> {
  const { cancelRequested } = CancellationScope.current();
  // Only actions cancel anything, because a cancelled sweep waits for its runs.
  return CancellationScope.nonCancellable(async () => {
    const sweep = createSweep(input);
    // The cancellation may come from the Web UI.
    cancelRequested.catch(() => enqueue(sweep, { type: 'cancelled' }));
    handleMessages(sweep);
    enqueue(sweep, { type: 'time' });
    void handleEvents(sweep);
    void keepTime(sweep);
    void verifyClaims(sweep);
    void watchInherited(sweep).catch(() => undefined);
    if (sweep.hosts !== null) void watchHosts(sweep, sweep.hosts).catch(() => undefined);

    await condition(() => hasEnded(sweep) || wantsNewHistory(sweep));
    if (!hasEnded(sweep)) await handOver(sweep);
    while (!hasEnded(sweep) || !allHandlersFinished()) {
      if (sweep.isHandingOver && !sweep.state.cancelled) return continueInNewHistory(sweep);
      await condition(() => hasEnded(sweep) && allHandlersFinished());
    }
    return finish(sweep);
  });
}

/** True if there is nothing left to do and nothing left to decide about. */
const hasEnded = ({ queue, state }: Sweep): boolean => queue.length === 0 && isOver(state);

const wantsNewHistory = ({ queue, state, started, input: { cellsPerHistory = Infinity } }: Sweep): boolean =>
  queue.length === 0 &&
  !state.cancelled &&
  state.failure === null &&
  (workflowInfo().continueAsNewSuggested || (started >= cellsPerHistory && !hasStartedAll(state)));

async function handleEvents(sweep: Sweep): Promise<never> {
  for (;;) {
    show(sweep);
    await condition(() => sweep.queue.length > 0);
    for (let next = sweep.queue.shift(); next !== undefined; next = sweep.queue.shift()) {
      const { event, of } = next;
      if (of !== undefined && 'cell' in event && workflowIdOf(sweep, event.cell) !== of) continue;
      const { state, actions } = reduce(sweep.state, event, Date.now());
      sweep.state = state;
      for (const action of actions) perform(sweep, action);
    }
    sweep.nextTime = nextTime(sweep.state, Date.now());
  }
}

/** Tells the sweep when a wait of it ends. */
async function keepTime(sweep: Sweep): Promise<never> {
  for (;;) {
    const at = sweep.nextTime;
    const isOther = (): boolean => sweep.nextTime !== at;
    if (at === null) await condition(isOther);
    else if (!(await condition(isOther, Math.max(1, at - Date.now())))) {
      sweep.nextTime = null;
      enqueue(sweep, { type: 'time' });
      await condition(() => sweep.queue.length === 0);
    }
  }
}

function perform(sweep: Sweep, action: SweepAction): void {
  switch (action.type) {
    case 'start':
      void performRun(sweep, action.cell);
      return;
    case 'place':
      void placeRun(sweep, action.run);
      return;
    case 'wake': {
      const { nth, wakeProof: proof = '' } = action.parked;
      // If the run has closed meanwhile, the signal is not needed: its end is reported anyway.
      void handleOf(sweep, action.cell)
        .signal(wakeRun, { nth, proof })
        .catch(() => undefined);
      return;
    }
    case 'load':
      void orFail(sweep, load(sweep, action));
      return;
    case 'decide':
      void orFail(sweep, decide(sweep, action));
      return;
    case 'read month':
      void orFail(sweep, readMonth(sweep));
      return;
    case 'stop seeking':
      stopSeeking(sweep);
      return;
    case 'cancel runs':
      sweep.runs.cancel();
      // That reaches neither inherited runs, nor those that have continued as new.
      for (const cell of sweep.state.open.keys())
        void handleOf(sweep, cell)
          .cancel()
          .catch(() => undefined); // it has closed
      return;
    default:
      assertNever(action);
  }
}

/** If the work fails, for example because the cells cannot be read, the sweep ends once its open runs have ended. */
async function orFail(sweep: Sweep, work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (isCancellation(error)) return;
    sweep.failure = error as Error;
    enqueue(sweep, { type: 'failed', message: sweep.failure.message });
  }
}

async function load(sweep: Sweep, { wanted }: Extract<SweepAction, { type: 'load' }>): Promise<void> {
  const { input, origin } = sweep;
  const { sweep: name, round, again } = input;
  const page: CellPage = await insist(sweep, 'read the plan', (options) =>
    activities.loadCells.executeWithOptions(options, [
      {
        sweep: name,
        offset: 0,
        limit: PAGE,
        round,
        ...wanted,
        ...defined({ again }),
        origin,
      },
    ]),
  );
  enqueue(sweep, { type: 'loaded', page, wanted });
}

async function readMonth(sweep: Sweep): Promise<void> {
  const { input, origin } = sweep;
  const month = await insist(sweep, 'read what its owner has spent this month', (options) =>
    activities.readMonth.executeWithOptions(options, [{ sweep: input.sweep, origin }]),
  );
  enqueue(sweep, { type: 'month read', month });
}

async function decide(sweep: Sweep, { known }: Extract<SweepAction, { type: 'decide' }>): Promise<void> {
  const { input, state, origin } = sweep;
  const summary = known.isFirst ? 'release the first round' : 'look at the results';
  const decided = await activities.decideNext.executeWithOptions({ summary }, [
    { sweep: input.sweep, round: input.round, ...known, lost: state.lost, origin },
  ]);
  // The Web UI shows this after the sweep has ended too, when nobody answers its queries.
  upsertMemo(decisionMemo(decided.decision));
  upsertSearchAttributes(decisionAttributes(decided.decision));
  enqueue(sweep, { type: 'decided', decided });
}

/**
 * Prepares for the next history: asks every open run to announce its end, and then starts nothing more. Cells are
 * started until all runs have been asked, which may take seconds; these announce their end without being asked.
 */
async function handOver(sweep: Sweep): Promise<void> {
  sweep.isHandingOver = true;
  if (sweep.hosts !== null) sweep.hosts.isWatching = false;
  // Runs that have just been placed are still in the queue.
  await condition(() => sweep.queue.length === 0);
  const asked = startedRuns(sweep.state).filter((cell) => !sweep.inherited.has(cell));
  await Promise.all(asked.map((cell) => requestAnnouncement(sweep, cell)));
  enqueue(sweep, { type: 'held' });
  await condition(() => sweep.queue.length === 0);
  stopSeeking(sweep);
  while (!isIdle(sweep)) await condition(() => isIdle(sweep));
}

/** Asks a run to announce its end. If it closes before it can be asked, waits until the server has reported its end. */
async function requestAnnouncement(sweep: Sweep, cell: string): Promise<void> {
  if (sweep.starting.has(cell)) await condition(() => !sweep.starting.has(cell));
  const workflowId = workflowIdOf(sweep, cell);
  const isAsked = await handleOf(sweep, cell)
    .signal(announceEnd)
    .then(
      () => true,
      () => false,
    );
  if (!isAsked) await condition(() => !sweep.state.open.has(cell) || workflowIdOf(sweep, cell) !== workflowId);
}

/** True if the next history would miss nothing. */
const isIdle = ({ queue, state, starting, claims, isVerifying, hosts }: Sweep): boolean =>
  queue.length === 0 &&
  claims.length === 0 &&
  !isVerifying &&
  !state.loading &&
  !isMonthAsked(state.money) &&
  starting.size === 0 &&
  ![...state.open.values()].some(({ place }) => place === 'being sought') &&
  (hosts === null || hosts.losing.size === 0) &&
  allHandlersFinished();

function continueInNewHistory({ input, state, hosts }: Sweep): Promise<never> {
  const watched = hosts === null ? {} : { watched: { seen: [...hosts.seen], lookedAt: hosts.lookedAt } };
  return continueAsNew<typeof runSweep>({ ...input, state: { ...carry(state), ...watched } });
}

async function finish(sweep: Sweep): Promise<SweepResult> {
  const { input, state, failure, origin } = sweep;
  const { money, cancelled, counts, lost } = state;
  if (failure !== null && !cancelled) throw failure;
  const status = cancelled ? 'cancelled' : 'completed';
  const overBudget = money === null ? {} : overBudgetOf(money);
  await insist(sweep, 'write the summary', (options) =>
    activities.finishSweep.executeWithOptions(options, [
      { sweep: input.sweep, round: input.round, status, lost: [...lost], ...overBudget, origin },
    ]),
  );
  return { status, counts: { ...counts } };
}
