import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FRESH, standingOf, verified, type State } from '../../.agents/lib/tasks/state.ts';
import { compareNumbers, taskOf, type Task } from '../../.agents/lib/tasks/task.ts';

const number = fc
  .array(fc.oneof(fc.nat({ max: 12 }), fc.bigInt({ min: 0n, max: 10n ** 30n })), {
    minLength: 1,
    maxLength: 4,
  })
  .map((parts) => parts.join('.'));
const sign = (value: number): number => Math.sign(value);

describe('the numbers of tasks', () => {
  test('are ordered part by part', () => {
    const inOrder = ['1', '1.1', '1.1.1', '1.2', '1.10', '2', '10', '99999999999999999998', '99999999999999999999'];
    expect(inOrder.toReversed().toSorted(compareNumbers)).toEqual(inOrder);
    expect([compareNumbers('1', '1.0'), compareNumbers('01.2', '1.02.0')]).toEqual([0, 0]);
  });

  test('have a total order', () => {
    fc.assert(
      fc.property(number, number, number, (a, b, c) => {
        expect(sign(compareNumbers(a, b))).toBe(0 - sign(compareNumbers(b, a)));
        expect(compareNumbers(a, a)).toBe(0);
        if (compareNumbers(a, b) <= 0 && compareNumbers(b, c) <= 0) expect(compareNumbers(a, c)).toBeLessThanOrEqual(0);
        if (compareNumbers(a, b) === 0) expect(sign(compareNumbers(a, c))).toBe(sign(compareNumbers(b, c)));
      }),
    );
  });

  test.each([
    ['1-a.md', { number: '1', name: 'a', filename: '1-a.md', path: 'dir/1-a.md' }],
    [
      '1.10-two-words.md',
      { number: '1.10', name: 'two-words', filename: '1.10-two-words.md', path: 'dir/1.10-two-words.md' },
    ],
    ['README.md', null],
    ['1.-a.md', null],
    ['1-.md', null],
    ['a1-b.md', null],
    ['1-a.md.bak', null],
  ])('of the file %s are %j', (filename, task) => {
    expect(taskOf('dir/', filename)).toEqual(task);
  });
});

describe('tasks', () => {
  const tasks: fc.Arbitrary<Task[]> = fc
    .uniqueArray(number, { minLength: 1, maxLength: 12, comparator: (a, b) => compareNumbers(a, b) === 0 })
    .map((numbers) => numbers.toSorted(compareNumbers).flatMap((one) => taskOf('.tasks', `${one}-x.md`) ?? []));

  /** Starts, finishes and verifies the next task until there is none. */
  function visit(all: readonly Task[], begin: State): string[] {
    const visited: string[] = [];
    let state = begin;
    for (;;) {
      const standing = standingOf(all, state);
      if (standing.kind === 'finished') return visited;
      expect(standing.kind).toBe('start');
      visited.push(standing.number);
      expect(standingOf(all, { ...state, current: standing.number, status: 'in_progress' }).kind).toBe('go_on');
      expect(standingOf(all, { ...state, current: standing.number, status: 'done' }).kind).toBe('verify');
      ({ state } = verified(all, standing.number));
    }
  }

  test('are visited in order, each once, for any set of tasks', () => {
    fc.assert(
      fc.property(tasks, (all) => {
        expect(visit(all, FRESH)).toEqual(all.map((task) => task.number));
      }),
    );
  });

  test('after the last verified one are visited, and none before it', () => {
    fc.assert(
      fc.property(tasks, fc.nat({ max: 11 }), (all, at) => {
        const last = all[at % all.length]?.number ?? '';
        const state: State = { current: null, status: 'pending', last_verified: last };
        expect(visit(all, state)).toEqual(all.slice((at % all.length) + 1).map((task) => task.number));
      }),
    );
  });
});
