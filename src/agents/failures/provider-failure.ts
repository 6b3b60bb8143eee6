import { assertNever } from '../../lib/assert-never.js';
import { beginningOf } from '../../lib/format/truncate.js';
import type { AgentEnd, Classified } from '../agent.js';
import { ACCOUNT_WORDS, PROVIDER_MESSAGES, type FailureKind } from './provider-messages.js';
import { resetTime } from './reset-time.js';
import { meaningfulLines } from './stderr-noise.js';
import { isBusyStatus } from '../streams/stream-events.js';

const MESSAGE_LENGTH = 300;
const ACCOUNT_STATUSES = new Set([401, 402, 403]);

const WHY: Record<FailureKind, string> = {
  auth: 'its key was refused',
  account: 'the account has no credit or no access',
  limit: "the account's limit is reached",
  busy: 'its provider was busy or unavailable',
  policy: "its provider's policy blocked the request",
  refused: 'its provider refused the request',
  context: "the conversation exceeded the model's context window",
};

/** What an agent reported about its failure: its last error, else its stderr. */
const reportOf = ({ error, stderr }: Reported): string =>
  error?.message ?? meaningfulLines(stderr).join('\n');

type Reported = Pick<AgentEnd, 'error' | 'stderr'>;

/** Returns what a failure is about, according to the agent's report. Null if it does not mention a provider. */
export function failureKind(end: Reported): FailureKind | null {
  const text = reportOf(end);
  const status = end.error?.status ?? statusIn(text);
  const kind = PROVIDER_MESSAGES.find(({ pattern }) => pattern.test(text))?.kind ?? byStatus(status);
  // with these words in the report, a verdict on the tool under test would be a guess
  const undecided = kind === null || kind === 'context';
  return undecided && (ACCOUNT_WORDS.test(text) || ACCOUNT_STATUSES.has(status)) ? 'account' : kind;
}

function byStatus(status: number): FailureKind | null {
  if (status === 401 || status === 403) return 'auth';
  if (status === 402) return 'account';
  if (isBusyStatus(status)) return 'busy';
  return status >= 400 ? 'refused' : null;
}

/**
 * Classifies an end that the model's provider caused; null if nothing says so. Such an end says nothing about the tool
 * under test, except if the agent filled the model's context, which is its own fault.
 */
export function providerFailure(end: Reported & Pick<AgentEnd, 'at'>): Classified | null {
  const kind = failureKind(end);
  if (kind === null) return null;
  const text = reportOf(end);
  const message = `${WHY[kind]}${kind === 'auth' ? askedAt(text) : ''}: ${lineOf(text)}`;
  switch (kind) {
    case 'context':
      return { ending: 'gave_up', message, again: null };
    case 'auth':
    case 'policy':
    case 'refused':
      return { ending: 'unable', message, again: null };
    case 'account': {
      // some providers report limits per minute in the same words, and when to send the next request
      const soon = resetTime(text, end.at);
      return { ending: 'unable', message, again: soon === null ? null : { why: 'busy', at: soon } };
    }
    case 'limit':
    case 'busy':
      return { ending: 'unable', message, again: { why: kind, at: resetTime(text, end.at) } };
    default:
      return assertNever(kind);
  }
}

/** Returns the line that says what the failure is about, else the last line. */
function lineOf(text: string): string {
  const lines = text.trim().split('\n');
  const telling =
    lines.findLast((line) => PROVIDER_MESSAGES.some(({ pattern }) => pattern.test(line))) ??
    lines.findLast((line) => ACCOUNT_WORDS.test(line));
  return beginningOf((telling ?? lines.at(-1) ?? '').trim(), MESSAGE_LENGTH);
}

/**
 * Names the host that rejected the key, because a wrong address is a common cause. The whole address may be the value
 * of a variable, which would be redacted.
 */
function askedAt(text: string): string {
  const host = /\burl: https?:\/\/([^\s/,)]+)/.exec(text)?.[1];
  return host === undefined ? '' : ` by ${host}`;
}

/** Returns the HTTP status in a message like "unexpected status 401" or "API Error: 529"; 0 if there is none. */
const statusIn = (text: string): number =>
  Number(/(?:status|code|error|http)\W{0,3}([45]\d\d)\b/i.exec(text)?.[1] ?? 0);
