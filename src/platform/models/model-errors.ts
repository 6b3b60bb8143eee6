import { beginningOf } from '../../lib/format/truncate.js';

/** Characters that are quoted of a server's message, which may be a whole page; the remedy follows it. */
const QUOTED = 160;

/**
 * `refused`: another try would be refused too (a bad key, an unknown model). `rate_limited`, `unavailable`, `timeout`:
 * another try may succeed.
 */
export type ModelFailureKind = 'refused' | 'rate_limited' | 'unavailable' | 'timeout';

/** Why a model gave no answer. The message may quote the server, so it must be redacted. */
export class ModelFailed extends Error {
  constructor(
    readonly kind: ModelFailureKind,
    message: string,
    readonly status: number | null = null,
    /** How long the server asks us to wait, in ms. */
    readonly retryAfterMs: number | null = null,
  ) {
    super(message);
  }
}

/** The fields of the AI SDK's errors that are read here. Its error classes are not worth loading for this. */
interface CallError {
  message: string;
  statusCode?: number | undefined;
  responseHeaders?: Record<string, string> | undefined;
  responseBody?: string | undefined;
}

/** Converts an error of the AI SDK. */
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
      // OpenAI and services that imitate it report this if the account has no credit. Waiting does not help.
      return responseBody?.includes('insufficient_quota') === true
        ? failed('refused', `${description}; the account is out of credit`)
        : failed('rate_limited', description);
    case 408:
    case 409:
      return failed('unavailable', description);
    default:
      // Also reached by a status of 200 whose body is not a valid answer.
      return statusCode >= 500 || statusCode < 400
        ? failed('unavailable', description)
        : failed('refused', `${description}; this model does not accept the request`);
  }
}

/** Returns Retry-After in ms: seconds or a date (RFC 9110, 10.2.3), or the milliseconds that some providers send. */
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
