import { expect, test } from 'vitest';
import { ownerOf } from '../../src/planning/owner.js';

const login = () => 'login';

test.each<[string, string | null, Record<string, string>, string | null]>([
  ['the option comes first', 'ada', { LLM_TOOL_TEST_OWNER: 'team', CI: '1', GITHUB_ACTOR: 'bob' }, 'ada'],
  ['then the variable', null, { LLM_TOOL_TEST_OWNER: 'team', CI: '1', GITHUB_ACTOR: 'bob' }, 'team'],
  ['then the person of the CI job', null, { CI: '1', GITHUB_ACTOR: 'bob' }, 'bob'],
  ['outside of CI, such a variable says nothing', null, { GITHUB_ACTOR: 'bob' }, 'login'],
  ['a name of the CI service that cannot be shown is left out', null, { CI: '1', GITHUB_ACTOR: 'a\nb' }, 'login'],
  ['an empty variable is none', null, { LLM_TOOL_TEST_OWNER: '' }, 'login'],
])('%s', (_, named, env, owner) => {
  expect(ownerOf(named, env, login)).toBe(owner);
});

test.each(['', 'a\nb', 'x'.repeat(101)])('a name that cannot be shown is refused: %j', (named) => {
  expect(() => ownerOf(named, {}, login)).toThrow('--owner: expected a name of at most 100 characters in one line');
});
