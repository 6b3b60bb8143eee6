import type { JudgePrompt } from '#gates';
import { callModel, ModelFailed, type ModelProvider } from '#host';
import { parseModelName } from '#lib';
import { type JudgeAnswer, wrongOf } from '#model';
import type { RunContext } from '../step/run-context.js';
import type { QuestionForm } from './question.js';

/** Asks the model of a provider once. @throws ModelFailed, or the signal's reason if it aborts */
export async function askProvider(
  { values }: RunContext,
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
