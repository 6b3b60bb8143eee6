import { askForText } from '../platform/models/ask-for-text.js';
import { knownProviders, type ModelProvider } from '../platform/models/model-providers.js';
import { explainModelError } from '../platform/models/model-errors.js';
import type { HostModel } from '../agents/hosted.js';
import { emit, messageOf } from './events.js';

/** Asks the model of the cell. */
export type AskModel = (question: { system?: string | undefined; prompt: string }) => Promise<string>;

const KEY = 'KEY';

type Connected = ReturnType<ModelProvider['connect']>;

/** Connects the model of the cell. Each answer is recorded with its tokens. */
export function connectModel(model: HostModel, key: string): AskModel {
  let connected: Connected | null = null;
  return async (question) => {
    connected ??= connect(model, key);
    const { text, usage } = await askForText(await connected, question);
    emit({
      type: 'usage',
      input: usage.inputTokenDetails.noCacheTokens ?? usage.inputTokens ?? null,
      output: usage.outputTokenDetails.textTokens ?? usage.outputTokens ?? null,
      reasoning: usage.outputTokenDetails.reasoningTokens ?? null,
      cache_read: usage.inputTokenDetails.cacheReadTokens ?? null,
      cache_write: usage.inputTokenDetails.cacheWriteTokens ?? null,
      cost_usd: null,
    });
    return text;
  };
}

function connect({ provider, model, baseUrl, configured }: HostModel, key: string): Connected {
  const settings = { base_url: baseUrl ?? '', api_key: `\${${KEY}}`, free: false };
  const known = knownProviders(configured ? { [provider]: settings } : {}).get(provider);
  if (known === undefined) throw new Error(`unknown provider ${provider}`);
  const [keyOf, addressOf] = configured ? [KEY, undefined] : [known.needs[0]?.[0], known.addresses[0]];
  return known.connect(model, {
    ...(keyOf === undefined ? {} : { [keyOf]: key }),
    ...(addressOf === undefined || baseUrl === null ? {} : { [addressOf]: baseUrl }),
  });
}

/** Records that a model gave no answer. Returns what to report if the agent gives none either. */
export function emitModelError(what: string, error: unknown): { message: string; status?: number } {
  const cause = (error as { lastError?: unknown }).lastError ?? error;
  const { message, status } = explainModelError(cause instanceof Error ? cause : new Error(messageOf(cause)));
  const failed = { message: `${what}: ${message}`, ...(status === null ? {} : { status }) };
  emit({ type: 'error', retryable: false, ...failed });
  return failed;
}
