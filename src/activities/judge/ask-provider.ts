import { answerSchema } from '../../judge/answer.js';
import type { JudgePrompt } from '../../judge/prompt.js';
import { parseModelName } from '../../lib/model-name.js';
import { callModel } from '../../platform/models/call-model.js';
import { ModelFailed } from '../../platform/models/model-errors.js';
import type { ModelProvider } from '../../platform/models/model-providers.js';
import type { JudgeAnswer } from '../../results/records/judgment.js';
import type { JudgeSettings } from '../../scenario/plan.js';
import type { RunContext } from '../step/run-context.js';

/** Asks the model of a provider once. @throws ModelFailed, or the signal's reason if it aborts */
export async function askProvider(
  { values }: RunContext,
  provider: ModelProvider,
  { model, rubric, timeout_secs }: JudgeSettings,
  prompt: JudgePrompt,
  signal: AbortSignal,
): Promise<Pick<JudgeAnswer, 'model_used' | 'finish_reason' | 'usage' | 'problem' | 'text'>> {
  const name = parseModelName(model);
  if (!name.ok) throw new ModelFailed('refused', name.message);
  const question = { ...prompt, schema: answerSchema(rubric), timeoutMs: timeout_secs * 1000 };
  const { modelUsed, finishReason, usage, text } = await callModel(
    await provider.connect(name.model, values),
    question,
    signal,
  );
  return { model_used: modelUsed, finish_reason: finishReason, usage, problem: null, text };
}
