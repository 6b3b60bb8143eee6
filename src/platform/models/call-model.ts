import type { LanguageModel, LanguageModelUsage } from 'ai';
import { explainModelError, ModelFailed } from './model-errors.js';

export interface ModelQuestion {
  system: string;
  user: string;
  /** The form of the answer, as a JSON schema. */
  schema: Record<string, unknown>;
  timeoutMs: number;
}

export interface ModelAnswer {
  text: string;
  /** What the server says answered; null when it does not. */
  modelUsed: string | null;
  finishReason: string;
  /** Tokens, none of them in two counts; null is what the server did not say. */
  usage: Record<'input' | 'output' | 'reasoning' | 'cache_read' | 'cache_write', number | null>;
}

/**
 * Asks a model once: whoever calls decides about another try. Where the server does not take a JSON schema (it answers
 * 400 or 422), it is asked again without one; the text may be anything then.
 * @throws ModelFailed, or the signal's reason when that aborts.
 */
export async function callModel(
  model: LanguageModel,
  question: ModelQuestion,
  signal: AbortSignal,
): Promise<ModelAnswer> {
  const timeout = AbortSignal.timeout(question.timeoutMs);
  const both = AbortSignal.any([signal, timeout]);
  try {
    return await call(model, question, both, true).catch((error: unknown) => {
      const failed = explainModelError(error);
      if (!both.aborted && (failed.status === 400 || failed.status === 422))
        return call(model, question, both, false);
      throw error;
    });
  } catch (error) {
    signal.throwIfAborted();
    if (timeout.aborted)
      throw new ModelFailed('timeout', `gave no answer within ${question.timeoutMs / 1000} s`);
    throw explainModelError(error);
  }
}

async function call(
  model: LanguageModel,
  { system, user, schema }: ModelQuestion,
  abortSignal: AbortSignal,
  structured: boolean,
): Promise<ModelAnswer> {
  const { generateText, jsonSchema, NoObjectGeneratedError, Output } = await import('ai');
  globalThis.AI_SDK_LOG_WARNINGS = false;
  // No temperature: several models refuse any. No retries: waiting is Temporal's, where it survives us.
  const common = { model, system, prompt: user, maxRetries: 0, abortSignal };
  try {
    const output = Output.object({ schema: jsonSchema(schema), name: 'judgment' });
    const result = await generateText(structured ? { ...common, output } : common);
    return answerOf(result.text, result.response, result.finishReason, result.usage);
  } catch (error) {
    if (!NoObjectGeneratedError.isInstance(error)) throw error;
    return answerOf(error.text ?? '', error.response, error.finishReason ?? 'unknown', error.usage);
  }
}

function answerOf(
  text: string,
  response: object | undefined,
  finishReason: string,
  usage: LanguageModelUsage | undefined,
): ModelAnswer {
  // The library fills in the model that was asked for where the server names none.
  const { body = {} } = (response ?? {}) as { body?: { model?: unknown; modelVersion?: unknown } };
  const named = body.model ?? body.modelVersion;
  return {
    text,
    modelUsed: typeof named === 'string' ? named : null,
    finishReason,
    usage: {
      input: usage?.inputTokenDetails.noCacheTokens ?? usage?.inputTokens ?? null,
      output: usage?.outputTokenDetails.textTokens ?? usage?.outputTokens ?? null,
      reasoning: usage?.outputTokenDetails.reasoningTokens ?? null,
      cache_read: usage?.inputTokenDetails.cacheReadTokens ?? null,
      cache_write: usage?.inputTokenDetails.cacheWriteTokens ?? null,
    },
  };
}
