import { existsSync } from 'node:fs';
import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ApplicationFailure } from '@temporalio/common';
import { readJsonIfThere } from '../../platform/fs/read-file.js';
import type { RunRecord } from '../../results/records/run-record.js';
import { isAgentKind, nameSteps, STEPS } from '../../results/step-names.js';
import { findAgentStep } from '../../scenario/scenario.js';
import { runFiles } from '../../store/results-folder.js';
import { agentStepNames, readAgentSteps } from '../agent/agent-steps.js';
import type { AgentStep } from '../agent/agent-step.js';
import { lastOfTurns, turnNumber } from '../agent/turns.js';
import type { Deps } from '../step/deps.js';
import type { Fence } from '../step/fence.js';
import type { RunContext } from '../step/run-context.js';
import { stateOfRun, withPathInside } from '../step/run-paths.js';
import { ALTERED, publishStep, readStep, type Manifest, type StepStore } from '../step/run-step-once.js';
import {
  cannotBeBuilt,
  placedPrograms,
  resolveTarget,
  unfitText,
  whyNotReady,
  whyNoTarget,
  type KeptWork,
  type Prepared,
} from './build-workspace.js';
import { targetFiles } from './target-files.js';

/** The results of an earlier run's steps, without those of its checks. */
interface StepsOfRun {
  prepared: Prepared;
  agents: Manifest<AgentStep>[];
  all: [name: string, manifest: Manifest<unknown>][];
}

/** How the results of another run's steps are found. */
export const stepsOf = (
  { stateFolder }: Deps,
  { originKey, run }: Pick<RunContext, 'originKey' | 'run'>,
  id: string,
): StepStore => ({ originKey, run: { ...run, run: id }, state: stateOfRun(stateFolder, id), proven: true });

/**
 * Builds the workspace from the workspace that an earlier run left, and takes over the results of its steps, so that its work
 * can be checked again. The scenario's setup is not repeated.
 */
export async function restoreWork(
  deps: Deps,
  given: RunContext,
  id: string | null,
  fence: Fence,
): Promise<Prepared> {
  const unfit = (reason: string): Prepared => cannotBeBuilt(unfitText(given, reason));
  const notReady = whyNotReady(given);
  if (notReady !== null) return unfit(notReady);
  if (id === null) return unfit('the cell has no run whose work could be checked again');
  if (given.onServers.databases.length > 0)
    return unfit(`the databases of ${id} were removed when it ended, so its work cannot be checked again`);
  const files = runFiles(join(deps.resultsPath, id));
  const found = await readSteps(deps, given, id);
  if (typeof found === 'string') return unfit(found);
  const { prepared, agents, all } = found;
  if (prepared.unfit !== null) return cannotBeBuilt(prepared.unfit);
  if (!existsSync(files.fixture)) return unfit(`the workspace of ${id} was not kept`);

  const { environment, handle } = given;
  const contents = { ...(await placedPrograms(given, files.fixture)), fixture: null, files: {} };
  await environment.prepare(handle, { ...contents, kept: files.fixture }, fence.check);
  const context = await withPathInside(given);
  const resolved = await resolveTarget(context);
  if (context.target !== null && resolved === null) return unfit(await whyNoTarget(context, context.target));

  await fence.check();
  await mkdir(given.files.artifacts, { recursive: true });
  for (const part of ['events', 'rawTranscript', 'humanTranscript'] as const)
    if (existsSync(files[part])) await copyFile(files[part], given.files[part]);
  for (const [name, manifest] of all) await publishStep(given, name, manifest);
  return {
    ...prepared,
    resolved,
    reuse: null,
    // It is unknown whether the inputs are the same.
    cache_key: null,
    warnings: [
      ...prepared.warnings,
      ...(await differences(context, prepared, resolved)),
      ...(await leftOutNotice(files.run, id)),
    ],
    kept: keptWork(context, id, agents),
  };
}

/** Reads the results of a run's steps; or why its work cannot be checked again. */
async function readSteps(deps: Deps, context: RunContext, id: string): Promise<StepsOfRun | string> {
  const { scenario } = context;
  const of = stepsOf(deps, context, id);
  try {
    const prepared = await readStep<Prepared>(of, STEPS.prepare);
    if (prepared === null) return `the private state of ${id} is not on this machine`;
    const agents = await readAgentSteps(of);
    if (prepared.result.unfit === null && findAgentStep(scenario) !== null && agents.length === 0)
      return `the agent of ${id} left no result`;
    const results = agents.map(({ result }) => result);
    const others = [
      ...nameSteps(scenario.steps).flatMap(({ step, name }) => (isAgentKind(step.kind) ? [] : [name])),
      ...lastOfTurns(results).flatMap((step) => [
        STEPS.ending(turnNumber(step)),
        STEPS.user(turnNumber(step) + 1),
      ]),
    ];
    const all: StepsOfRun['all'] = agentStepNames(results).flatMap((name, index): StepsOfRun['all'] => {
      const manifest = agents[index];
      return manifest === undefined ? [] : [[name, manifest]];
    });
    for (const name of others) {
      const manifest = await readStep(of, name);
      if (manifest !== null) all.push([name, manifest]);
    }
    return { prepared: prepared.result, agents, all };
  } catch (error) {
    if (error instanceof ApplicationFailure && error.type === ALTERED) return `${id}: ${error.message}`;
    throw error;
  }
}

function keptWork({ scenario }: RunContext, run: string, agents: readonly Manifest<AgentStep>[]): KeptWork {
  const turns = lastOfTurns(agents.map(({ result }) => result));
  return {
    run,
    completed: turns.at(-1)?.record.completed ?? true,
    turns: scenario.steps.map((step, at) =>
      step.kind === 'conversation' ? turns.filter(({ turn }) => turn?.at === at).map(turnNumber) : [],
    ),
  };
}

/** Warns that checks call a target that has changed. */
async function differences(
  context: RunContext,
  { target_fingerprint }: Prepared,
  resolved: string | null,
): Promise<string[]> {
  if (resolved === null || target_fingerprint == null) return [];
  const now = await targetFiles(context, resolved);
  return now.fingerprint === target_fingerprint
    ? []
    : ['the target has changed since the agent used it; the checks call the changed target'];
}

async function leftOutNotice(file: string, id: string): Promise<string[]> {
  const record = await readJsonIfThere<Pick<RunRecord, 'left_out'>>(file);
  const paths = (record?.left_out ?? []).map(({ path }) => path);
  return paths.length === 0
    ? []
    : [
        `the kept workspace of ${id} lacks ${paths.slice(0, 3).join(', ')}${paths.length > 3 ? ' and more' : ''}`,
      ];
}
