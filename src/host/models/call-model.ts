import type { LanguageModel, LanguageModelUsage, ModelMessage } from 'ai';
import { defined, isCount, type Json } from '#lib';
import { explainModelError, ModelFailed } from './model-errors.js';

export type { ModelMessage };

export interface ModelQuestion {
  system: string;
  user: string;
  /** The form of the answer, as a JSON schema; null: a text. */
  schema: Record<string, unknown> | null;
  /** Without it, the model's own; several models accept no other. */
  temperature?: number;
  /** The most tokens of the answer. */
  maxTokens?: number;
  timeoutMs: number;
}

export interface ModelAnswer {
  text: string;
  /** The model that answered, as the server names it; null if it does not. */
  modelUsed: string | null;
  finishReason: string;
  /** Tokens, none of which is in two counts. null: the server did not report it. */
  usage: Record<'input' | 'output' | 'reasoning' | 'cache_read' | 'cache_write', number | null>;
  /** The faults of numbers that the server reported; these are unknown. */
  wrong: string[];
}

/**
 * Asks a model once; the caller decides about retries. If the server does not accept a temperature or a JSON schema (it
 * answers 400 or 422), asks again without the one, then without both. Then the text may be anything.
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
    return await callSimpler(model, question, both);
  } catch (error) {
    signal.throwIfAborted();
    if (timeout.aborted) throw new ModelFailed('timeout', `gave no answer within ${question.timeoutMs / 1000} s`);
    throw explainModelError(error);
  }
}

async function callSimpler(model: LanguageModel, question: ModelQuestion, signal: AbortSignal): Promise<ModelAnswer> {
  const simpler = simplerThan(question);
  if (simpler === null) return call(model, question, signal);
  return call(model, question, signal).catch((error: unknown) => {
    const { status } = explainModelError(error);
    if (signal.aborted || (status !== 400 && status !== 422)) throw error;
    return callSimpler(model, simpler, signal);
  });
}

/** The question without one of the demands that not every server accepts; null if it has none. */
function simplerThan({ temperature, ...question }: ModelQuestion): ModelQuestion | null {
  if (temperature !== undefined) return question;
  return question.schema === null ? null : { ...question, schema: null };
}

async function call(
  model: LanguageModel,
  { system, user, schema, temperature, maxTokens }: ModelQuestion,
  abortSignal: AbortSignal,
): Promise<ModelAnswer> {
  const { generateText, jsonSchema, NoObjectGeneratedError, Output } = await import('ai');
  globalThis.AI_SDK_LOG_WARNINGS = false;
  const common = {
    model,
    system,
    prompt: user,
    abortSignal,
    // Temporal does the waiting, which survives this process.
    maxRetries: 0,
    ...defined({ temperature, maxOutputTokens: maxTokens }),
  };
  try {
    const result = await generateText(
      schema === null ? common : { ...common, output: Output.object({ schema: jsonSchema(schema), name: 'judgment' }) },
    );
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
  const wrong: string[] = [];
  const countOf = (name: string, count: number | undefined): number | null => {
    if (count === undefined || isCount(count)) return count ?? null;
    wrong.push(`usage.${name}: expected a whole number from 0 to 2^53-1, got ${String(count)}`);
    return null;
  };
  return {
    text,
    modelUsed: typeof named === 'string' ? named : null,
    finishReason,
    usage: {
      input: countOf('input', usage?.inputTokenDetails.noCacheTokens ?? usage?.inputTokens),
      output: countOf('output', usage?.outputTokenDetails.textTokens ?? usage?.outputTokens),
      reasoning: countOf('reasoning', usage?.outputTokenDetails.reasoningTokens),
      cache_read: countOf('cache_read', usage?.inputTokenDetails.cacheReadTokens),
      cache_write: countOf('cache_write', usage?.inputTokenDetails.cacheWriteTokens),
    },
    wrong,
  };
}

/** A request of an agent: the conversation so far, and the tools that the model may call. */
export interface AgentQuestion {
  system: string;
  messages: ModelMessage[];
  tools: Readonly<Record<string, { description: string; inputSchema: Record<string, unknown> }>>;
  timeoutMs: number;
  /** The effort of the model's reasoning, in the words of its provider. Absent: what the provider chooses. */
  effort?: string | undefined;
}

/** The same in the options of all providers, each of which reads its own. */
const optionsOf = (effort: string) => ({
  anthropic: { effort },
  openai: { reasoningEffort: effort },
  google: { thinkingConfig: { thinkingLevel: effort } },
  openaiCompatible: { reasoningEffort: effort },
});

export interface AgentAnswer extends ModelAnswer {
  reasoning: string;
  /** The calls that the model asks for. `problem`: why one cannot be performed; `messages` contains that already. */
  calls: { id: string; name: string; input: Json; problem: string | null }[];
  /** The messages that the answer adds to the conversation. */
  messages: ModelMessage[];
}

/**
 * Asks a model once for the next step of an agent; performs nothing.
 * @throws ModelFailed, or the signal's reason if it aborts
 */
export async function callWithTools(
  model: LanguageModel,
  { system, messages, tools, timeoutMs, effort }: AgentQuestion,
  signal: AbortSignal,
): Promise<AgentAnswer> {
  const { generateText, jsonSchema, tool } = await import('ai');
  globalThis.AI_SDK_LOG_WARNINGS = false;
  const timeout = AbortSignal.timeout(timeoutMs);
  const given = Object.entries(tools).map(([name, { description, inputSchema }]) => [
    name,
    tool({ description, inputSchema: jsonSchema(inputSchema) }),
  ]);
  try {
    const result = await generateText({
      model,
      system,
      messages,
      tools: Object.fromEntries(given) as Parameters<typeof generateText>[0]['tools'] & object,
      ...(effort === undefined ? {} : { providerOptions: optionsOf(effort) }),
      abortSignal: AbortSignal.any([signal, timeout]),
      // Temporal does the waiting, which survives this process.
      maxRetries: 0,
    });
    return {
      ...answerOf(result.text, result.response, result.finishReason, result.usage),
      reasoning: result.reasoningText ?? '',
      calls: result.toolCalls.map((call) => ({
        id: call.toolCallId,
        name: call.toolName,
        input: call.input as Json,
        problem: call.invalid === true ? problemOf(call.error) : null,
      })),
      messages: result.response.messages,
    };
  } catch (error) {
    signal.throwIfAborted();
    if (timeout.aborted) throw new ModelFailed('timeout', `gave no answer within ${timeoutMs / 1000} s`);
    throw explainModelError(error);
  }
}

const problemOf = (error: unknown): string => (error instanceof Error ? error.message : 'it cannot be performed');

export interface TextAnswer {
  text: string;
  usage: LanguageModelUsage;
}

/** Asks a model for text. The library repeats a call that fails for a reason that may pass. */
export async function generateAnswer(
  model: LanguageModel,
  { system, prompt, temperature }: { system?: string | undefined; prompt: string; temperature?: number | undefined },
): Promise<TextAnswer> {
  const { generateText } = await import('ai');
  globalThis.AI_SDK_LOG_WARNINGS = false;
  // No temperature unless one is asked for: several models reject it.
  const { text, usage } = await generateText({
    model,
    prompt,
    ...(system === undefined || system === '' ? {} : { system }),
    ...defined({ temperature }),
  });
  return { text, usage };
}
