import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { sharesHost } from '#environments';
import { modelAnswersOf, gateSubject, isQuickGate, stopsSteps } from '#gates';
import { isSmallTree, readJsonIfThere } from '#host';
import { assertNever, beginningOf, commandText, defined } from '#lib';
import { type RunRecord, STEPS } from '#model';
import { parseRunWorkflowId, type PlannedStep, type RunPlan, type RunRef } from '#protocol';
import { findAgentStep, gatesOf, type JudgeSettings, type Step } from '#scenario';
import {
  bringEarlier,
  fixtureFolder,
  hasRun,
  resultsIndex,
  runFiles,
  sameCell,
  sameResult,
  sameScenario,
  sameWork,
} from '#store';
import { maxSecsOfCommandsBefore } from './agent/commands-before.js';
import type { Fence } from './step/fence.js';
import { checksLastState } from './gate/kept-verdict.js';
import { heartbeating } from './step/heartbeat.js';
import { cacheKey, type FoundKey } from './prepare/cache-key.js';
import { adoptSteps, restoreWork, storeOfRun } from './prepare/restore-work.js';
import { targetFiles, type TargetFiles } from './prepare/target-files.js';
import { readStep, runLocallyIfSmall, runStepOnce } from './step/run-step-once.js';
import { noteOpenRun } from './step/open-runs.js';
import type { Deps } from './step/deps.js';
import { ImagesMissing } from './run/images.js';
import { loadWithAccess } from './run/load-run.js';
import { buildSecs, buildWorkspace, type Prepared, type WorkOfRun } from './prepare/build-workspace.js';
import type { LoadedRun, RunAccess, RunIdentity, RunPlaces, RunSecrets } from './run/context.js';

const SUBJECT_LENGTH = 60;
const brief = (text: string): string => beginningOf(text.replaceAll(/\s+/g, ' ').trim(), SUBJECT_LENGTH);

const plannedJudge = ({
  model,
  rubric_file,
  timeout_secs,
  votes,
  always,
}: JudgeSettings): NonNullable<RunPlan['judge']> => ({
  model,
  rubric: brief(rubric_file),
  timeoutSecs: timeout_secs * votes,
  always,
});

/**
 * Builds the workspace and returns the run's plan; null if this is too much for a workflow task. If images are to be
 * built first, the plan names only them.
 */
export const prepareWorkspace =
  (deps: Deps) =>
  async (run: RunRef): Promise<RunPlan | null> => {
    const context = await loadWithAccess(deps, run, { decidePlace: true }).catch((error: unknown) => {
      if (error instanceof ImagesMissing) return error;
      throw error;
    });
    noteOpenRun(deps, run);
    if (context instanceof ImagesMissing)
      return { unfit: null, steps: [], gates: [], evaluators: [], builds: context.builds };
    await bringEarlier(deps.resultsPath, run.sweep, parseRunWorkflowId(run.workflowId).round);
    await deps.endOthers?.(run);
    const known = await ownResult(deps, run);
    if (known !== null) {
      const prepared = { ...NOTHING, reuse: known };
      return runPlanOf(context, await runStepOnce<Prepared>(context, STEPS.prepare, () => Promise.resolve(prepared)));
    }
    return runLocallyIfSmall(
      () => isQuick(deps, context),
      async () => runPlanOf(context, await prepareOnce(deps, context)),
    );
  };

/** Builds the workspace, unless that has been done. */
export async function prepareOnce(deps: Deps, context: LoadedRun & RunAccess): Promise<Prepared> {
  const prepared = await runStepOnce<Prepared>(context, STEPS.prepare, (fence) =>
    heartbeating(async (signal) => {
      const prepared = await prepare(deps, context, fence, signal);
      return {
        ...prepared,
        errors_before: errorsBefore(deps, context, prepared),
        // The path may contain a secret value, and nobody opens it any more.
        resolved: prepared.resolved === null ? null : context.redact(prepared.resolved),
      };
    }),
  );
  if (prepared.kept !== undefined) await adoptSteps(deps, context, prepared.kept);
  return prepared;
}

/**
 * Builds the workspace: from the fixture, or from the work of an earlier run that is to be checked again. If the cell
 * may also be run, the work is used only if its inputs were the same.
 */
