import { parseModelName } from '../../lib/model-name.js';
import { callModel } from '../../platform/models/call-model.js';
import { ModelFailed } from '../../platform/models/model-errors.js';
import type { ModelProvider } from '../../platform/models/model-providers.js';
import { wrongOf, type JudgeAnswer } from '../../results/records/judgment.js';
import type { JudgePrompt } from '../../judge/prompt.js';
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
