import { assertNever, beginningOf } from '#lib';
import type { AgentEnd, Classified, RetryHint } from '../agent.js';
import { CAUSES, type FailureKind } from './causes.js';
import { ACCOUNT_WORDS, OF_OTHERS, PROVIDER_MESSAGES } from './provider-messages.js';
import { resetTime } from './reset-time.js';
import { meaningfulLines } from './stderr-noise.js';
import { isBusyStatus } from '../streams/stream-events.js';

const MESSAGE_LENGTH = 300;
const ACCOUNT_STATUSES = new Set([401, 402, 403]);
/** A request that is repeated for longer than this waits for a limit rather than for a busy provider. */
const SOON_MS = 5 * 60_000;
/** Words for these are vague ("request failed"), so a status that says more counts more. */
const VAGUE: ReadonlySet<FailureKind> = new Set(['busy', 'network', 'page']);

/** The agent's report about its failure: its last error, else its stderr. */
const reportOf = ({ error, stderr }: Reported): string => error?.message ?? meaningfulLines(stderr).join('\n');

/** The report without what is not about the provider, or only seems to be: a page has words of all kinds. */
const aboutProvider = (end: Reported): string =>
  withoutPages(reportOf(end))
    .split('\n')
    .filter((line) => !OF_OTHERS.test(line))
    .join('\n');

type Reported = Pick<AgentEnd, 'error' | 'stderr'>;

/** Returns what a failure is about, according to the agent's report. Null if it does not mention a provider. */
export function failureKind(end: Reported): FailureKind | null {
  const kind = statedKind(end);
  const text = aboutProvider(end);
  // With these words in the report, a verdict on the tool under test would be a guess.
  const undecided = kind === null || kind === 'context' || kind === 'length';
  return undecided && (ACCOUNT_WORDS.test(text) || ACCOUNT_STATUSES.has(statusOf(end))) ? 'account' : kind;
}

/** As `failureKind`, but only if the words or the status say so clearly. */
export function statedKind(end: Reported): FailureKind | null {
  const text = aboutProvider(end);
  const byWords = PROVIDER_MESSAGES.find(({ pattern }) => pattern.test(text))?.kind ?? null;
  const byStatus = kindOfStatus(statusOf(end));
  if (byWords !== null && !(VAGUE.has(byWords) && byStatus !== null && byStatus !== 'busy')) return byWords;
  if (byStatus !== null || byWords !== null) return byStatus ?? byWords;
  if (hasPage(reportOf(end))) return 'page';
  // The agent may know that the request can succeed later without saying why.
  return end.error?.retryable === true && text !== '' ? 'busy' : null;
}

/** True if a model has refused a request because the conversation is too long for it. */
export const isContextFailure = (message: string): boolean =>
  statedKind({ error: { type: 'error', message, retryable: false }, stderr: '' }) === 'context';

const statusOf = (end: Reported): number => end.error?.status ?? statusIn(aboutProvider(end));

function kindOfStatus(status: number): FailureKind | null {
  if (status === 401 || status === 403) return 'auth';
  if (status === 402) return 'account';
  if (isBusyStatus(status)) return 'busy';
  return status >= 400 ? 'refused' : null;
}

/**
 * Classifies an end that the model's provider caused; null if nothing says so. Such an end says nothing about the tool
 * under test, except if the agent filled the model's context, which is its own fault.
 */
export function providerFailure(end: Reported & Pick<AgentEnd, 'at'>, kind = failureKind(end)): Classified | null {
  if (kind === null) return null;
  const text = reportOf(end);
  const { why, ending } = CAUSES[kind];
  const message = `${why}${kind === 'auth' ? rejectingHost(text) : ''}: ${lineOf(text)}`;
  return { ending, message, again: retryOf(kind, resetTime(withoutPages(text), end.at), end.at) };
}

/** `at`: when the provider serves the account again, if it says so. */
function retryOf(kind: FailureKind, at: number | null, now: number): RetryHint | null {
  const { retry } = CAUSES[kind];
  switch (retry) {
    case 'never':
      return null;
    case 'if dated':
      // Some providers report limits per minute in the same words.
      return at === null ? null : { why: at - now > SOON_MS ? 'limit' : 'busy', at };
    case 'limit':
    case 'busy':
      return { why: retry, at, ...(kind === 'page' ? { isMisled: true as const } : {}) };
    default:
      return assertNever(retry);
  }
}

/** Returns the line that says what the failure is about, else the last line. */
function lineOf(text: string): string {
  const lines = pagesNamed(text).trim().split('\n');
  const telling =
    lines.findLast((line) => PROVIDER_MESSAGES.some(({ pattern }) => pattern.test(line))) ??
    lines.findLast((line) => ACCOUNT_WORDS.test(line));
  return beginningOf((telling ?? lines.at(-1) ?? '').trim(), MESSAGE_LENGTH);
}

/**
 * Names the host that rejected the key, because a wrong address is a common cause. The whole address may be the value
 * of a variable, which would be redacted.
 */
function rejectingHost(text: string): string {
  const host = /\burl: https?:\/\/([^\s/,)]+)/.exec(text)?.[1];
  return host === undefined ? '' : ` by ${host}`;
}

/** Returns the HTTP status in a message like "unexpected status 401" or "API Error: 529"; 0 if there is none. */
const statusIn = (text: string): number =>
  Number(/(?:status|code|error|http)\W{0,3}([45]\d\d)\b/i.exec(text)?.[1] ?? 0);

/** A page in HTML, to its end or to the end of the text. */
const PAGE = /<(?:!doctype html|html)\b[^]*?(?:<\/html>|$)/gi;

/** True if a page in HTML is in the text: a proxy, or the login page of a network, has answered a request to an API. */
const hasPage = (text: string): boolean => text.search(PAGE) !== -1;

/** Returns the text without pages. */
const withoutPages = (text: string): string => text.replace(PAGE, '');

/** Returns the text with only the title of each page in its place. */
const pagesNamed = (text: string): string =>
  text.replace(PAGE, (page) => {
    const title = /<title[^>]*>([^<]*)/i.exec(page)?.[1]?.replace(/\s+/g, ' ').trim();
    return title === undefined || title === '' ? '(a page in HTML)' : `(a page in HTML: "${title}")`;
  });
