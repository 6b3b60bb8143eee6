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
  /** The model that answered, as the server names it; null if it does not. */
  modelUsed: string | null;
  finishReason: string;
  /** Tokens, none of which is in two counts. null: the server did not report it. */
  usage: Record<'input' | 'output' | 'reasoning' | 'cache_read' | 'cache_write', number | null>;
}

/**
 * Asks a model once; the caller decides about retries. If the server does not accept a JSON schema (it answers 400 or
 * 422), asks again without one. Then the text may be anything.
 *
 * @throws ModelFailed, or the signal's reason if it aborts
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
  // No temperature: several models reject it. No retries: Temporal does the waiting, which survives this process.
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
  // Read from the body: if the server names no model, the library fills in the one that was requested.
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
