import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { asyncLocalStorage, Context } from '@temporalio/activity';
import { sharesHost } from '#environments';
import { isQuickGate } from '#gates';
import { isSmallTree, removeTree } from '#host';
import { groupBy, omit, safeName, sha256 } from '#lib';
import { type ResultLine, STEPS } from '#model';
import type { RunRef } from '#protocol';
import { gatesOf, type Plan, scenarioOf } from '#scenario';
import { hasRun, resultsIndex, runFiles, sameScenario } from '#store';
import { checkOnce } from './check-gate.js';
import { removeLeft } from './clean-up.js';
import { buildWorkspace } from './prepare/build-workspace.js';
import type { FoundKey } from './prepare/cache-key.js';
import { caches, errorsBefore, findKeys, prepareOnce } from './prepare-workspace.js';
import { recordReused } from './report/record-result.js';
import { reusedLine } from './reuse-result.js';
import type { LoadedRun, RunAccess } from './run/context.js';
import { loadWithAccess } from './run/load-run.js';
import { forgetSecrets } from './run/secrets.js';
import type { Deps } from './step/deps.js';
import { raiseFence } from './step/fence.js';
import { heartbeating } from './step/heartbeat.js';
import { reportOnce } from './write-report.js';

/** More runs at once would wait for the same processor. */
const AT_ONCE = 4;

/** A cell that has no result yet, and the proof that the sweep may start its run. */
type OpenCell = Pick<RunRef, 'sweep' | 'cell' | 'workflowId' | 'proof'>;

/**
 * Gives cells results that need neither an agent nor another program: of work that is checked again, and of finished
 * runs with the same inputs. A workflow for each would cost ten times as much. Whatever else happens to a cell, a
 * workflow of its own says so: this leaves it without a result. Can be repeated. Returns the cells that must be run
 * although they have a result.
 */
export async function settleCells(deps: Deps, plan: Plan, cells: readonly OpenCell[]): Promise<readonly string[]> {
  const runsOf = (some: readonly OpenCell[]) => some.map((cell) => runOf(cell, Date.parse(plan.created_at)));
  if (plan.regrade?.or_run === false) await checkAgain(deps, runsOf(cells));
  if (plan.regrade !== undefined || !plan.cache) return [];
  const index = resultsIndex(deps.resultsPath);
  const isKnown = ({ cell }: OpenCell): boolean =>
    index.knows(sameScenario(cell.id, scenarioOf(plan, cell)?.hash ?? ''));
  return reuseResults(deps, runsOf(cells.filter(isKnown)));
}

async function checkAgain(deps: Deps, runs: readonly RunRef[]): Promise<void> {
  const left = [...runs];
  const checkNext = async (): Promise<void> => {
    for (let run = left.shift(); run !== undefined && !isCancelled(); run = left.shift())
      await unlessItFails(run, (run) => checkWork(deps, run));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, checkNext));
}

const isCancelled = (): boolean => Context.current().cancellationSignal.aborted;

/**
 * Records the results of finished runs with the same inputs, together for cells that differ only in their repetition.
 * Returns the cells whose result is that of a run that was removed meanwhile.
 */
async function reuseResults(deps: Deps, runs: readonly RunRef[]): Promise<string[]> {
  const removed: string[] = [];
  const index = resultsIndex(deps.resultsPath);
  const groups = groupBy(runs, ({ cell }) => JSON.stringify(omit(cell, 'id', 'repetition')));
  for (const group of groups) {
    const [first] = group;
    if (first === undefined || isCancelled()) return removed;
    const found = await unlessItFails(first, (run) => keysOf(deps, run));
    if (found == null) continue;
    const lines: ResultLine[] = [];
    for (const run of group) {
      const { key, agentKey } = found.ofRepetition(run.cell.repetition);
      const earlier = index.reusable(key ?? '');
      const line = earlier === null ? null : index.line(earlier.id);
      if (earlier === null || line === null || !(await hasRun(deps.resultsPath, earlier.folder))) continue;
      const before = errorsBefore(deps, { ...found.context, run }, { cache_key: key, agent_key: agentKey });
      lines.push(reusedLine(run, line, before));
    }
    await recordReused(deps, lines);
    // A `clean` that had not seen the new lines may have removed the runs that they name.
    for (const { cell, results_dir: folder } of lines)
      if (!(await hasRun(deps.resultsPath, join(deps.resultsPath, folder ?? '')))) removed.push(cell);
  }
  return removed;
}

