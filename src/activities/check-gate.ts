import { join } from 'node:path';
import { Context } from '@temporalio/activity';
import type { VerifyRequest } from '#environments';
import { z } from 'zod';
import {
  modelAnswersOf,
  checkGate as check,
  composeGatePrompt,
  findObject,
  type GateQuestion,
  gateSubject,
  type VerifierFiles,
  type VerifierRequest,
} from '#gates';
import { defined } from '#lib';
import { GateDetail, redactFields, STEPS } from '#model';
import { passedGate, type RunRef } from '#protocol';
import { gatesOf, judgeModelOf } from '#scenario';
import { resolveEnv } from './credentials/resolve-agent.js';
import { imageFor } from './run/images.js';
import { skillsOfSubject } from '#subjects';
import { runWork } from './gate/run-work.js';
import { keptVerdict } from './gate/kept-verdict.js';
import { observedWork, watchEvidence } from './gate/observed-work.js';
import { heartbeating } from './step/heartbeat.js';
import { readStep, runStepOnce } from './step/run-step-once.js';
import type { Deps } from './step/deps.js';
import { loadWithAccess } from './run/load-run.js';
import { lookInChecks, scriptEnv, stepCommands } from './commands/step-commands.js';
import { collectVotes } from './ask/collect-votes.js';
import type { Fence } from './step/fence.js';
import type { LoadedRun, RunAccess } from './run/context.js';

/**
 * Checks one gate, perhaps after a turn of a conversation, and returns its status; throws it if it is to be visible
 * (protocol/visible-failures.ts). Any other error thrown here is one of the harness, and is retried.
 */
export const checkGate =
  (deps: Deps) =>
  async (run: RunRef, index: number, turn?: number): Promise<GateDetail['status']> => {
    const { status, message } = await checkOnce(deps, await loadWithAccess(deps, run), index, turn);
    return Context.current().info.isLocal ? status : passedGate(status, message);
  };

/** Checks a gate, unless that has been done. */
export async function checkOnce(
  deps: Deps,
  context: LoadedRun & RunAccess,
  index: number,
  turn?: number,
): Promise<GateDetail> {
  const placed = gatesOf(context.scenario)[index];
  if (placed === undefined) throw new RangeError(`no gate ${index}`);
  const { gate: spec } = placed;
  const { environment, handle } = context;
  const asked = judgeModelOf(context);
  const name = STEPS.gate(index, turn);
  return runStepOnce<GateDetail>(context, name, async (fence) => {
    const kept = await keptVerdict(deps, context, placed, index, turn);
    if (kept !== null) return kept;
    const startedAt = performance.now();
    const used: Pick<GateDetail, 'model_used'> = {};
    const evidence = watchEvidence(observedWork(context, placed, turn), handle);
    const verdict = await heartbeating((signal) => {
      const inStep = stepCommands(context, name, signal, context.checksFolder);
      return check(spec, {
        exec: (command, timeoutSecs) => inStep(command, scriptEnv(context), timeoutSecs),
        work: (kind, input, timeoutSecs) => runWork(kind, input, timeoutSecs, signal),
        verify: (request) => verify(deps, context, request, name, signal),
        rewards: () => rewardsOfSteps(context),
        look: (path) => environment.lookInside(handle, path),
        expected: (path) => lookInChecks(context, path),
        ...evidence.done,
        skills: () => skillsOfSubject(context.subject),
        ask: (question) =>
          collectGateVotes(context, name, question, fence, signal, (name) => {
            if (name !== null) used.model_used = name;
          }),
      });
    });
    const forgeable = await evidence.forgeable();
    const found: GateDetail = {
      index,
      gate_type: spec.type,
      name: spec.name ?? null,
      subject: gateSubject(spec),
      status: verdict.status,
      passed: verdict.status === 'pass',
      message: verdict.message,
      detail: verdict.detail ?? null,
      duration_ms: Math.round(performance.now() - startedAt),
      ...(modelAnswersOf(spec) === 0 || asked === null ? {} : { judged_by: asked }),
      ...used,
      ...defined({ forgeable }),
    };
    return redactFields(found, GateDetail, context.redact);
  });
}

