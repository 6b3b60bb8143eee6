import { expect, test } from 'vitest';
import { isSameQuestion, type Question, questionOf, type SideInputs } from '../../../src/decide/decision/question.js';

const side = (change: Partial<SideInputs> = {}): SideInputs => ({
  ...{ scenario_hash: 'bare', agent: 'mock', model: 'default', settings: 'null', target: 'build 1' },
  ...change,
});
const [bare, guided] = [side(), side({ scenario_hash: 'guided' })];
const question = (base: SideInputs | null, head: SideInputs | null, of: string | null = null): Question => ({
  pairs: [{ base, head }],
  base: of,
});

test.each([
  ['the same inputs on both sides', question(bare, guided), true],
  ['the sides exchanged', question(guided, bare), true],
  ['another sweep as base, with the same inputs', question(bare, guided, 'another'), true],
  [
    'further scenarios besides',
    {
      ...question(bare, guided),
      pairs: [
        { base: bare, head: guided },
        { base: side({ scenario_hash: 'x' }), head: guided },
      ],
    },
    true,
  ],
  ['a target that is not known before it runs', question(bare, side({ scenario_hash: 'guided', target: null })), true],
  ['a base whose results are gone', question(null, guided), true],
  ['another text of the scenario', question(bare, side({ scenario_hash: 'guided better' })), false],
  ['a new build of the target', question(bare, side({ scenario_hash: 'guided', target: 'build 2' })), false],
  ['another model', question(bare, side({ scenario_hash: 'guided', model: 'large' })), false],
  ['other settings of the agent', question(bare, side({ scenario_hash: 'guided', settings: '{"args":[]}' })), false],
])('two sweeps with %s ask the same: %#', (_, other, expected) => {
  expect(isSameQuestion(question(bare, guided), other)).toBe(expected);
  expect(isSameQuestion(other, question(bare, guided))).toBe(expected);
});

test('if nothing differs between the sides, the question is what has changed since a certain base', () => {
  expect(isSameQuestion(question(bare, bare, 'monday'), question(bare, bare, 'monday'))).toBe(true);
  expect(isSameQuestion(question(bare, bare, 'monday'), question(bare, bare, 'tuesday'))).toBe(false);
});

test('the sides of a sweep are its variants, or a finished sweep and all of it', () => {
  const cells = ['bare', 'guided'].map((variant) => ({
    ...{ id: variant, scenario: 'notes', agent: 'mock', model: 'default', variant, repetition: 1 },
  }));
  const inputsOf = ({ variant }: { variant: string }) => side({ scenario_hash: variant });
  const variants = questionOf(cells, { base: { kind: 'variant', variant: 'bare' } }, inputsOf, () => null);
  expect(variants).toEqual(question(bare, guided));
  const runs = [{ outcome: 'pass' as const, after_errors: false }];
  const outcomes = [{ scenario: 'notes', agent: 'mock', model: 'default', variant: 'guided', runs }];
  const finished = { base: { kind: 'sweep', sweep: 'monday', outcomes } } as const;
  expect(questionOf(cells.slice(1), finished, inputsOf, () => bare)).toEqual(question(bare, guided, 'monday'));
});
