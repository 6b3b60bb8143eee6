import { generateAnswer, explainModelError, knownProviders, type ModelProvider } from '#host';
import { defined, isMap, messageOf } from '#lib';
import type { HostModel } from './hosted.js';
import { emit } from './events.js';

/** Asks the model of the cell. */
export type AskModel = (question: { system?: string | undefined; prompt: string }) => Promise<string>;

const KEY = 'KEY';

type ConnectedModel = ReturnType<ModelProvider['connect']>;

/** Connects the model of the cell, for a character. Each answer is recorded with its tokens. */
export function connectModel(model: HostModel, key: string, character: object): AskModel {
  const temperature = temperatureOf(character);
  let connected: ConnectedModel | null = null;
  return async (question) => {
    connected ??= connect(model, key);
    const { text, usage } = await generateAnswer(await connected, { ...question, temperature });
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

/** The temperature of a character's model; undefined if it sets none. */
export function temperatureOf(character: object): number | undefined {
  const { llm } = character as { llm?: unknown };
  const temperature = isMap(llm) ? llm['temperature'] : undefined;
  return typeof temperature === 'number' ? temperature : undefined;
}

function connect({ provider, model, baseUrl, configured }: HostModel, key: string): ConnectedModel {
  const settings = { base_url: baseUrl ?? '', api_key: `\${${KEY}}`, free: false };
  const known = knownProviders(configured ? { [provider]: settings } : {}).get(provider);
  if (known === undefined) throw new Error(`unknown provider ${provider}`);
  const [keyOf, addressOf] = configured ? [KEY, undefined] : [known.needs[0]?.[0], known.addresses[0]];
  return known.connect(model, {
    ...(keyOf === undefined ? {} : { [keyOf]: key }),
    ...(addressOf === undefined || baseUrl === null ? {} : { [addressOf]: baseUrl }),
  });
}

/**
 * Records that a model gave no answer. Returns what to report if the agent gives none either. `unset`: settings without
 * a value, which may be the reason.
 */
export function emitModelError(
  what: string,
  error: unknown,
  unset: readonly string[] = [],
): { message: string; status?: number } {
  const cause = (error as { lastError?: unknown }).lastError ?? error;
  const { message, status } = explainModelError(cause instanceof Error ? cause : new Error(messageOf(cause)));
  const address = addressIn(error);
  const notes = [
    ...(unset.length === 0 ? [] : [`not set: ${unset.join(', ')}`]),
    ...(address === null ? [] : [`url: ${address}`]),
  ];
  // They come first, because a long message is cut.
  const place = notes.length === 0 ? what : `${what} (${notes.join('; ')})`;
  const failed = { message: `${place}: ${message}`, ...defined({ status }) };
  emit({ type: 'error', retryable: false, ...failed });
  return failed;
}

/**
 * The address that a failed request was sent to, without what could be secret in it; null if the error does not name
 * it.
 */
function addressIn(error: unknown): string | null {
  if (typeof error !== 'object' || error === null) return null;
  const { url, lastError, cause, code, address, port } = error as Record<string, unknown>;
  if (typeof url === 'string' && URL.canParse(url)) {
    const { origin, pathname } = new URL(url);
    return `${origin}${pathname}`;
  }
  if (typeof code === 'string' && typeof address === 'string' && typeof port === 'number')
    return `${address}:${port}, ${code}`;
  return addressIn(lastError) ?? addressIn(cause);
}
