import { join } from 'node:path';
import { ApplicationFailure } from '@temporalio/activity';
import { agentPrompt, type JudgePrompt, promptDocument } from '#gates';
import { callModel, ModelFailed, type ModelFailureKind, type ModelProvider, writeFileAtomic } from '#host';
import { beginningOf, type Json, parseModelName } from '#lib';
import { type JudgeAnswer, wrongOf } from '#model';
import { judgeModelOf } from '#scenario';
import { answersFolder } from '#store';
import type { Fence } from '../step/fence.js';
import { assertRecordable } from '../step/disk-space.js';
import { ownAttempt, waitingSince } from '../step/retry-policy.js';
import { missingValues } from '../run/values-of-run.js';
import { readAnswers, saveAnswer } from './answers.js';
import { callAgent } from './ask-agent.js';
import type { LoadedRun, RunAccess, RunSecrets } from '../run/context.js';

/** The settings for a model's answers. */
interface QuestionForm {
  /** Time limit of one answer. */
  timeoutSecs: number;
  /** The form of the answer, as a JSON schema; null: a text. Models may disregard it. */
  schema: Record<string, Json> | null;
  /** Without it, the model's own. Agents, and models that accept no other, disregard it. */
  temperature?: number;
  /** The most tokens of the answer. Agents disregard it. */
  maxTokens?: number;
}

/** A question of a part of a run to the model of the judge. */
interface Question<A> {
  /** The part of the run that asks: its step, like `judge` or `gate 3`, or another name that is unique in the run. */
  caller: string;
  /** The number of usable answers that are wanted. */
  votes: number;
  form: QuestionForm;
  /** Composes the prompt, redacted. It is the same for every vote. */
  prompt: () => Promise<JudgePrompt>;
  /** Parses the text of an answer. */
  read: (text: string) => { ok: true; answer: A } | { ok: false; problem: string };
}

/** Each answer costs money, and a model that has given this many unusable ones is likely to give more. */
const MAX_UNUSABLE = 3;
/**
 * The attempt at which each kind of failure becomes final; attempts that waited do not count. Limits and outages never
 * do, because they end, and the agent has been paid for.
 */
const GIVE_UP: Record<ModelFailureKind, number> = {
  refused: 1,
  timeout: 3,
  // After two minutes.
  unreadable: 8,
  unavailable: Infinity,
  rate_limited: Infinity,
};
/** The longest known limits last a week. */
const LONGEST_WAIT_MS = 8 * 24 * 3600_000;
/** A server may ask for hours, but a sweep should not be silent for that long. */
const MAX_WAIT_MS = 15 * 60 * 1000;
const MIN_WAIT_MS = 1000;
const WORTH_NOTING_MS = 60_000;
const MESSAGE_LENGTH = 280;

export interface Votes<A> {
  votes: A[];
  /** All answers, also unusable ones. */
  answers: JudgeAnswer[];
}

/** Asks the model once. Returns its answer, usable or not. @throws ModelFailed */
type Ask = (answers: readonly JudgeAnswer[]) => Promise<Omit<JudgeAnswer, 'schema_version' | 'at' | 'model'>>;

/**
 * Asks the model of the run's judge for usable answers, one after another. Every answer is stored and never requested
 * again. The first failure ends the attempt; Temporal waits and retries, so the activity must have the patience of
 * `TRIES` (step/retry-policy.ts).
 */
export async function collectVotes<A>(
  context: LoadedRun & RunAccess,
  question: Question<A>,
  fence: Fence,
  signal: AbortSignal,
): Promise<Votes<A>> {
  const { plan, run, values } = context;
  const model = judgeModelOf(context);
  const missing = missingValues(plan, run.cell, context, values);
  if (model === null) throw unknownModel();
  if (missing.length > 0)
    throw ApplicationFailure.nonRetryable(`not set: ${missing.join(', ')}; export it, and resume`, 'NoKey');
  const answers = await readAnswers(context, question.caller);
  const votes = answers.flatMap(({ problem, text }) => {
    const read = problem === null ? question.read(text) : null;
    return read?.ok === true ? [read.answer] : [];
  });
  if (votes.length < question.votes) {
    const ask = await prepare(context, model, question, fence, signal);
    while (votes.length < question.votes) votes.push(await collectVote(context, model, question, answers, ask, fence));
  }
  return { votes, answers };
}

/** Composes the question and stores it. */
async function prepare<A>(
  context: LoadedRun & RunAccess,
  model: string,
  { caller, form, prompt: compose }: Question<A>,
  fence: Fence,
  signal: AbortSignal,
): Promise<Ask> {
  const { provider, judgeAgent, files, redact } = context;
  const prompt = await compose();
  const keep = (text: string): Promise<void> =>
    writeFileAtomic(join(answersFolder(files, caller), 'prompt.md'), redact(text));
  if (judgeAgent !== null) {
    const { timeoutSecs, schema } = form;
    const question = { agent: judgeAgent, caller, prompt: agentPrompt(prompt, schema === null), timeoutSecs };
    await keep(`${question.prompt}\n`);
    return (answers) => {
      const taken = Math.max(0, ...answers.map(({ start = 0 }) => start));
      return callAgent(context, { ...question, taken }, fence, signal);
    };
  }
  if (provider === null) throw unknownModel();
  await keep(promptDocument(prompt));
  return () => callProvider(context, provider, model, form, prompt, signal);
}

