import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AgentEnd } from '../../../src/agents/agent.js';
import { classifyByResult } from '../../../src/agents/failures/classify.js';
import { knownAgents } from '../../../src/agents/known-agents.js';
import { failureKind, providerFailure } from '../../../src/agents/failures/provider-failure.js';
import { PROVIDER_MESSAGES } from '../../../src/agents/failures/provider-messages.js';
import { decideOutcome } from '../../../src/model/verdict.js';

const AT = Date.parse('2026-11-22T05:30:00Z');
const failure = (message: string, status?: number, stderr = ''): ReturnType<typeof providerFailure> => {
  const error: AgentEnd['error'] = {
    type: 'error',
    message,
    retryable: false,
    ...(status === undefined ? {} : { status }),
  };
  return providerFailure({ at: AT, error: message === '' ? null : error, stderr });
};
const errorWith = (message: string): AgentEnd['error'] => ({ type: 'error', message, retryable: false });
const ending = (changes: Partial<AgentEnd>): AgentEnd => ({
  exitCode: 1,
  stopped: null,
  at: AT,
  result: null,
  error: null,
  stderr: '',
  ...changes,
});

describe("the table of providers' messages", () => {
  it.each(PROVIDER_MESSAGES)('$kind: $example', (row) => {
    const { kind, example, source } = row;
    expect(source).not.toBe('');
    expect(PROVIDER_MESSAGES.find(({ pattern }) => pattern.test(example))).toBe(row);
    expect(failureKind({ error: errorWith(example), stderr: '' })).toBe(kind);
    expect(failureKind({ error: null, stderr: `some log\n${example}\n` })).toBe(kind);
  });
});

/** Messages of agents, each with its kind. They come from the same sources as the table. */
const MESSAGES: readonly [kind: string, message: string][] = [
  ['account', 'To use Codex with your ChatGPT plan, upgrade to Plus: https://chatgpt.com/explore/plus.'],
  ['account', '{"error":{"type":"usage_not_included","plan_type":"free"}}'],
  ['account', 'Your workspace is out of credits. Add credits to continue.'],
  ['account', 'Your workspace is out of credits. Ask your workspace owner to refill in order to continue.'],
  ['account', 'You hit your spend cap set in your workspace. Increase your spend cap to continue.'],
  [
    'account',
    'You hit your spend cap set by the owner of your workspace. Ask an owner to increase your spend cap to continue.',
  ],
  ['account', 'Quota exceeded. Check your plan and billing details.'],
  ...['has expired', 'was already used', 'was revoked'].map((what): [string, string] => [
    'auth',
    `Your access token could not be refreshed because your refresh token ${what}. Please log out and sign in again.`,
  ]),
  ['auth', 'Your access token could not be refreshed. Please log out and sign in again.'],
  [
    'auth',
    'Your access token could not be refreshed because you have since logged out or signed in to another account. Please sign in again.',
  ],
  [
    'auth',
    'unexpected status 401 Unauthorized: Missing bearer or basic authentication in header, url: https://api.openai.com/v1/responses',
  ],
  ['auth', 'Missing environment variable: `OPENAI_API_KEY`.'],
  ['policy', 'This content was flagged for possible cybersecurity risk. If this seems wrong, try rephrasing.'],
  ['policy', '{"type":"invalid_request","code":"cyber_policy","message":"blocked"}'],
  ['policy', 'stream disconnected before completion: Incomplete response returned, reason: content_filter'],
  ['policy', 'the model stopped: content-filter'],
  ['limit', "You've hit your usage limit. Upgrade to Plus to continue using Codex, or try again at 3:04 PM."],
  ['limit', "You've hit your usage limit. Visit https://x.test to purchase more credits or try again later."],
  ['limit', "You've hit your usage limit for GPT-5. Switch to another model now, or try again later."],
  ['account', 'Credit balance is too low'],
  ['auth', 'Invalid API key · Please run /login'],
  ['auth', 'OAuth token has expired · Please run /login'],
  ['auth', 'OAuth token revoked · Please run /login'],
  ['account', 'API Error: 400 This organization has been disabled.'],
  ['account', 'Your organization has disabled Claude subscription access for Claude Code · Use an API key'],
  ['account', 'Your account does not have access to Claude. Please login again or contact your administrator.'],
  ['auth', 'Please run /login · API Error: 403 {"error":{"type":"permission_error","message":"no member"}}'],
  ['account', 'API Error: Usage credits required for 1M context · run /usage-credits to turn them on'],
  ['limit', "You've hit your monthly spend limit."],
  ['limit', "You've hit your session limit · resets 3pm (UTC)"],
  ['busy', 'Server is temporarily limiting requests (not your usage limit)'],
  ['auth', 'API key not valid. Please pass a valid API key.'],
  ['auth', 'Please set an Auth method in your settings.json or specify GEMINI_API_KEY'],
  ['account', 'This account has been suspended for violation of Terms of Service.'],
  ['limit', 'You have exhausted your daily quota on this model.'],
  ['account', '{"error":{"code":"402","message":"Insufficient account balance","type":"insufficient_balance"}}'],
  ['limit', 'Free usage exceeded, subscribe to Go'],
  ['limit', 'You have hit your ChatGPT usage limit (plus plan). Try again in ~42 min.'],
  ['auth', 'No API key found for "openai". Set an API key environment variable.'],
];

