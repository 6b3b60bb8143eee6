import { type Answer, answerSchema, combineVotes, composePrompt, readAnswer } from '#gates';
import { Judgment, redactFields, STEPS } from '#model';
import type { JudgeBrief, RunRef } from '#protocol';
import type { JudgeSettings } from '#scenario';
import { collectVotes, unknownModel, type Votes } from './ask/collect-votes.js';
import { usageOf } from './ask/usage.js';
import { gatherQuestion } from './judge/question.js';
import type { Fence } from './step/fence.js';
import { heartbeating } from './step/heartbeat.js';
import { runStepOnce } from './step/run-step-once.js';
import type { Deps } from './step/deps.js';
import { loadRun, type RunContext } from './step/run-context.js';

/** Asks the judge for its votes. */
export const judgeRun =
  (deps: Deps) =>
  async (run: RunRef): Promise<JudgeBrief> => {
    const context = await loadRun(deps, run);
    const judgment = await runStepOnce<Judgment>(context, STEPS.judge, (fence) =>
      heartbeating((signal) => judge(deps, context, fence, signal)),
    );
    return { score: judgment.weighted_score, passed: judgment.passed };
  };

async function judge(deps: Deps, context: RunContext, fence: Fence, signal: AbortSignal): Promise<Judgment> {
  const { judge: settings } = context;
  if (settings === null) throw unknownModel();
  const { rubric, votes, timeout_secs: timeoutSecs } = settings;
  const collected = await collectVotes(
    context,
    {
      asker: STEPS.judge,
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
  context: RunContext,
  { model, rubric, pass_threshold }: JudgeSettings,
  { votes, answers }: Votes<Answer>,
): Promise<Judgment> {
  const combined = combineVotes(rubric, votes);
  const { answers: attempts, usage, cost_usd, cost_usd_at_least } = await usageOf(context, STEPS.judge);
  const judgment: Judgment = {
    model,
    model_used: answers.at(-1)?.model_used ?? null,
    ...combined,
    pass_threshold,
    passed: combined.weighted_score >= pass_threshold,
    ...{ usage, cost_usd },
    ...(cost_usd_at_least === undefined ? {} : { cost_usd_at_least }),
    attempts,
  };
  return redactFields(judgment, Judgment, context.redact);
}
