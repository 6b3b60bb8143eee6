import { z } from 'zod';
import {
  type JudgeScores,
  answerSchema,
  combineVotes,
  composePrompt,
  type JudgeQuestion,
  readAnswer,
  type Rubric,
} from '#gates';
import { defined } from '#lib';
import { EvaluatorResult, GateDetail, Judgment, redactFields, STEPS } from '#model';
import type { JudgeBrief, RunRef } from '#protocol';
import { agentStepAt, firstAgentStep, gatesOf, type JudgeSettings } from '#scenario';
import { changesIn } from '#environments';
import { readTextIfThere } from '#host';
import { fixtureFolder } from '#store';
import { collectVotes, unknownModel, type Votes } from './ask/collect-votes.js';
import { usageOf } from './ask/usage.js';
import type { Fence } from './step/fence.js';
import { heartbeating } from './step/heartbeat.js';
import { readStep, runStepOnce } from './step/run-step-once.js';
import type { Deps } from './step/deps.js';
import { loadWithAccess } from './run/load-run.js';
import { readAgentStep } from './agent/agent-step.js';
import type { LoadedRun, RunAccess } from './run/context.js';

/** Asks the judge for its votes. */
export const judgeRun =
  (deps: Deps) =>
  async (run: RunRef): Promise<JudgeBrief> => {
    const context = await loadWithAccess(deps, run);
    const judgment = await runStepOnce<Judgment>(context, STEPS.judge, (fence) =>
      heartbeating((signal) => judge(deps, context, fence, signal)),
    );
    return { score: judgment.weighted_score, passed: judgment.passed };
  };

async function judge(deps: Deps, context: LoadedRun & RunAccess, fence: Fence, signal: AbortSignal): Promise<Judgment> {
  const { judge: settings } = context;
  if (settings === null) throw unknownModel();
  const { rubric, votes, timeout_secs: timeoutSecs } = settings;
  const collected = await collectVotes(
    context,
    {
      caller: STEPS.judge,
      votes,
      form: { timeoutSecs, schema: answerSchema(rubric) },
      prompt: async () => composePrompt(await gatherQuestion(deps, context, rubric)),
      read: (text) => readAnswer(rubric, text),
    },
    fence,
    signal,
  );
  return judgmentOf(context, settings, collected);
}

async function judgmentOf(
  context: LoadedRun & RunAccess,
  { model, rubric, pass_threshold }: JudgeSettings,
  { votes, answers }: Votes<JudgeScores>,
): Promise<Judgment> {
  const combined = combineVotes(rubric, votes);
  const { answers: attempts, usage, cost_usd, cost_usd_at_least } = await usageOf(context, STEPS.judge);
  const judgment: Judgment = {
    model,
    model_used: answers.at(-1)?.model_used ?? null,
    ...combined,
    pass_threshold,
    passed: combined.weighted_score >= pass_threshold,
    usage,
    cost_usd,
    ...defined({ cost_usd_at_least }),
    attempts,
  };
  return redactFields(judgment, Judgment, context.redact);
}

/** Gathers what the judge is given about a run, redacted. */
async function gatherQuestion({ resultsPath }: Deps, context: LoadedRun, rubric: Rubric): Promise<JudgeQuestion> {
  const { scenario, environment, handle, files, redact } = context;
  const results = async <T>(list: readonly unknown[], step: (index: number) => string): Promise<T[]> => {
    const manifests = await Promise.all(list.map((_, index) => readStep<T>(context, step(index))));
    return manifests.flatMap((manifest) => (manifest === null ? [] : [manifest.result]));
  };
  const fixture = fixtureFolder(resultsPath, context.fixture);
  const changes = await changesIn(environment, handle, { fixture, files: scenario.inputs.files });
  const agent = (await readAgentStep(context))?.result.record;
  return {
    rubric,
    // One by one, because the redactor treats each file as a separate document.
    files:
      changes === null
        ? null
        : { ...changes, changed: changes.changed.map((file) => ({ ...file, ...masked(file, redact) })) },
    transcript: (await readTextIfThere(files.humanTranscript)) ?? 'There is no transcript.',
    ...redactFields(
      {
        description: scenario.description,
        task: agentStepAt(scenario, firstAgentStep(scenario)).prompt,
        ending: agent === undefined ? 'not known' : `${agent.ending}: ${agent.message}`,
        gates: await results<GateDetail>(gatesOf(scenario), STEPS.gate),
        evaluators: await results<EvaluatorResult>(scenario.checks.evaluators, STEPS.evaluator),
      },
      z.object({
        description: z.string(),
        task: z.string(),
        ending: z.string(),
        gates: z.array(GateDetail),
        evaluators: z.array(EvaluatorResult),
      }),
      redact,
    ),
  };
}

const masked = (
  { path, start }: { path: string; start: string | null },
  redact: (text: string) => string,
): { path: string; start: string | null } => ({
  path: redact(path),
  start: start === null ? null : redact(start),
});