async function prepare(
  deps: Deps,
  context: LoadedRun & RunAccess,
  fence: Fence,
  signal: AbortSignal,
): Promise<Prepared> {
  const { regrade } = context;
  if (regrade?.orRun === false) return restoreWork(deps, context, regrade.run, fence, signal);
  const built = await buildWorkspace(deps, context, fence, signal);
  if (built.unfit !== null) return built;
  const keys = await lookUp(deps, context, built);
  const found = { ...built, ...keys };
  if (found.reuse === null) linkWorkspace(context);
  if (found.reuse !== null || regrade?.run == null || mustRun(deps, context)) return found;
  if (!(await hasSameWork(deps, context, regrade.run, found))) return found;
  const restored = await restoreWork(deps, context, regrade.run, fence, signal);
  if (restored.kept !== undefined && checksAll(context.scenario, restored.kept))
    return { ...restored, cache_key: keys.cache_key };
  // The workspace may have been replaced.
  return { ...(await buildWorkspace(deps, context, fence, signal)), ...keys };
}

/**
 * The number of runs of other sweeps that ended without a result, in whose place the result of this run counts. If
 * earlier results may be reused, those that ended with an error are passed over, and only their cells are run again.
 */
export function errorsBefore(
  { resultsPath }: Deps,
  context: RunIdentity,
  { cache_key: key, agent_key: agentKey, kept }: Pick<Prepared, 'cache_key' | 'agent_key' | 'kept'>,
): number {
  const { regrade, scenarioHash } = context;
  const { sweep, cell } = context.run;
  const index = resultsIndex(resultsPath);
  const mayTakeWork = regrade?.orRun === true;
  return index.hiddenBy({
    sweep,
    cell: cell.id,
    inputs: [
      ...(caches(context) ? [sameScenario(cell.id, scenarioHash), ...(key == null ? [] : [sameResult(key)])] : []),
      ...(mayTakeWork ? [sameCell(cell.id), ...(agentKey == null ? [] : [sameWork(agentKey)])] : []),
    ],
    work: kept === undefined ? null : index.line(kept.run),
  });
}

/** True if the sweep may reuse results. */
export const caches = ({ plan, scenario }: RunIdentity): boolean => plan.cache && scenario.cost.cache;

/** True if the cell is run again after a result, or was named by the user: then it has to be run. */
const mustRun = ({ resultsPath }: Pick<Deps, 'resultsPath'>, { run }: RunIdentity): boolean =>
  run.fresh === true || resultsIndex(resultsPath).isDecided(run.sweep, run.cell.id);

/** True if all gates can be checked on the workspace that was kept. */
const checksAll = (scenario: RunIdentity['scenario'], kept: WorkOfRun): boolean =>
  gatesOf(scenario).every((placed) => !placed.everyTurn && checksLastState(scenario, placed, kept));

/** True if everything that the agent's work depends on is as it was in an earlier run. */
async function hasSameWork(deps: Deps, context: RunIdentity, id: string, { agent_key }: Prepared): Promise<boolean> {
  const before = await readStep<Prepared>(storeOfRun(deps, context, id), STEPS.prepare).catch(() => null);
  return agent_key != null && before?.result.agent_key === agent_key;
}

const NOTHING: Prepared = { setup: [], health_check: null, resolved: null, unfit: null, warnings: [] };

/**
 * Id of the result that this cell already has in this round; null if there is none. After a power failure the server
 * may know less than the results folder, and start a run again whose result has been recorded.
 */
async function ownResult({ resultsPath }: Deps, run: RunRef): Promise<string | null> {
  const known = resultsIndex(resultsPath).ofSweep(run.sweep).get(run.cell.id);
  if (known === undefined || known.id === run.run || known.cached_from !== null) return null;
  const record = await readJsonIfThere<Pick<RunRecord, 'workflow_id'>>(runFiles(known.folder).run);
  return record?.workflow_id === run.workflowId ? known.id : null;
}

/** True if preparing starts no process and copies little. */
const isQuick = ({ resultsPath }: Deps, { scenario, target, agent, fixture, handle, regrade }: LoadedRun): boolean =>
  sharesHost(handle) &&
  regrade === null &&
  scenario.inputs.commands.length === 0 &&
  scenario.databases === undefined &&
  target?.health_check === undefined &&
  (agent.version === null || findAgentStep(scenario) === null) &&
  isSmallTree(fixtureFolder(resultsPath, fixture));

/** The time that rebuilding the workspace may take if the agent is started again, in seconds. */
const rebuildSecs = (context: RunIdentity): number => buildSecs(context) + maxSecsOfCommandsBefore(context);

