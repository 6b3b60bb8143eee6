import { existsSync } from 'node:fs';
import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ApplicationFailure } from '@temporalio/common';
import { readJsonIfThere } from '#host';
import { allDone } from '#lib';
import { isAgentKind, nameSteps, type RunRecord, STEPS } from '#model';
import type { ConversationBrief } from '#protocol';
import { findAgentStep, firstAgentStep } from '#scenario';
import { runFiles, stateOfRun } from '#store';
import { type AgentStep, agentStepNames, readAgentSteps } from '../agent/agent-step.js';
import { lastOfTurns, turnNumber } from '../agent/turns.js';
import type { Deps } from '../step/deps.js';
import type { Fence } from '../step/fence.js';
import { withPathInside } from '../run/run-paths.js';
import { ALTERED, type Manifest, publishStep, readStep, type StepStore } from '../step/run-step-once.js';
import {
  cannotBeBuilt,
  placedPrograms,
  type Prepared,
  resolveTarget,
  unfitText,
  missingTargetMessage,
  readinessProblem,
  type WorkOfRun,
} from './build-workspace.js';
import { targetFiles } from './target-files.js';
import type { LoadedRun, RunAccess, RunIdentity } from '../run/context.js';

/** The results of an earlier run's steps, without those of its checks. */
interface StepsOfRun {
  prepared: Prepared;
  agents: Manifest<AgentStep>[];
  all: Map<string, Manifest<unknown>>;
}

/** The store of the results of another run's steps. */
export const storeOfRun = (
  { stateFolder }: Deps,
  { originKey, run }: Pick<RunIdentity, 'originKey' | 'run'>,
  id: string,
): StepStore => ({ originKey, run: { ...run, run: id }, state: stateOfRun(stateFolder, id) });

/**
 * Builds the workspace from the workspace that an earlier run left, so that its work can be checked again. The
 * scenario's setup is not repeated.
 */
export async function restoreWork(
  deps: Deps,
  given: LoadedRun & RunAccess,
  id: string | null,
  fence: Fence,
  signal: AbortSignal,
): Promise<Prepared> {
  const unfit = (reason: string): Prepared => cannotBeBuilt(unfitText(given, reason));
  const notReady = readinessProblem(given);
  if (notReady !== null) return unfit(notReady);
  if (given.scenario.task !== undefined)
    return unfit('the work of a task is in its whole container, which is not kept, so it cannot be checked again');
  if (id === null) return unfit('the cell has no run whose work could be checked again');
  if (given.onServers.databases.length > 0)
    return unfit(`the databases of ${id} were removed when it ended, so its work cannot be checked again`);
  const files = runFiles(join(deps.resultsPath, id));
  const found = await readSteps(deps, given, id);
  if (typeof found === 'string') return unfit(found);
  const { prepared, agents } = found;
  if (prepared.unfit !== null) return cannotBeBuilt(prepared.unfit);
  if (!existsSync(files.fixture)) return unfit(`the workspace of ${id} was not kept`);
  const lacking = await lackingIn(files.run);
  if (lacking !== null) return unfit(`the workspace of ${id} was not kept as a whole: ${lacking}`);

  const { environment, handle } = given;
  // Without programs, nothing changes the copy of the workspace, so it is checked itself.
  if (handle.workspace !== files.fixture) {
    const contents = { ...placedPrograms(given, files.fixture), fixture: null, files: {} };
    await environment.prepare(handle, { ...contents, kept: files.fixture }, () => fence.check(signal));
  }
  const context = await withPathInside(given);
  const resolved = await resolveTarget(context);
  if (context.target !== null && resolved === null) return unfit(await missingTargetMessage(context, context.target));

  await fence.check();
  await mkdir(given.files.artifacts, { recursive: true });
  for (const part of ['events', 'rawTranscript', 'humanTranscript'] as const)
    if (existsSync(files[part])) await copyFile(files[part], given.files[part]);
  return {
    ...prepared,
    resolved,
    reuse: null,
    // It is unknown whether the inputs are the same.
    cache_key: null,
    warnings: [
      ...prepared.warnings,
      ...(await differences(context, prepared, resolved)),
      ...(context.scenario.inputs.commands.length === 0 ? [] : [SETUP]),
    ],
    kept: keptWork(context, id, agents),
  };
}

