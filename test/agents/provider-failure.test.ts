import { describe, expect, it } from 'vitest';
import type { AgentEnd } from '../../src/agents/agent.js';
import { providerFailure } from '../../src/agents/provider-failure.js';

const AT = Date.parse('2026-11-22T05:30:00Z');
const failure = (message: string, status?: number, stderr = ''): ReturnType<typeof providerFailure> => {
  const error: AgentEnd['error'] = {
    type: 'error',
    message,
    retryable: false,
    ...(status === undefined ? {} : { status }),
  };
  return providerFailure({
    exitCode: 1,
    stopped: null,
    at: AT,
    result: null,
    error: message === '' ? null : error,
    stderr,
  });
};

describe('an end that the provider brought about', () => {
  it.each([
    ['Invalid API key · Fix external API key', 401],
    ['Failed to authenticate. API Error: 403 Your API key does not have permission', 403],
    ['OAuth token has expired · Please run /login', undefined],
    ['Incorrect API key provided: sk-x.', 401],
    ['Credit balance is too low', undefined],
    ['You exceeded your current quota, please check your plan and billing details.', 429],
    ['API Error: 400 unknown field', 400],
    ['Payment needed', 402],
  ])('cannot be mended by trying again: %s', (message, status) => {
    expect(failure(message, status)).toMatchObject({ ending: 'unable', again: null });
  });

  it.each([
    ['API Error: 529 Overloaded.', 529],
    ['Rate limit reached for gpt-x in organization org-1 on tokens per min', 429],
    ['API Error: Connection to the API was lost (ECONNRESET).', undefined],
    ['unexpected status 503', undefined],
    ['something', 500],
    ['Conflict', 409],
  ])('may be over at another time: %s', (message, status) => {
    expect(failure(message, status)).toMatchObject({ ending: 'unable', again: { why: 'busy', at: null } });
  });

  it.each([
    'Claude AI usage limit reached|1795332477',
    "You've hit your session limit · resets 7:27am (UTC)",
    "You've hit your Opus limit · resets 7:27am (UTC)",
    "You've hit your limit · resets 7:27am (UTC)",
    "You're out of extra usage · resets 7:27am (UTC)",
    '5-hour limit reached ∙ resets 7:27am (UTC)',
  ])('is a limit of the account, which other runs would meet: %s', (message) => {
    const { ending, again } = failure(message, 429) ?? {};
    expect([ending, again?.why]).toEqual(['unable', 'limit']);
    expect(Math.floor((again?.at ?? 0) / 60_000)).toBe(Date.parse('2026-11-22T07:27:00Z') / 60_000);
  });

  it('is over soon where a quota says so, which may be that of a minute', () => {
    const message =
      'You exceeded your current quota, please check your plan and billing details. Please retry in 32.5s.';
    expect(failure(message, 429)?.again).toEqual({ why: 'busy', at: AT + 32_500 });
  });

  it('is the doing of an agent that fills the context', () => {
    expect(failure('Prompt is too long', 400)).toMatchObject({ ending: 'gave_up', again: null });
  });

  it('may be said on stderr only', () => {
    expect(failure('', undefined, 'log\nunexpected status 429 Too Many Requests')).toMatchObject({
      again: { why: 'busy' },
    });
  });

  it('is not seen in what says nothing of it', () => {
    expect(failure('the model stopped: length')).toBeNull();
    expect(failure('', undefined, 'segmentation fault')).toBeNull();
  });
});