function plannedStep(context: RunIdentity & RunSecrets, step: Step): PlannedStep {
  const timeoutSecs = step.timeout_secs;
  const subject = (text: string): string => brief(context.redact(text));
  const loop = context.agent.isLoop === true ? ({ loop: true } as const) : {};
  switch (step.kind) {
    case 'script':
      return { kind: step.kind, subject: subject([step.script, ...step.args].join(' ')), timeoutSecs };
    case 'agent':
      return { kind: step.kind, timeoutSecs, rebuildSecs: rebuildSecs(context), ...loop };
    case 'conversation':
      return {
        kind: step.kind,
        subject: subject(step.name ?? step.user.objective),
        timeoutSecs,
        totalSecs: step.total_secs,
        rebuildSecs: rebuildSecs(context),
        ...loop,
        // Each condition may ask.
        askSecs: step.ask_secs * Math.max(1, step.ends_when.length),
        endAsks: step.ends_when.some(({ judge }) => judge !== undefined),
      };
    case 'command':
      return { kind: step.kind, subject: subject(step.name ?? commandText(step.command)), timeoutSecs };
    default:
      return assertNever(step);
  }
}

function runPlanOf(context: RunIdentity & RunSecrets, prepared: Prepared): RunPlan {
  const { scenario } = context;
  return {
    unfit: prepared.unfit,
    ...defined({ reuse: prepared.reuse }),
    steps: scenario.steps.map((step) => plannedStep(context, step)),
    ...(prepared.kept === undefined
      ? {}
      : { kept: { completed: prepared.kept.completed, turns: prepared.kept.turns } }),
    gates: gatesOf(scenario).map(({ gate, after, everyTurn }) => ({
      ...defined({ after }),
      ...(everyTurn ? { everyTurn } : {}),
      ...(stopsSteps(gate) ? { stops: true as const } : {}),
      type: gate.type,
      subject: brief(context.redact(gate.name ?? gateSubject(gate))),
      timeoutSecs: gate.timeout_secs * Math.max(1, modelAnswersOf(gate)),
      inProcess: isQuickGate(gate),
      ...(modelAnswersOf(gate) === 0 ? {} : { asks: true }),
    })),
    evaluators: scenario.checks.evaluators.map(({ name, timeout_secs }) => ({
      name,
      timeoutSecs: timeout_secs,
    })),
    ...(context.judge === null ? {} : { judge: plannedJudge(context.judge) }),
  };
}

const NO_TARGET: TargetFiles = { fingerprint: null, unknown: null };

interface Keys extends Pick<Prepared, 'target_fingerprint' | 'agent_key' | 'warnings'> {
  cache_key: string | null;
  reuse: string | null;
}

/** Determines the files of the target, null if there is none, and the run's keys. */
export async function findKeys(
  context: LoadedRun & RunAccess,
  prepared: Prepared,
): Promise<FoundKey & { target: TargetFiles | null }> {
  const target =
    context.target === null
      ? NO_TARGET
      : prepared.resolved === null
        ? null
        : await targetFiles(context, prepared.resolved);
  return { target, ...(await cacheKey(context, prepared, target)) };
}

/** Determines the target's fingerprint, the run's keys, and the finished run with the same key. */
async function lookUp({ resultsPath }: Deps, context: LoadedRun & RunAccess, prepared: Prepared): Promise<Keys> {
  const { target, key: cache_key, agentKey: agent_key, unknown } = await findKeys(context, prepared);
  const index = resultsIndex(resultsPath);
  // A cell that has a result and is run again (`retry --failed`) must be run: the cache contains the result that it
  // has. So must a cell that the user named.
  const mayReuse = caches(context) && !mustRun({ resultsPath }, context);
  const found = cache_key === null || !mayReuse ? null : index.reusable(cache_key);
  const notReused = unknown !== null && caches(context) ? [`this result will not be reused: ${unknown}`] : [];
  return {
    target_fingerprint: target?.fingerprint ?? null,
    warnings: [...prepared.warnings, ...notReused],
    cache_key,
    agent_key,
    reuse: found !== null && (await hasRun(resultsPath, found.folder)) ? found.id : null,
  };
}

/**
 * Leaves a symlink in the run's folder by which people find the workspace, whose own path says nothing about the run.
 * It is there until the run is over, and only if the workspace is on this machine.
 */
function linkWorkspace({ files, handle }: Pick<RunPlaces, 'files' | 'handle'>): void {
  if (!sharesHost(handle)) return;
  try {
    // Not the results folder: if that was moved away, nothing must be in its place.
    if (!existsSync(files.folder)) mkdirSync(files.folder, { mode: 0o755 });
    symlinkSync(handle.workspace, files.workspace);
  } catch {
    // An earlier attempt has made it, or the disk has no room: no run fails for the sake of a link.
  }
}
