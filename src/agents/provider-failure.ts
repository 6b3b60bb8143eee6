import { beginningOf } from '../lib/cut.js';
import type { AgentEnd, Classified } from './agent.js';
import { resetTime } from './reset-time.js';
import { isBusyStatus } from './stream-events.js';

type Kind = 'key' | 'quota' | 'limit' | 'busy' | 'refused' | 'context';

/** What providers say, in the words that agents pass on. The first that fits counts. */
const SAID: readonly { kind: Kind; text: RegExp }[] = [
  { kind: 'context', text: /context.{0,20}(length|window)|prompt is too long|maximum context/i },
  {
    kind: 'limit',
    text: /usage.?limit|session limit|weekly limit|spend limit|(?<!rate )limit reached|(hit|reached) your (\w+ )?limit|out of (extra )?usage/i,
  },
  {
    kind: 'quota',
    text: /credit balance|insufficient.?(quota|credit|funds)|billing|exceeded your current quota/i,
  },
  {
    kind: 'key',
    text: /invalid.{0,20}(api.?)?key|(un)?authenti?cat|unauthorized|not logged in|login required|\/login/i,
  },
  { kind: 'busy', text: /rate.?limit|too many requests|overloaded|high demand|unavailable|server error/i },
  {
    kind: 'busy',
    text: /ECONNRE(FUSED|SET)|ETIMEDOUT|EAI_AGAIN|ENOTFOUND|socket hang up|stream (disconnected|error)/i,
  },
  {
    kind: 'busy',
    text: /connection (error|refused|reset)|(network|fetch|request) (error|failed|timed out)/i,
  },
];

function byStatus(status: number): Kind | null {
  if (status === 401 || status === 403) return 'key';
  if (status === 402) return 'quota';
  if (isBusyStatus(status)) return 'busy';
  return status >= 400 ? 'refused' : null;
}

const WHY: Record<Kind, string> = {
  key: 'its key was refused',
  quota: 'the account has no credit',
  limit: "the account's limit is reached",
  busy: 'its provider did not serve it',
  refused: 'its provider refused the request',
  context: 'the conversation outgrew the model',
};

/**
 * An end that the provider of the model brought about; null where nothing says so. Nothing is known then of the tool
 * under test, except where the agent filled the model's context: that is its own doing.
 */
export function providerFailure({ error, stderr, at }: AgentEnd): Classified | null {
  const text = error?.message ?? stderr;
  const kind = SAID.find((said) => said.text.test(text))?.kind ?? byStatus(error?.status ?? statusIn(text));
  if (kind === null) return null;
  const message = `${WHY[kind]}: ${beginningOf(text.trim().split('\n').at(-1) ?? '', 300)}`;
  switch (kind) {
    case 'context':
      return { ending: 'gave_up', message, again: null };
    case 'key':
    case 'refused':
      return { ending: 'unable', message, again: null };
    case 'quota': {
      // Some say so of the requests of a minute, too, and when the next may come.
      const soon = resetTime(text, at);
      return { ending: 'unable', message, again: soon === null ? null : { why: 'busy', at: soon } };
    }
    case 'limit':
    case 'busy':
      return { ending: 'unable', message, again: { why: kind, at: resetTime(text, at) } };
  }
}

/** An HTTP status in a message, like "unexpected status 401" or "API Error: 529"; 0 where there is none. */
const statusIn = (text: string): number =>
  Number(/(?:status|code|error|http)\W{0,3}([45]\d\d)\b/i.exec(text)?.[1] ?? 0);
