import { expect, test } from 'vitest';
import { neededVariables, unsetVariables } from '../../src/planning/needed-variables.js';

const needs = {
  targets: [],
  agents: {},
  providers: {},
  cells: [{ agent: 'mock', model: 'm' }],
  environments: [],
};
const variables = (...models: string[]): string[] =>
  neededVariables({ ...needs, judges: [null, ...models.map((model) => ({ model }))] });

test('a judge needs the variables of its provider, both by API and as an agent', () => {
  expect(variables()).toEqual([]);
  expect(variables('openai/gpt-5.1')).toContain('OPENAI_API_KEY');
  expect(variables('agent:codex/gpt-5.1')).toEqual(variables('openai/gpt-5.1'));
  expect(variables('agent:pi/anthropic/x')).toEqual(variables('anthropic/x'));
});

test('an agent of the config as judge needs the variables that its table refers to', () => {
  const mine = { command: 'm', args: [], models: [], env: { KEY: '${MY_KEY}' } };
  const judges = [{ model: 'agent:mine/x' }];
  expect(neededVariables({ ...needs, agents: { mine }, judges })).toEqual(['MY_KEY']);
});

test('a scenario in a sandbox of E2B needs its key, and passes on its addresses if they are set', () => {
  const e2b = { ...needs, judges: [], environments: [{ type: 'local' }, { type: 'e2b' }] };
  expect(neededVariables(e2b)).toEqual(['E2B_API_KEY', 'E2B_DOMAIN', 'E2B_API_URL', 'E2B_SANDBOX_URL']);
  expect(unsetVariables(e2b, {})).toEqual(['E2B_API_KEY']);
  expect(unsetVariables(e2b, { E2B_API_KEY: 'k' })).toEqual([]);
});