/** Reads the results of a run's steps; or why its work cannot be checked again. */
async function readSteps(deps: Deps, context: RunIdentity, id: string): Promise<StepsOfRun | string> {
  const { scenario } = context;
  const of = storeOfRun(deps, context, id);
  try {
    const prepared = await readStep<Prepared>(of, STEPS.prepare);
    if (prepared === null) return `the private state of ${id} is not on this machine`;
    const agents = await readAgentSteps(of);
    if (prepared.result.unfit === null && findAgentStep(scenario) !== null && agents.length === 0)
      return `the agent of ${id} left no result`;
    const results = agents.map(({ result }) => result);
    const turns = lastOfTurns(results);
    const all = new Map<string, Manifest<unknown>>();
    agentStepNames(results).forEach((name, index) => {
      const manifest = agents[index];
      if (manifest !== undefined) all.set(name, manifest);
    });
    const read = async (name: string): Promise<Manifest<unknown> | null> => {
      const manifest = await readStep(of, name);
      if (manifest !== null) all.set(name, manifest);
      return manifest;
    };
    for (const turn of turns.map(turnNumber)) {
      await read(STEPS.ending(turn));
      await read(STEPS.user(turn + 1));
    }
    if (prepared.result.unfit === null)
      for (const [at, { step, name }] of nameSteps(scenario.steps).entries()) {
        const last = turns.findLast(({ turn }) => (turn?.at ?? firstAgentStep(scenario)) === at);
        const left = isAgentKind(step.kind) ? last : await read(name);
        if (left == null) return `step '${name}' of ${id} left no result`;
        if (step.kind === 'conversation' && last !== undefined && !isOver(all, turnNumber(last)))
          return `the conversation of ${id} was broken off`;
      }
    return { prepared: prepared.result, agents, all };
  } catch (error) {
    if (error instanceof ApplicationFailure && error.type === ALTERED) return `${id}: ${error.message}`;
    throw error;
  }
}

/** True if it was decided after this turn that the conversation is over. */
const isOver = (all: ReadonlyMap<string, Manifest<unknown>>, turn: number): boolean =>
  ((all.get(STEPS.ending(turn))?.result as ConversationBrief | undefined)?.reason ?? null) !== null;

function keptWork({ scenario }: RunIdentity, run: string, agents: readonly Manifest<AgentStep>[]): WorkOfRun {
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
  context: LoadedRun,
  { target_fingerprint }: Prepared,
  resolved: string | null,
): Promise<string[]> {
  if (resolved === null || target_fingerprint == null) return [];
  const now = await targetFiles(context, resolved);
  return now.fingerprint === target_fingerprint
    ? []
    : ['the target has changed since the agent used it; the checks call the changed target'];
}

const SETUP = 'setup commands were not repeated: what they made outside of the workspace is missing';

/** Says what was left out of the copy of a workspace; null if nothing was. */
async function lackingIn(file: string): Promise<string | null> {
  const record = await readJsonIfThere<Pick<RunRecord, 'left_out'>>(file);
  const paths = (record?.left_out ?? []).map(({ path }) => path);
  return paths.length === 0 ? null : `${paths.slice(0, 3).join(', ')}${paths.length > 3 ? ' and more' : ''}`;
}

/**
 * Takes over the results of the steps of the run whose work is checked. Only once this is decided: whoever finds them
 * takes them for results of this run. Can be repeated.
 *
 * @throws ApplicationFailure (non-retryable) if they are gone
 */
export async function adoptSteps(deps: Deps, context: RunIdentity, { run }: WorkOfRun): Promise<void> {
  const found = await readSteps(deps, context, run);
  if (typeof found === 'string') throw ApplicationFailure.nonRetryable(found, 'WorkGone');
  await allDone([...found.all].map(([name, manifest]) => publishStep(context, name, manifest)));
}
