import { beginningOf } from '#lib';

/** Characters that are quoted of a server's message, which may be a whole page; the remedy follows it. */
const QUOTED = 160;
const SHOWN = 40;

/**
 * `refused`: another try would be refused too (a bad key, an unknown model). `rate_limited`, `unavailable`, `timeout`:
 * another try may succeed. `unreadable`: the answer is none of the API, for example a page: perhaps an outage, but more
 * likely the wrong address.
 */
export type ModelFailureKind = 'refused' | 'rate_limited' | 'unavailable' | 'timeout' | 'unreadable';

/** The failure of a model to answer. The message may quote the server, so it must be redacted. */
export class ModelFailed extends Error {
  constructor(
    readonly kind: ModelFailureKind,
    message: string,
    readonly status: number | null = null,
    /** The time that the server asks us to wait, in ms. */
    readonly retryAfterMs: number | null = null,
  ) {
    super(message);
  }
}

/** The fields of the AI SDK's errors that are read here. Its error classes are not worth loading for this. */
interface CallError {
  name?: string;
  message: string;
  cause?: unknown;
  statusCode?: number | undefined;
  responseHeaders?: Record<string, string> | undefined;
  responseBody?: string | undefined;
}

/** Converts an error of the AI SDK. */
export function explainModelError(error: unknown, now = Date.now()): ModelFailed {
  if (error instanceof ModelFailed) return error;
  const { message, statusCode, responseHeaders, responseBody } = error as CallError;
  const unreadable = unreadableAnswer(error as CallError);
  if (unreadable !== null) return new ModelFailed('unreadable', unreadable, statusCode ?? null);
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
      // Also reached by a status of 200 whose body breaks off.
      return statusCode >= 500 || statusCode < 400
        ? failed('unavailable', description)
        : failed('refused', `${description}; this model does not accept the request`);
  }
}

/** Errors of the library about an answer that has another form than those of the API. */
const MALFORMED = new Set([
  ...['AI_TypeValidationError', 'AI_JSONParseError', 'AI_InvalidResponseDataError', 'AI_EmptyResponseBodyError'],
  // It reads a field that is not there.
  'TypeError',
]);
/** The words of Node for a connection that ends too early, also in a TypeError. */
const BROKEN_OFF = /fetch failed|terminated/;

/** Says what is wrong with an answer that is none of the API; null if that is not the problem. */
function unreadableAnswer(error: CallError): string | null {
  const { name = '', message, cause, statusCode, responseHeaders, responseBody } = error;
  if (statusCode !== undefined && statusCode >= 400) return null;
  const inner = cause as CallError | undefined;
  const type = (responseHeaders?.['content-type'] ?? '').split(';', 1)[0]?.trim() ?? '';
  const isMalformed = [
    { name, message },
    { name: inner?.name ?? '', message: inner?.message ?? '' },
  ].some((one) => MALFORMED.has(one.name) && !BROKEN_OFF.test(one.message));
  if (!isMalformed) return null;
  const isJson = inner?.name !== 'AI_JSONParseError' && /^$|\bjson\b/.test(type);
  if (!isJson) return `answered with ${bodyOf(type, responseBody ?? '')}, not JSON; check base_url`;
  const flaw = flawIn(inner) ?? flawIn({ cause }) ?? beginningOf(inner?.message ?? message, QUOTED);
  return `answered with JSON that is no answer of its API (${flaw}); check base_url`;
}

function bodyOf(type: string, body: string): string {
  if (type !== '' && !/\bjson\b/.test(type)) return beginningOf(type, QUOTED);
  return body.trim() === '' ? 'nothing' : JSON.stringify(beginningOf(body.trim(), SHOWN));
}

/** The first field that is wrong, according to the schema of the API. */
function flawIn(error: { cause?: unknown } | undefined): string | null {
  const issue = (error?.cause as { issues?: { path?: unknown[]; message?: string }[] } | undefined)?.issues?.[0];
  return issue === undefined
    ? null
    : beginningOf([(issue.path ?? []).map(String).join('.'), issue.message ?? ''].filter(Boolean).join(': '), QUOTED);
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
