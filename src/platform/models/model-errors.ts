import { beginningOf } from '../../lib/format/truncate.js';

/** What a server says may hold a whole page; what to do about it comes after it. */
const QUOTED = 160;

/**
 * `refused`: it will be refused again (a bad key, an unknown model). `rate_limited`, `unavailable`, `timeout`: another
 * time it may work.
 */
export type ModelFailureKind = 'refused' | 'rate_limited' | 'unavailable' | 'timeout';

/** Why a model gave no answer. The message may quote the server: it is to be redacted. */
export class ModelFailed extends Error {
  constructor(
    readonly kind: ModelFailureKind,
    message: string,
    readonly status: number | null = null,
    /** How long the server wants us to wait, in ms. */
    readonly retryAfterMs: number | null = null,
  ) {
    super(message);
  }
}

/** What an error of the AI SDK has, as far as it is read here: its classes are not loaded for it. */
interface CallError {
  message: string;
  statusCode?: number | undefined;
  responseHeaders?: Record<string, string> | undefined;
  responseBody?: string | undefined;
}

/** Puts an error of the AI SDK into our words. */
export function explainModelError(error: unknown, now = Date.now()): ModelFailed {
  if (error instanceof ModelFailed) return error;
  const { message, statusCode, responseHeaders, responseBody } = error as CallError;
  if (statusCode === undefined) return new ModelFailed('unavailable', beginningOf(message, QUOTED));
  const description = `HTTP ${statusCode}: ${beginningOf(message, QUOTED)}`;
  const failed = (kind: ModelFailureKind, text: string): ModelFailed =>
    new ModelFailed(kind, text, statusCode, retryAfter(responseHeaders, now));
  switch (statusCode) {
    case 401:
    case 403:
      return failed('refused', `${description}; check the key and whether it has access to this model`);
    case 402:
      return failed('refused', `${description}; the account is out of credit`);
    case 404:
      return failed('refused', `${description}; check the name of the model and the address of the provider`);
    case 429:
      // Named so by OpenAI and those who copy it: waiting brings no credit.
      return responseBody?.includes('insufficient_quota') === true
        ? failed('refused', `${description}; the account is out of credit`)
        : failed('rate_limited', description);
    case 408:
    case 409:
      return failed('unavailable', description);
    default:
      // An answer of 200 that is no answer of such a server comes here too.
      return statusCode >= 500 || statusCode < 400
        ? failed('unavailable', description)
        : failed('refused', `${description}; this model does not accept the request`);
  }
}

/** Retry-After in ms: seconds or a date (RFC 9110, 10.2.3), or the milliseconds that some providers send. */
export function retryAfter(headers: Record<string, string> | undefined, now: number): number | null {
  const ms = Number(headers?.['retry-after-ms'] ?? NaN);
  if (ms >= 0) return ms;
  const text = headers?.['retry-after']?.trim();
  if (text === undefined || text === '') return null;
  const secs = Number(text);
  if (!Number.isNaN(secs)) return secs >= 0 ? secs * 1000 : null;
  const date = Date.parse(text);
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}
