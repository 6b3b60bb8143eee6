import { EventEmitter, once } from 'node:events';
import { beginSweep, follow, NO_EARLIER, updateSweep, type View } from '#client';
import { buildSweepDocument } from '#decide';
import { defined, messageOf } from '#lib';
import type { ResultLine } from '#model';
import type { ResolvedSweep } from '#planning';
import { sweepWorkflowId } from '#protocol';
import type { Plan } from '#scenario';
import { uiPage } from '#sweeps';
import type { SweepCell, SweepDocument } from '../documents.js';
import { withScenarioErrors } from '../errors.js';
import type { RunScenariosOptions, Sweep, SweepEvent } from '../sweep.js';

/** Longer than the interval of results: a query costs the server and the worker more than reading a file. */
const PROGRESS_MS = 1000;

/** A sweep that a program follows is cancelled by calls, not by signals. */
const NO_SIGNALS = { interrupted: () => false, each: () => undefined, stop: () => undefined };

/** Starts a sweep that has been checked, and follows it in the background. */
export async function startScenarios(
  sweep: ResolvedSweep,
  { address, signal, onNotice = () => undefined }: Pick<RunScenariosOptions, 'address' | 'signal' | 'onNotice'>,
): Promise<Sweep> {
  signal?.throwIfAborted();
  const { resultsPath } = sweep.project;
  const options = { report: onNotice, ...defined({ address }) };
  const { plan, session } = await beginSweep(sweep, options);
  const log = createLog();
  const uiUrl = uiPage(session.engine, sweepWorkflowId(plan.sweep));
  const view = eventsView(plan, resultsPath, log.add);
  const ended = withScenarioErrors(() =>
    follow({ session, plan, resultsPath, uiUrl, signals: NO_SIGNALS, view, earlier: NO_EARLIER }),
  )
    .then(({ document }) => document)
    .finally(async () => {
      log.close();
      signal?.removeEventListener('abort', onAbort);
      await session.close();
    });
  ended.catch(() => undefined); // reported to those who ask for the result
  const cancel = async (): Promise<SweepDocument> => {
    if (log.isOpen()) await withScenarioErrors(() => updateSweep(session, plan.sweep, 'cancel'));
    return ended;
  };
  const onAbort = (): void => {
    cancel().catch((error: unknown) => {
      onNotice(`the sweep could not be cancelled: ${messageOf(error)}`);
    });
  };
  if (signal?.aborted === true) onAbort();
  else signal?.addEventListener('abort', onAbort, { once: true });
  return {
    id: plan.sweep,
    results: resultsPath,
    cells: plan.cells.map(({ id }) => id),
    events: log.events,
    result: () => ended,
    cancel,
  };
}

/** A view that turns what it is shown into events. */
function eventsView(plan: Plan, resultsPath: string, add: (event: SweepEvent) => void): View {
  const started = new Set<string>();
  const ended = new Set<string>();
  let waits: string | null = null;
  const start = (cell: string): void => {
    if (!started.has(cell)) add({ type: 'started', cell });
    started.add(cell);
  };
  const wait = (reason: string | null): void => {
    if (reason !== waits) add({ type: 'waiting', reason });
    waits = reason;
  };
  return {
    progressEveryMs: PROGRESS_MS,
    show({ progress, waiting, results }) {
      for (const { cell } of progress?.active ?? []) start(cell);
      for (const line of results) {
        if (ended.has(line.id)) continue;
        ended.add(line.id);
        const cell = endedCell(plan, resultsPath, line);
        if (cell === undefined) continue;
        start(line.cell);
        add({ type: 'ended', cell });
      }
      wait(waiting);
      return Promise.resolve();
    },
    note: () => undefined,
    away: wait,
    done: () => undefined,
  };
}

/** The cell as it is in the sweep's document. */
const endedCell = (plan: Plan, resultsPath: string, line: ResultLine): SweepCell | undefined =>
  buildSweepDocument({
    sweep: plan.sweep,
    workflowId: '',
    uiUrl: null,
    status: 'running',
    maxUsd: null,
    cells: plan.cells.filter(({ id }) => id === line.cell),
    results: [line],
    resultsPath,
  }).cells[0];

/** Events that any number of readers follow, each from the first one on. */
function createLog() {
  const events: SweepEvent[] = [];
  const changes = new EventEmitter().setMaxListeners(0);
  let isOpen = true;
  async function* eventsToEnd(): AsyncGenerator<SweepEvent> {
    for (let next = 0; ; next += 1) {
      while (isOpen && next >= events.length) await once(changes, 'change');
      const event = events[next];
      if (event === undefined) return;
      yield event;
    }
  }
  return {
    isOpen: () => isOpen,
    add: (event: SweepEvent): void => {
      events.push(event);
      changes.emit('change');
    },
    close: (): void => {
      isOpen = false;
      changes.emit('change');
    },
    events: eventsToEnd,
  };
}
