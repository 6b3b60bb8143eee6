import { expect, test } from 'vitest';
import { parseModelName } from '../../src/lib/model-name.js';

test.each([
  ['anthropic/claude-sonnet-4-5', 'anthropic', 'claude-sonnet-4-5'],
  ['house/meta-llama/Llama-3.3:70b', 'house', 'meta-llama/Llama-3.3:70b'],
  ['my.house_2/x', 'my.house_2', 'x'],
])('%s is a model of a provider', (text, provider, model) => {
  expect(parseModelName(text)).toEqual({ ok: true, provider, model });
});

test.each(['', 'claude', '/x', 'house/', 'house/a b', 'a b/x', 'house /x'])('%j is none', (text) => {
  expect(parseModelName(text)).toMatchObject({
    ok: false,
    message: expect.stringContaining('provider/model') as string,
  });
});

test('an agent is refused in its own words', () => {
  expect(parseModelName('agent:claude-code/opus')).toMatchObject({
    ok: false,
    message: expect.stringMatching(/^an agent as the judge .* is not supported yet/) as string,
  });
});