/** Finds the keys of a run, for which its workspace is built and removed again; null if that takes programs. */
async function keysOf(
  deps: Deps,
  run: RunRef,
): Promise<{ context: LoadedRun; ofRepetition: (repetition: number) => FoundKey } | null> {
  const context = await loadWithAccess(deps, run, { decidePlace: true });
  const { scenario, target, handle } = context;
  if (
    !caches(context) ||
    !sharesHost(handle) ||
    scenario.inputs.commands.length > 0 ||
    scenario.databases !== undefined ||
    target?.health_check !== undefined
  )
    return null;
  try {
    const fence = await raiseFence(context, STEPS.prepare);
    const built = await buildWorkspace(deps, context, fence, Context.current().cancellationSignal);
    const keys = built.unfit === null ? await findKeys(context, built) : null;
    return keys === null || keys.unknown !== null ? null : { context, ofRepetition: keys.ofRepetition };
  } finally {
    await removeLeft(deps, context);
    await removeTree(context.state);
  }
}

/** The same at each attempt, so that none begins another folder. */
function runOf(cell: OpenCell, startedAt: number): RunRef {
  const { agent, model, scenario } = cell.cell;
  const firstRunId = sha256(`${cell.workflowId} ${cell.proof}`).slice(0, 32);
  const when = new Date(startedAt).toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-');
  const run = [when, agent, model, scenario, firstRunId.slice(-8)].map(safeName).join('-');
  return { ...cell, run, firstRunId, inSweep: true };
}

/** Performs steps of a run as its own workflow would. Returns null if they fail. */
async function unlessItFails<R>(run: RunRef, perform: (run: RunRef) => Promise<R>): Promise<R | null> {
  const { workflowId, firstRunId } = run;
  const context = Context.current();
  const info = { ...context.info, isLocal: true, workflowExecution: { workflowId, runId: firstRunId } };
  const own = Object.create(context, { info: { value: info } }) as Context;
  try {
    return await asyncLocalStorage.run(own, () => heartbeating(() => perform(run)));
  } catch {
    return null;
  }
}

async function checkWork(deps: Deps, run: RunRef): Promise<void> {
  const startedAt = Date.now();
  const loaded = await loadWithAccess(deps, run, { decidePlace: true });
  const workspace = keptWorkspace(deps, loaded);
  if (workspace === null) return;
  const context = {
    ...loaded,
    handle: { ...loaded.handle, workspace },
    // Nothing was started; to search all processes of the machine takes milliseconds.
    environment: { ...loaded.environment, kill: () => Promise.resolve() },
  };
  const { unfit } = await prepareOnce(deps, context);
  // Half of the files of such a run, and of the time that it waits for the disk.
  const checked = { ...context, unsaved: new Map<string, object>() };
  if (unfit === null)
    for (const index of gatesInOrder(context))
      await checkOnce(deps, isCheckedLater(context, index) ? context : checked, index);
  await reportOnce(deps, checked, { failures: [], cancelled: false, startedAt, endedAt: Date.now() });
  await forgetSecrets(context.state);
}

/** The copy of the workspace that is to be checked; null if that starts a program, asks a model, or copies much. */
function keptWorkspace({ resultsPath }: Deps, context: LoadedRun & RunAccess): string | null {
  const { regrade, handle, onServers, judge, scenario } = context;
  if (regrade?.run == null || !sharesHost(handle) || onServers.databases.length > 0 || judge !== null) return null;
  const isQuick =
    scenario.checks.evaluators.length === 0 &&
    gatesOf(scenario).every(({ gate, everyTurn }) => isQuickGate(gate) && !everyTurn);
  const { fixture } = runFiles(join(resultsPath, regrade.run));
  return isQuick && existsSync(fixture) && isSmallTree(fixture) ? fixture : null;
}

/** Whoever checks the work of this run again takes over what a gate has found in an earlier state of it. */
const isCheckedLater = ({ scenario }: LoadedRun, index: number): boolean => gatesOf(scenario)[index]?.after !== null;

/** The indices of the gates: first those after steps. */
const gatesInOrder = ({ scenario }: LoadedRun): number[] =>
  [...gatesOf(scenario).entries()]
    .sort(([, a], [, b]) => (a.after ?? Infinity) - (b.after ?? Infinity) || 0)
    .map(([index]) => index);
