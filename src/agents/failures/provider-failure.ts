import { assertNever } from '../../lib/assert-never.js';
import { beginningOf } from '../../lib/format/truncate.js';
import type { AgentEnd, Classified } from '../agent.js';
import { ACCOUNT_LIKE, PROVIDER_MESSAGES, type FailureKind } from './provider-messages.js';
import { resetTime } from './reset-time.js';
import { meaningfulLines } from './stderr-noise.js';
import { isBusyStatus } from '../streams/stream-events.js';

const MESSAGE_LENGTH = 300;
const ACCOUNT_STATUSES = new Set([401, 402, 403]);

const WHY: Record<FailureKind, string> = {
  auth: 'its key was refused',
  account: 'the account has no credit or no access',
  limit: "the account's limit is reached",
  busy: 'its provider did not serve it',
  policy: "its provider's policy blocked the request",
  refused: 'its provider refused the request',
  context: 'the conversation outgrew the model',
};

/** What an agent reports of its failure: its last error, else what it printed to stderr. */
const reportOf = ({ error, stderr }: Reported): string =>
  error?.message ?? meaningfulLines(stderr).join('\n');

type Reported = Pick<AgentEnd, 'error' | 'stderr'>;

/** What a failure is about, as far as the agent's report tells; null where it does not speak of a provider. */
export function failureKind(end: Reported): FailureKind | null {
  const text = reportOf(end);
  const status = end.error?.status ?? statusIn(text);
  const kind = PROVIDER_MESSAGES.find(({ pattern }) => pattern.test(text))?.kind ?? byStatus(status);
  // Where these words are, a verdict on the tool under test would be a guess.
  const undecided = kind === null || kind === 'context';
  return undecided && (ACCOUNT_LIKE.test(text) || ACCOUNT_STATUSES.has(status)) ? 'account' : kind;
}

function byStatus(status: number): FailureKind | null {
  if (status === 401 || status === 403) return 'auth';
  if (status === 402) return 'account';
  if (isBusyStatus(status)) return 'busy';
  return status >= 400 ? 'refused' : null;
}

/**
 * An end that the provider of the model brought about; null where nothing says so. Nothing is known then of the tool
 * under test, except where the agent filled the model's context: that is its own doing.
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
      // Some say so of the requests of a minute, too, and when the next may come.
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

/** The line that says what the failure is about, else the last one. */
function lineOf(text: string): string {
  const lines = text.trim().split('\n');
  const telling =
    lines.findLast((line) => PROVIDER_MESSAGES.some(({ pattern }) => pattern.test(line))) ??
    lines.findLast((line) => ACCOUNT_LIKE.test(line));
  return beginningOf((telling ?? lines.at(-1) ?? '').trim(), MESSAGE_LENGTH);
}

/**
 * Who refused the key, by host: a wrong address is a usual cause, and as a whole it may be a handed-over value, which is
 * redacted.
 */
function askedAt(text: string): string {
  const host = /\burl: https?:\/\/([^\s/,)]+)/.exec(text)?.[1];
  return host === undefined ? '' : ` by ${host}`;
}

/** An HTTP status in a message, like "unexpected status 401" or "API Error: 529"; 0 where there is none. */
const statusIn = (text: string): number =>
  Number(/(?:status|code|error|http)\W{0,3}([45]\d\d)\b/i.exec(text)?.[1] ?? 0);
