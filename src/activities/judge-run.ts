import { ApplicationFailure } from '@temporalio/activity';
import { readAnswer, type Answer } from '../judge/answer.js';
import { agentPrompt, composePrompt, promptDocument } from '../judge/prompt.js';
import { combineVotes } from '../judge/votes.js';
import { beginningOf } from '../lib/format/truncate.js';
import { ModelFailed, type ModelFailureKind } from '../platform/models/model-errors.js';
import { writeFileAtomic } from '../platform/fs/write-file.js';
import type { JudgeAnswer, Judgment } from '../results/records/judgment.js';
import { redactFields } from '../results/records/redact-fields.js';
import { judgmentText } from '../results/records/text-fields.js';
import type { JudgeSettings } from '../scenario/plan.js';
import { STEPS, type JudgeBrief, type RunRef } from '../workflows/protocol.js';
import { askAgent } from './judge/ask-agent.js';
import { askProvider } from './judge/ask-provider.js';
import type { Fence } from './step/fence.js';
import { heartbeating } from './step/heartbeat.js';
import { saveAnswer, readAnswers } from './judge/answers.js';
import { judgeUsage } from './judge/usage.js';
import { gatherQuestion } from './judge/question.js';
import { ownAttempt, waitingSince } from './step/retry-policy.js';
import { assertRecordable } from './step/recordable.js';
import { runStepOnce } from './step/run-step-once.js';
import type { Deps } from './step/deps.js';
import { loadRun, type RunContext } from './step/run-context.js';

/** Each answer costs money, and a judge that has given this many unusable ones is likely to give more. */
const MAX_UNUSABLE = 3;
/**
 * The attempt at which each kind of failure becomes final; attempts that waited do not count. Limits and outages never
 * do, because they end, and the agent has been paid for.
 */
const GIVE_UP: Record<ModelFailureKind, number> = {
  refused: 1,
  timeout: 3,
  unavailable: Infinity,
  rate_limited: Infinity,
};
/** The longest known limits last a week. */
const LONGEST_WAIT_MS = 8 * 24 * 3600_000;
/** A server may ask for hours, but a sweep should not be silent for that long. */
const MAX_WAIT_MS = 15 * 60 * 1000;
const MIN_WAIT_MS = 1000;
const MESSAGE_LENGTH = 280;

/**
 * Asks the judge for its votes, one after another. Every answer is stored and never requested again. The first failure
 * ends the attempt; Temporal waits and retries.
 */
export const judgeRun =
  (deps: Deps) =>
  async (run: RunRef): Promise<JudgeBrief> => {
    const context = await loadRun(deps, run);
    const judgment = await runStepOnce<Judgment>(context, STEPS.judge, (fence) =>
      heartbeating((signal) => judge(deps, context, fence, signal)),
    );
    return { score: judgment.weighted_score, passed: judgment.passed };
  };

/** Asks the judge once. Returns its answer, usable or not. @throws ModelFailed */
type Ask = (answers: readonly JudgeAnswer[]) => Promise<Omit<JudgeAnswer, 'schema_version' | 'at' | 'model'>>;

async function judge(deps: Deps, context: RunContext, fence: Fence, signal: AbortSignal): Promise<Judgment> {
  const { judge: settings, missing } = context;
  if (settings === null) throw unknownJudge();
  if (missing.length > 0)
    throw ApplicationFailure.nonRetryable(`not set: ${missing.join(', ')}; export it, and resume`, 'NoKey');
  const answers = await readAnswers(context);
  const votes = answers.flatMap((answer) => voteOf(settings, answer) ?? []);
  if (votes.length < settings.votes) {
    const ask = await prepareQuestion(deps, context, settings, fence, signal);
    while (votes.length < settings.votes)
      votes.push(await askForVote(context, settings, answers, ask, fence));
  }
  return judgmentOf(context, settings, votes, answers);
}

/** Returns what an answer says; null if it cannot be used. */
function voteOf({ rubric }: JudgeSettings, { problem, text }: JudgeAnswer): Answer | null {
  const read = problem === null ? readAnswer(rubric, text) : null;
  return read?.ok === true ? read.answer : null;
}

