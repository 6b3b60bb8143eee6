import { expect, test } from 'vitest';
import { parseJudgeName, parseModelName } from '../../src/lib/model-name.js';

test.each([
  ['anthropic/claude-sonnet-4-5', 'anthropic', 'claude-sonnet-4-5'],
  ['house/meta-llama/Llama-3.3:70b', 'house', 'meta-llama/Llama-3.3:70b'],
  ['my.house_2/x', 'my.house_2', 'x'],
])('%s is a model of a provider', (text, provider, model) => {
  expect(parseModelName(text)).toEqual({ ok: true, provider, model });
});

test.each(['', 'claude', '/x', 'house/', 'house/a b', 'a b/x', 'house /x'])(
  '%j is not a model of a provider',
  (text) => {
    expect(parseModelName(text)).toMatchObject({
      ok: false,
      message: expect.stringContaining('provider/model') as string,
    });
  },
);

test.each([
  ['house/x/y', { by: 'api', provider: 'house', model: 'x/y' }],
  ['agent:claude-code/opus', { by: 'agent', agent: 'claude-code', model: 'opus' }],
  ['agent:opencode/anthropic/x', { by: 'agent', agent: 'opencode', model: 'anthropic/x' }],
])('%s names a judge', (text, name) => {
  expect(parseJudgeName(text)).toEqual({ ok: true, ...name });
});

test.each([
  ['claude', 'provider/model'],
  ['agent:', 'agent:<agent>/<model>'],
  ['agent:codex', 'agent:<agent>/<model>'],
  ['agent:codex/', 'agent:<agent>/<model>'],
  ['agent:/x', 'agent:<agent>/<model>'],
  ['agent:my agent/x', 'agent:<agent>/<model>'],
])('%j does not name a judge', (text, expected) => {
  expect(parseJudgeName(text)).toMatchObject({
    ok: false,
    message: expect.stringContaining(expected) as string,
  });
});
