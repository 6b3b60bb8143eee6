import { expect, test } from 'vitest';
import { monthUsdOf, ownerOf } from '../../src/planning/owner.js';

const login = () => 'login';

test.each<[string, string | null, Record<string, string>, string | null]>([
  ['the option comes first', 'ada', { LLM_TOOL_TEST_OWNER: 'team', CI: '1', GITHUB_ACTOR: 'bob' }, 'ada'],
  ['then the variable', null, { LLM_TOOL_TEST_OWNER: 'team', CI: '1', GITHUB_ACTOR: 'bob' }, 'team'],
  ['then the person of the CI job', null, { CI: '1', GITHUB_ACTOR: 'bob' }, 'bob'],
  ['outside of CI, such a variable says nothing', null, { GITHUB_ACTOR: 'bob' }, 'login'],
  ['a name of the CI service that cannot be shown is left out', null, { CI: '1', GITHUB_ACTOR: 'a\nb' }, 'login'],
  ['an empty variable is none', null, { LLM_TOOL_TEST_OWNER: '' }, 'login'],
  ['the forms of Unicode are one name', ' Jose\u0301 ', {}, 'Jos\u00e9'],
  ['also those of a CI service', null, { CI: '1', GITHUB_ACTOR: 'Jose\u0301' }, 'Jos\u00e9'],
  ['upper and lower case are two', 'Ada', { LLM_TOOL_TEST_OWNER: 'ada' }, 'Ada'],
])('%s', (_, named, env, owner) => {
  expect(ownerOf(named, env, login)).toBe(owner);
});

test('the budget of an owner is that of its name in any form of Unicode, but not in other case', () => {
  const config = { budgets: { month_usd: 1, owners: { 'Jose\u0301': 2 } } };
  expect(['Jos\u00e9', 'jos\u00e9', null].map((owner) => monthUsdOf(config, owner))).toEqual([2, 1, 1]);
});

test.each(['', 'a\nb', 'x'.repeat(101)])('a name that cannot be shown is refused: %j', (named) => {
  expect(() => ownerOf(named, {}, login)).toThrow('--owner: expected a name of at most 100 characters in one line');
});
