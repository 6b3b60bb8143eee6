import { ApplicationFailure, Context } from '@temporalio/activity';
import { answerSchema, readAnswer, weightedScore, type Answer } from '../judge/answer.js';
import { composePrompt, promptDocument } from '../judge/prompt.js';
import { beginningOf } from '../lib/cut.js';
import { parseModelName } from '../lib/model-name.js';
import { askModel, type ModelAnswer } from '../platform/ask-model.js';
import { ModelFailed, type ModelFailureKind } from '../platform/model-errors.js';
import type { ModelProvider } from '../platform/model-providers.js';
import { writeFileAtomic } from '../platform/write-file.js';
import type { JudgeAnswer, Judgment } from '../results/judgment.js';
import { sumUsage } from '../results/token-usage.js';
import type { JudgeSettings } from '../scenario/plan.js';
import { STEPS, type JudgeBrief, type RunRef } from '../workflows/protocol.js';
import type { Fence } from './fence.js';
import { heartbeating } from './heartbeat.js';
import { keepAnswer, readAnswers } from './judge-answers.js';
import { judgeCost } from './judge-cost.js';
import { gatherQuestion } from './judge-question.js';
import { publishStep } from './publish-step.js';
import { loadRun, type Deps, type RunContext } from './run-context.js';

/** Each costs money, and a model that has failed so often will go on failing. */
const MAX_ANSWERS = 3;
/** At which attempt a failure is given up. A rate limit ends; a server that is down is like other infrastructure. */
const GIVE_UP: Record<ModelFailureKind, number> = {
  refused: 1,
  timeout: 3,
  unavailable: 8,
  rate_limited: 20,
};
/** A server may ask for hours; a sweep should not be silent for so long. */
const MAX_WAIT_MS = 10 * 60 * 1000;
const MIN_WAIT_MS = 1000;
const MESSAGE_LENGTH = 280;

/** Asks the judge once. Each attempt is one question: waiting between them is Temporal's. */
export const judgeRun =
  (deps: Deps) =>
  async (run: RunRef): Promise<JudgeBrief> => {
    const context = await loadRun(deps, run);
    const judgment = await publishStep<Judgment>(context, STEPS.judge, (fence) =>
      heartbeating((signal) => judge(deps, context, fence, signal)),
    );
    return { score: judgment.weighted_score, passed: judgment.passed };
  };

async function judge(deps: Deps, context: RunContext, fence: Fence, signal: AbortSignal): Promise<Judgment> {
  const { judge: settings, provider, missing, files, redact } = context;
  if (settings === null || provider === null)
    throw ApplicationFailure.nonRetryable('this worker does not know the judge of the plan', 'UnknownJudge');
  if (missing.length > 0)
    throw ApplicationFailure.nonRetryable(`not set: ${missing.join(', ')}; export it, and resume`, 'NoKey');
  const earlier = await readAnswers(context);
  const kept = usable(settings, earlier);
  if (kept !== null) return judgmentOf(context, settings, kept, earlier);
  const prompt = composePrompt(await gatherQuestion(deps, context, settings.rubric));
  await writeFileAtomic(files.judgePrompt, redact(promptDocument(prompt)));
  await fence.check();
  const schema = answerSchema(settings.rubric);
  const timeoutMs = settings.timeout_secs * 1000;
  const said = await ask(context, settings, provider, { ...prompt, schema, timeoutMs }, signal);
  const read = readAnswer(settings.rubric, said.text);
  await fence.check();
  const answer: JudgeAnswer = {
    schema_version: 1,
    at: new Date().toISOString(),
    model: settings.model,
    model_used: said.modelUsed,
    finish_reason: said.finishReason,
    usage: said.usage,
    problem: read.ok ? null : read.problem,
    text: said.text,
  };
  const answers = [...earlier, answer];
  await keepAnswer(context, answers.length, answer);
  if (read.ok) return judgmentOf(context, settings, read.answer, answers);
  const message = `${settings.model}: answer ${answers.length} could not be used: ${read.problem}`;
  throw ApplicationFailure.create({
    type: 'UnusableAnswer',
    message: beginningOf(redact(message), MESSAGE_LENGTH),
    nonRetryable: answers.length >= MAX_ANSWERS,
    // Nothing is to be waited for: the model is there.
    nextRetryDelay: MIN_WAIT_MS,
  });
}

/** The answer that an attempt had kept when its worker died: it is paid for. */
function usable({ rubric }: JudgeSettings, answers: JudgeAnswer[]): Answer | null {
  const last = answers.at(-1);
  if (last?.problem !== null) return null;
  const read = readAnswer(rubric, last.text);
  return read.ok ? read.answer : null;
}

async function ask(
  { values, redact }: RunContext,
  { model }: JudgeSettings,
  provider: ModelProvider,
  question: Parameters<typeof askModel>[1],
  signal: AbortSignal,
): Promise<ModelAnswer> {
  const name = parseModelName(model);
  try {
    if (!name.ok) throw new ModelFailed('refused', name.message);
    return await askModel(await provider.connect(name.model, values), question, signal);
  } catch (error) {
    if (!(error instanceof ModelFailed)) throw error;
    const { kind, retryAfterMs, message } = error;
    // Without a cause: it would carry the request, and with it the key, into the history.
    throw ApplicationFailure.create({
      type: kind,
      message: beginningOf(redact(`${model}: ${message}`), MESSAGE_LENGTH),
      nonRetryable: Context.current().info.attempt >= GIVE_UP[kind],
      ...(retryAfterMs === null
        ? {}
        : { nextRetryDelay: Math.min(Math.max(retryAfterMs, MIN_WAIT_MS), MAX_WAIT_MS) }),
    });
  }
}

async function judgmentOf(
  context: RunContext,
  { model, rubric, pass_threshold }: JudgeSettings,
  answer: Answer,
  answers: JudgeAnswer[],
): Promise<Judgment> {
  const weighted_score = weightedScore(rubric, answer.scores);
  return {
    model,
    model_used: answers.at(-1)?.model_used ?? null,
    ...answer,
    weighted_score,
    pass_threshold,
    passed: weighted_score >= pass_threshold,
    usage: sumUsage(answers.map(({ usage }) => usage)),
    cost_usd: await judgeCost(context, answers),
    attempts: answers.length,
  };
}