/** Runs a verifier with tests of the checks folder. Null if the run has no container. */
async function verify(
  deps: Deps,
  context: LoadedRun,
  { tests, env, timeout_secs: timeoutSecs, script, user }: VerifierRequest,
  part: string,
  signal: AbortSignal,
): Promise<VerifierFiles | { lacking: string } | null> {
  const { environment, handle, checksFolder, values, scenario } = context;
  if (environment.verify === undefined || checksFolder === null) return null;
  const { verifier_apart: own } = scenario.task ?? {};
  const apart = own === undefined ? null : await placeOfVerifier(deps, context, own);
  if (apart !== null && 'lacking' in apart) return apart;
  return environment.verify(handle, {
    script,
    timeoutSecs,
    part,
    signal,
    // An image of its own has its tests.
    tests: own?.builds === true ? [] : tests.map((folder) => join(checksFolder, folder)),
    env: resolveEnv(env, values).env,
    containerEnv: resolveEnv(scenario.task?.env ?? {}, values).env,
    ...defined({ user, apart }),
  });
}

/** The container of a verifier that has one of its own: of the folder of its tests, or like that of the agent. */
async function placeOfVerifier(
  deps: Deps,
  context: LoadedRun,
  { builds, artifacts, network }: NonNullable<NonNullable<LoadedRun['scenario']['task']>['verifier_apart']>,
): Promise<NonNullable<VerifyRequest['apart']> | { lacking: string }> {
  const { handle, scenario, values } = context;
  const { task } = scenario;
  const common = {
    artifacts: ['/logs/artifacts', ...artifacts],
    ...(network === undefined ? {} : { network }),
  };
  if (builds !== true)
    return {
      ...common,
      image: handle.container?.image ?? '',
      env: resolveEnv(task?.env ?? {}, values).env,
      ...(task?.workdir === undefined ? {} : { workdir: task.workdir }),
    };
  const built = await imageFor(deps, context, STEPS.verifierImage);
  return 'lacking' in built ? built : { ...common, image: built.image, env: {} };
}

const Rewards = z.object({ rewards: z.record(z.string(), z.number()) });

/** The rewards of the verifiers after steps, in order. */
async function rewardsOfSteps(context: LoadedRun): Promise<Record<string, number>[]> {
  const all: Record<string, number>[] = [];
  for (const [index, { gate, after }] of gatesOf(context.scenario).entries()) {
    if (gate.type !== 'verifier' || after === null) continue;
    const { success, data } = Rewards.safeParse(
      (await readStep<GateDetail>(context, STEPS.gate(index)))?.result.detail,
    );
    if (success) all.push(data.rewards);
  }
  return all;
}

/**
 * Asks a model for a gate. Its answers are kept under the name of the gate's step. `noteModel`: gets the model's name
 * for itself.
 */
async function collectGateVotes<A>(
  context: LoadedRun & RunAccess,
  caller: string,
  { instructions, evidence, example, read, votes: wanted, ...form }: GateQuestion<A>,
  fence: Fence,
  signal: AbortSignal,
  noteModel: (name: string | null) => void,
): Promise<A[]> {
  const { redact } = context;
  const redacted = Object.entries(evidence).map(([name, text]) => [name, redact(text)] as const);
  const prompt = composeGatePrompt({
    instructions: redact(instructions),
    evidence: Object.fromEntries(redacted),
    example,
  });
  const { votes, answers } = await collectVotes(
    context,
    {
      caller,
      votes: wanted,
      form,
      prompt: () => Promise.resolve(prompt),
      read: (text) => {
        if (text.trim() === '') return { ok: false, problem: 'the answer is empty' };
        const found = findObject(text);
        return found === null ? { ok: false, problem: 'the answer is not exactly one JSON object' } : read(found);
      },
    },
    fence,
    signal,
  );
  noteModel(answers.at(-1)?.model_used ?? null);
  return votes;
}
