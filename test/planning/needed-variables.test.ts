import { expect, test } from 'vitest';
import { neededVariables } from '../../src/planning/needed-variables.js';

const needs = { targets: [], agents: {}, providers: {}, cells: [{ agent: 'mock', model: 'm' }] };
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