/** Composes the question and stores it: it is the same for every vote. */
async function prepareQuestion(
  deps: Deps,
  context: RunContext,
  settings: JudgeSettings,
  fence: Fence,
  signal: AbortSignal,
): Promise<Ask> {
  const { provider, judgeAgent, files, redact } = context;
  const prompt = composePrompt(await gatherQuestion(deps, context, settings.rubric));
  const keep = (text: string): Promise<void> => writeFileAtomic(files.judgePrompt, redact(text));
  if (judgeAgent !== null) {
    const question = { agent: judgeAgent, prompt: agentPrompt(prompt), timeoutSecs: settings.timeout_secs };
    await keep(`${question.prompt}\n`);
    return (answers) => {
      const taken = Math.max(0, ...answers.map(({ start = 0 }) => start));
      return askAgent(context, { ...question, taken }, fence, signal);
    };
  }
  if (provider === null) throw unknownJudge();
  await keep(promptDocument(prompt));
  return () => askProvider(context, provider, settings, prompt, signal);
}

/** Asks for the next answer, stores it and appends it to `answers`. @throws ApplicationFailure if it cannot be used */
async function askForVote(
  context: RunContext,
  settings: JudgeSettings,
  answers: JudgeAnswer[],
  ask: Ask,
  fence: Fence,
): Promise<Answer> {
  await fence.check();
  assertRecordable(context);
  const reply = await ask(answers).catch((error: unknown) => {
    throw error instanceof ModelFailed ? failureOf(context, settings, error) : error;
  });
  const read = reply.problem === null ? readAnswer(settings.rubric, reply.text) : null;
  const cut = reply.finish_reason === 'length';
  const problem =
    read?.ok === false
      ? cut
        ? `the answer was cut off at the model's limit of output tokens`
        : read.problem
      : reply.problem;
  const at = new Date().toISOString();
  await fence.check();
  const answer: JudgeAnswer = { schema_version: 1, at, model: settings.model, ...reply, problem };
  answers.push(answer);
  await saveAnswer(context, answers.length, answer);
  if (read?.ok === true) return read.answer;
  const message = `${settings.model}: answer ${answers.length} could not be used: ${problem ?? 'unknown'}`;
  throw ApplicationFailure.create({
    type: 'UnusableAnswer',
    message: beginningOf(context.redact(message), MESSAGE_LENGTH),
    nonRetryable: answers.filter((one) => one.problem !== null).length >= MAX_UNUSABLE,
    // There is nothing to wait for: the judge is available.
    nextRetryDelay: MIN_WAIT_MS,
  });
}

function failureOf(
  { redact }: RunContext,
  { model }: JudgeSettings,
  { kind, retryAfterMs, message }: ModelFailed,
): ApplicationFailure {
  // Without a cause, which would bring the request, and with it the key, into the history.
  return ApplicationFailure.create({
    type: kind,
    message: beginningOf(redact(`${model}: ${message}`), MESSAGE_LENGTH),
    nonRetryable: ownAttempt() >= GIVE_UP[kind] || Date.now() - waitingSince() > LONGEST_WAIT_MS,
    ...(retryAfterMs === null
      ? {}
      : { nextRetryDelay: Math.min(Math.max(retryAfterMs, MIN_WAIT_MS), MAX_WAIT_MS) }),
  });
}

const unknownJudge = (): ApplicationFailure =>
  ApplicationFailure.nonRetryable('this worker does not know the judge of the plan', 'UnknownJudge');

async function judgmentOf(
  context: RunContext,
  { model, rubric, pass_threshold }: JudgeSettings,
  votes: Answer[],
  answers: JudgeAnswer[],
): Promise<Judgment> {
  const combined = combineVotes(rubric, votes);
  const judgment: Judgment = {
    model,
    model_used: answers.at(-1)?.model_used ?? null,
    ...combined,
    pass_threshold,
    passed: combined.weighted_score >= pass_threshold,
    ...(await judgeUsage(context, answers)),
    attempts: answers.length,
  };
  return redactFields(judgment, judgmentText, context.redact);
}
