import {
  activeStep,
  queryProgress,
  hasRunEnded,
  joinSession,
  type OpenRun,
  openRunsIn,
  parkedIn,
  type Session,
} from '#client';
import { readEngineState, serverIsUp, workerIsUp } from '#engine';
import { isMirror, plannedHomes, projectState } from '#host';
import type { ResultDigest } from '#model';
import { sweepWorkflowId } from '#protocol';
import { explainedWait } from '#reports';
import { uiPage } from '#sweeps';
import type { OpenRunState } from '../protocol.js';

/** The viewer's view of the engine of a results folder. It starts none, and does without one. */
export interface EngineView {
  /** True if open sweeps make progress. */
  isUp(): Promise<boolean>;
  /** The page of a workflow in Temporal's Web UI; null if none is served. */
  page(workflowId: string): Promise<string | null>;
  /** The runs of this machine that are not over. */
  openRuns(): OpenRun[];
  /** Returns the states of the open runs of a sweep. `last`: the last result of each of its cells. */
  doing(sweep: string, last: ReadonlyMap<string, ResultDigest>): Promise<OpenRunState[]>;
  close(): Promise<void>;
}

/** Limited because each run costs a call to the server. */
const MAX_RUNS = 50;
/** The time to do without a server that was not there. */
const AGAIN_MS = 5000;

/** Creates the view. `warn` is told what goes wrong with the server. */
export function viewEngine(resultsPath: string, warn: (text: string) => void): EngineView {
  // Where the state would be: reading results must not create it.
  const { folder } = projectState(resultsPath, plannedHomes().state);
  let joined: { session: Session | null; at: number } | null = null;
  let joining: Promise<Session | null> | null = null;

  /** Returns at once, with null as long as there is no connection: nobody waits for a server to see results. */
  function sessionNow(): Session | null {
    const isStale = joined === null || (joined.session === null && Date.now() - joined.at > AGAIN_MS);
    if (isStale)
      joining ??= joinSession(resultsPath, warn)
        .catch(() => null)
        .then((session) => {
          joined = { session, at: Date.now() };
          return session;
        })
        .finally(() => (joining = null));
    return joined?.session ?? null;
  }

  const openRuns = (): OpenRun[] => openRunsIn(folder);
  return {
    async isUp() {
      if (isMirror(resultsPath)) return true;
      const engine = await readEngineState(folder).catch(() => null);
      return engine !== null && serverIsUp(engine) && workerIsUp(engine);
    },
    async page(workflowId) {
      const engine = await readEngineState(folder).catch(() => null);
      return engine === null || !serverIsUp(engine) ? null : uiPage(engine, workflowId);
    },
    openRuns,
    async doing(sweep, last) {
      const here = new Map(
        openRuns().flatMap((open) => (open.sweep === sweep ? [[open.cell.id, open.run] as const] : [])),
      );
      const session = sessionNow();
      const progress = session === null ? null : await queryProgress(session, sweepWorkflowId(sweep));
      if (session === null || progress === null) {
        await session?.followServer();
        return [...here].map(([cell, run]) => ({ cell, run, ...UNKNOWN }));
      }
      const active = progress.active.filter((run) => !hasRunEnded(run, last.get(run.cell)));
      const steps = await Promise.all(
        active.slice(0, MAX_RUNS).map(async ({ cell, workflowId }): Promise<OpenRunState> => {
          const { step, agent, startedAt } = await activeStep(session.client, workflowId);
          return {
            cell,
            run: here.get(cell) ?? null,
            step,
            doing: agent?.doing ?? null,
            since: startedAt,
            costUsd: agent?.costUsd ?? null,
          };
        }),
      );
      return [
        ...steps,
        ...active.slice(MAX_RUNS).map(({ cell }): OpenRunState => ({ cell, run: here.get(cell) ?? null, ...UNKNOWN })),
        ...parkedIn(progress).map((wait): OpenRunState => ({
          cell: wait.cell,
          run: here.get(wait.cell) ?? null,
          ...UNKNOWN,
          step: explainedWait(wait, Date.now()),
        })),
      ];
    },
    async close() {
      await (joining ?? Promise.resolve());
      await joined?.session?.close();
    },
  };
}

const UNKNOWN = { step: null, doing: null, since: null, costUsd: null };
