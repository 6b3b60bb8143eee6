import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { subjectTokens, SubjectTokens, type SubjectSides } from '../../src/model/subject-tokens.js';

const sides = (change: Partial<SubjectSides> = {}): SubjectSides => ({
  scenario: 's',
  variant: 'default',
  agent: 'codex',
  model: 'm',
  added: ['skill pdf'],
  removed: [],
  base: [100],
  head: [110],
  tools: [],
  comparable: true,
  ...change,
});
const one = (...all: Partial<SubjectSides>[]): SubjectTokens | undefined => {
  const [first, ...others] = subjectTokens(all.map(sides));
  expect(others).toEqual([]);
  return first === undefined ? undefined : SubjectTokens.parse(first);
};

describe('what a subject adds before the first turn', () => {
  test('is the difference of the medians, with the runs of each side', () => {
    expect(one({ base: [100, 90, 101], head: [130, 110] })).toEqual({
      agent: 'codex',
      model: 'm',
      added: ['skill pdf'],
      removed: [],
      difference: 20,
      scenarios: [
        {
          scenario: 's',
          variant: 'default',
          comparable: true,
          difference: 20,
          base: { tokens: 100, runs: 3, unknown: 0 },
          head: { tokens: 120, runs: 2, unknown: 0 },
        },
      ],
    });
  });

  test('does not mix the prompts of scenarios: each is compared with itself', () => {
    const found = one(
      { scenario: 'short', base: [10, 10, 10], head: [15] },
      { scenario: 'long', base: [1000], head: [1006, 1006, 1006] },
    );
    expect(found?.difference).toBe(5.5);
    expect(found?.scenarios.map(({ scenario, difference }) => [scenario, difference])).toEqual([
      ['long', 6],
      ['short', 5],
    ]);
  });

  test('is unknown, never 0, if no run of a side is known; known runs and scenarios still count', () => {
    expect(one({ base: [null, null] })).toMatchObject({
      difference: null,
      scenarios: [{ base: { tokens: null, runs: 0, unknown: 2 }, difference: null }],
    });
    expect(one({ base: [] })?.difference).toBeNull();
    expect(one({ base: [null, 100] })).toMatchObject({
      difference: 10,
      scenarios: [{ base: { tokens: 100, runs: 1, unknown: 1 } }],
    });
    expect(one({ scenario: 'a', base: [null] }, { scenario: 'b' })?.difference).toBe(10);
  });

  test('is left out without a subject, and for agents of which nothing is known', () => {
    expect(one({ added: [] })).toBeUndefined();
    expect(one({ base: [], head: [] })).toBeUndefined();
  });

  test('is stated for each agent, model and subject', () => {
    const found = subjectTokens([
      sides({ agent: 'pi' }),
      sides({ model: 'n' }),
      sides(),
      sides({ added: ['instructions'] }),
    ]);
    expect(found.map(({ agent, model, added }) => [agent, model, ...added])).toEqual([
      ['codex', 'm', 'instructions'],
      ['codex', 'm', 'skill pdf'],
      ['codex', 'n', 'skill pdf'],
      ['pi', 'm', 'skill pdf'],
    ]);
  });

  test('does not depend on the order of runs and scenarios, and changes its sign with the sides', () => {
    const size = fc.option(fc.integer({ min: 1, max: 1e6 }));
    const runs = fc.array(size, { maxLength: 6 });
    const some = fc.uniqueArray(fc.record({ scenario: fc.constantFrom('a', 'b', 'c', 'd'), base: runs, head: runs }), {
      selector: ({ scenario }) => scenario,
    });
    const shuffled = some.chain((all) =>
      fc.tuple(
        fc.constant(all),
        fc.shuffledSubarray(all, { minLength: all.length }).chain((order) =>
          fc.tuple(
            ...order.map(({ scenario, base, head }) =>
              fc.record({
                scenario: fc.constant(scenario),
                base: fc.shuffledSubarray(base, { minLength: base.length }),
                head: fc.shuffledSubarray(head, { minLength: head.length }),
              }),
            ),
          ),
        ),
      ),
    );
    fc.assert(
      fc.property(shuffled, ([all, others]) => {
        const found = subjectTokens(all.map(sides));
        expect(subjectTokens(others.map(sides))).toEqual(found);
        const turned = subjectTokens(all.map(({ base, head, ...of }) => sides({ ...of, base: head, head: base })));
        const difference = found[0]?.difference;
        expect(turned[0]?.difference).toEqual(difference == null ? difference : 0 - difference);
      }),
    );
  });
});