describe('a failure that an agent reports', () => {
  it.each(MESSAGES)('is of the kind %s: %s', (kind, message) => {
    expect(failureKind({ error: errorWith(message), stderr: '' })).toBe(kind);
    expect(classifyByResult(ending({ error: errorWith(message) })).ending).toBe('unable');
  });

  it('concerns the account if its status says so, whatever the text', () => {
    for (const status of [401, 402, 403])
      expect(failure('the conversation context window is closed', status)?.ending).toBe('unable');
  });

  it('caused by a policy is not retried: the same request would be blocked again', () => {
    expect(failure('This content was flagged for possible cybersecurity risk.')).toMatchObject({
      ending: 'unable',
      again: null,
    });
    expect(failure('stream disconnected: content_filter')?.again).toBeNull();
  });

  it('has a message with the host that refused the key and the original text', () => {
    const message = 'unexpected status 401 Unauthorized: Incorrect API key, url: http://proxy.test:8080/v1/responses';
    expect(failure(message, 401)?.message).toBe(`its key was refused by proxy.test:8080: ${message}`);
  });

  it('is described by the relevant line of stderr, not by the last one', () => {
    const stderr = 'ApiError: API key not valid.\n    at main (file.js:1:2) {\n  status: 401\n}\nRetrying in a moment';
    expect(failure('', undefined, stderr)?.message).toBe('its key was refused: ApiError: API key not valid.');
  });

  it('counts as the cause of the end, even if the agent was then stopped', () => {
    const error = errorWith('Your workspace is out of credits. Add credits to continue.');
    for (const stopped of ['deadline', 'idle'] as const)
      expect(classifyByResult(ending({ stopped, error, exitCode: 137 })).ending).toBe('unable');
    expect(classifyByResult(ending({ stopped: 'cancel', error })).ending).toBe('cancelled');
    const busy = errorWith('unexpected status 503');
    for (const stopped of ['deadline', 'idle'] as const)
      expect(classifyByResult(ending({ stopped, error: busy }))).toMatchObject({
        ending: 'unable',
        again: { why: 'busy' },
      });
    const refused = errorWith('unexpected status 404');
    expect(classifyByResult(ending({ stopped: 'deadline', error: refused })).ending).toBe('timeout');
  });

  it('is never counted against the target if it may concern the account', () => {
    const accountLike = fc.constantFrom(
      ...['401', '402', '403', 'your plan', 'no credits', 'billing', 'sign in', 'log in', 'logged out'],
      ...['subscription', 'subscribe', 'quota exceeded', 'payment', 'Forbidden', 'upgrade your account'],
    );
    const other = fc.oneof(
      fc.string(),
      fc.constantFrom('context window', 'prompt is too long', 'Error:', 'exit', 'the model stopped: length'),
    );
    const text = fc.tuple(other, accountLike, other).map((parts) => parts.join(' '));
    const agents = [...knownAgents({}).values()].filter(({ free }) => !free);
    const gate = { status: 'fail', message: 'not there', gate_type: 'file_exists', subject: 'a', name: null };
    fc.assert(
      fc.property(
        text,
        fc.constantFrom(...agents),
        fc.record({
          exitCode: fc.constantFrom(0, 1, 41, 101, 137, 143, 145),
          stopped: fc.constantFrom(null, 'deadline' as const, 'idle' as const),
          inStderr: fc.boolean(),
          gaveUp: fc.boolean(),
        }),
        (message, agent, { exitCode, stopped, inStderr, gaveUp }) => {
          const onlyStderr = inStderr && stopped === null;
          const classified = agent.classify(
            ending({
              exitCode,
              stopped,
              error: onlyStderr ? null : errorWith(message),
              stderr: onlyStderr ? `x ${message.replaceAll('\n', ' ')}` : '',
              result: gaveUp ? { type: 'result', ending: 'gave_up', exit_code: null } : null,
            }),
          );
          const { outcome } = decideOutcome({
            rule: 'all_pass',
            needsAgent: true,
            cancelled: false,
            unfit: null,
            agent: { ...classified, completed: false },
            checks: [{ kind: 'gate', step: 'gate 1', result: gate as never, why: null }],
          });
          expect(outcome).toBe('error');
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe('noise on stderr', () => {
  it.each([
    [134, 'Reading additional input from stdin...\n'],
    [
      1,
      "YOLO mode is enabled. All tool calls will be automatically approved.\nThe 'metricReader' option is deprecated. Please use 'metricReaders' instead.\nRipgrep is not available. Falling back to GrepTool.",
    ],
  ])('is not taken as the reason for exit status %i', (exitCode, stderr) => {
    expect(classifyByResult(ending({ exitCode, stderr })).message).toBe(
      `ended without reporting that it had finished; exit ${exitCode}`,
    );
  });

  it('is not taken as the reason if the agent was killed', () => {
    const stderr = 'unexpected status 503, which the agent printed long before it was killed';
    expect(classifyByResult(ending({ exitCode: 143, stderr })).message).toBe('it was killed from outside (SIGTERM)');
  });

  it('does not hide the reason before it', () => {
    const stderr = 'thread main panicked: no such thing\nRipgrep is not available. Falling back to GrepTool.\n}\n';
    expect(classifyByResult(ending({ exitCode: 101, stderr })).message).toContain('exit 101: thread main panicked');
  });
});

describe('an end caused by the provider', () => {
  it.each([
    ['Invalid API key · Fix external API key', 401],
    ['Failed to authenticate. API Error: 403 Your API key does not have permission', 403],
    ['OAuth token has expired · Please run /login', undefined],
    ['Incorrect API key provided: sk-x.', 401],
    ['Credit balance is too low', undefined],
    ['You exceeded your current quota, please check your plan and billing details.', 429],
    ['API Error: 400 unknown field', 400],
    ['Payment needed', 402],
  ])('is not retried: %s', (message, status) => {
    expect(failure(message, status)).toMatchObject({ ending: 'unable', again: null });
  });

  it.each([
    ['API Error: 529 Overloaded.', 529],
    ['Rate limit reached for gpt-x in organization org-1 on tokens per min', 429],
    ['API Error: Connection to the API was lost (ECONNRESET).', undefined],
    ['unexpected status 503', undefined],
    ['something', 500],
    ['Conflict', 409],
  ])('is retried later: %s', (message, status) => {
    expect(failure(message, status)).toMatchObject({ ending: 'unable', again: { why: 'busy', at: null } });
  });

  it.each([
    'Claude AI usage limit reached|1795332477',
    "You've hit your session limit · resets 7:27am (UTC)",
    "You've hit your Opus limit · resets 7:27am (UTC)",
    "You've hit your limit · resets 7:27am (UTC)",
    "You're out of extra usage · resets 7:27am (UTC)",
    '5-hour limit reached ∙ resets 7:27am (UTC)',
  ])('is a limit of the account that also affects other runs: %s', (message) => {
    const { ending, again } = failure(message, 429) ?? {};
    expect([ending, again?.why]).toEqual(['unable', 'limit']);
    // At the exact second, or at the end of the given minute.
    expect(Math.ceil((again?.at ?? 0) / 60_000)).toBe(Date.parse('2026-11-22T07:28:00Z') / 60_000);
  });

  it('is retried soon if a quota says when: it may be a quota per minute', () => {
    const message =
      'You exceeded your current quota, please check your plan and billing details. Please retry in 32.5s.';
    expect(failure(message, 429)?.again).toEqual({ why: 'busy', at: AT + 32_500 });
  });

  it('counts as the agent giving up if it filled the context', () => {
    expect(failure('Prompt is too long', 400)).toMatchObject({ ending: 'gave_up', again: null });
  });

  it('may be reported only on stderr', () => {
    expect(failure('', undefined, 'log\nunexpected status 429 Too Many Requests')).toMatchObject({
      again: { why: 'busy' },
    });
  });

  it('is not recognised in unrelated messages', () => {
    expect(failure('the model stopped: length')).toBeNull();
    expect(failure('', undefined, 'segmentation fault')).toBeNull();
  });
});