/** Asks for the next answer, stores it and appends it to `answers`. @throws ApplicationFailure if it cannot be used */
async function collectVote<A>(
  context: LoadedRun & RunAccess,
  model: string,
  { caller, read: readText }: Pick<Question<A>, 'caller' | 'read'>,
  answers: JudgeAnswer[],
  ask: Ask,
  fence: Fence,
): Promise<A> {
  await fence.check();
  assertRecordable(context);
  await assertNoLimit(context, model);
  const reply = await ask(answers).catch(async (error: unknown) => {
    if (!(error instanceof ModelFailed)) throw error;
    await noteLimit(context, error);
    throw failureOf(context, model, error);
  });
  context.noteReason(null);
  const read = reply.problem === null ? readText(reply.text) : null;
  const cut = reply.finish_reason === 'length';
  const problem =
    read?.ok === false
      ? cut
        ? `the answer was cut off at the model's limit of output tokens`
        : read.problem
      : reply.problem;
  const at = new Date().toISOString();
  await fence.check();
  const answer: JudgeAnswer = { schema_version: 1, at, model, ...reply, problem };
  answers.push(answer);
  await saveAnswer(context, caller, answers.length, answer);
  if (read?.ok === true) return read.answer;
  const message = `${model}: answer ${answers.length} could not be used: ${problem ?? 'unknown'}`;
  throw ApplicationFailure.create({
    type: 'UnusableAnswer',
    message: beginningOf(context.redact(message), MESSAGE_LENGTH),
    nonRetryable: answers.filter((one) => one.problem !== null).length >= MAX_UNUSABLE,
    // There is nothing to wait for: the model is available.
    nextRetryDelay: MIN_WAIT_MS,
  });
}

/** @throws ApplicationFailure if another run has reached the limit of the account */
async function assertNoLimit(context: RunSecrets & RunAccess, model: string): Promise<void> {
  const { limits, judgeAccount: account } = context;
  const until = account === null ? null : ((await limits?.admit(account, null)) ?? null);
  if (until === null) return;
  const message = `${account} has reached its limit until ${new Date(until).toISOString()}`;
  throw failureOf(context, model, new ModelFailed('rate_limited', message, null, until - Date.now()));
}

/** Tells other runs of a limit. A busy provider only asks for seconds, and is not worth it. */
async function noteLimit(
  { limits, judgeAccount: account }: RunAccess,
  { kind, retryAfterMs }: ModelFailed,
): Promise<void> {
  if (account === null || kind !== 'rate_limited' || (retryAfterMs ?? 0) < WORTH_NOTING_MS) return;
  await limits?.note(account, Date.now() + (retryAfterMs ?? 0));
}

function failureOf(
  { redact, noteReason }: RunSecrets & RunAccess,
  model: string,
  { kind, retryAfterMs, message }: ModelFailed,
): ApplicationFailure {
  const isFinal = ownAttempt() >= GIVE_UP[kind] || Date.now() - waitingSince() > LONGEST_WAIT_MS;
  const text = beginningOf(redact(`${model}: ${message}`), MESSAGE_LENGTH);
  const provider = model.split('/', 1).join();
  noteReason(isFinal ? null : beginningOf(redact(`${provider}: ${message}`), MESSAGE_LENGTH));
  // Without a cause, which would bring the request, and with it the key, into the history.
  return ApplicationFailure.create({
    type: kind,
    message: text,
    nonRetryable: isFinal,
    ...(retryAfterMs === null ? {} : { nextRetryDelay: Math.min(Math.max(retryAfterMs, MIN_WAIT_MS), MAX_WAIT_MS) }),
  });
}

/** The plan was written by a newer build, or has no such model. */
export const unknownModel = (): ApplicationFailure =>
  ApplicationFailure.nonRetryable('this worker does not know the judge of the plan', 'UnknownJudge');

/** Asks the model of a provider once. @throws ModelFailed, or the signal's reason if it aborts */
async function callProvider(
  { values }: RunSecrets,
  provider: ModelProvider,
  model: string,
  { timeoutSecs, ...form }: QuestionForm,
  prompt: JudgePrompt,
  signal: AbortSignal,
): Promise<Pick<JudgeAnswer, 'model_used' | 'finish_reason' | 'usage' | 'wrong' | 'problem' | 'text'>> {
  const name = parseModelName(model);
  if (!name.ok) throw new ModelFailed('refused', name.message);
  const { modelUsed, finishReason, usage, wrong, text } = await callModel(
    await provider.connect(name.model, values),
    { ...prompt, ...form, timeoutMs: timeoutSecs * 1000 },
    signal,
  );
  return {
    model_used: modelUsed,
    finish_reason: finishReason,
    usage,
    ...wrongOf(wrong),
    problem: null,
    text,
  };
}
