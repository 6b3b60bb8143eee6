import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import {
  combinationsOf,
  combinationReader,
  loadMatrix,
  matchesFilter,
} from '../../../src/scenario/eliza/matrix.js';
import type { Json } from '../../../src/lib/json.js';

const anyMatrix = fc.array(
  fc.record({
    parameter: fc.constantFrom('a', 'b', 'c').chain((name) => fc.nat(9).map((index) => `${name}[${index}]`)),
    values: fc.array(fc.jsonValue() as fc.Arbitrary<Json>, { minLength: 1, maxLength: 3 }),
  }),
  { minLength: 1, maxLength: 4 },
);

describe('the combinations of a matrix', () => {
  test('are all choices of one value for each parameter, once each, with the last parameter changing fastest', () => {
    fc.assert(
      fc.property(anyMatrix, (matrix) => {
        const combinations = combinationsOf({ matrix });
        expect(combinations).toHaveLength(matrix.reduce((all, { values }) => all * values.length, 1));
        const order = combinations.map(({ chosen }) => chosen.join());
        expect(new Set(order).size).toBe(order.length);
        expect(order).toEqual([...order].sort());
        expect(new Set(combinations.map(({ id }) => id)).size).toBe(combinations.length);
      }),
    );
  });
  test('have ids of a number and a hash of their values', () => {
    const [first, second] = combinationsOf({ matrix: [{ parameter: 'a', values: [1, 2] }] });
    expect([first?.id, second?.id]).toEqual([
      expect.stringMatching(/^combo-001-[0-9a-f]{6}$/),
      expect.stringMatching(/^combo-002-[0-9a-f]{6}$/),
    ]);
    expect(first?.id.slice(-6)).not.toBe(second?.id.slice(-6));
  });
  test('are selected by a part of their values, ignoring case', () => {
    const [one] = combinationsOf({ matrix: [{ parameter: 'run.input', values: ['Say Hello'] }] });
    if (one === undefined) throw new Error('there is no combination');
    expect(['hello', 'run.INPUT', '"say', 'bye'].map((filter) => matchesFilter(one, filter))).toEqual([
      ...[true, true, true, false],
    ]);
  });
});

test('a matrix file that is invalid is refused with all problems', () => {
  const loaded = loadMatrix(
    'm.yaml',
    `nam: m
base_scenario: ''
runs_per_combination: 0
matrix:
  - {parameter: "a b", values: []}
  - {parameter: "a[x]", values: [1]}
  - {parameter: a.b, values: [1]}
  - {parameter: a.b, values: [2]}
`,
  );
  expect(
    loaded.ok ? [] : loaded.problems.map(({ line, column, path }) => `${line}:${column} ${path}`),
  ).toEqual([
    ...['1:1 name', '1:1 nam', '2:16 base_scenario', '3:23 runs_per_combination'],
    ...['5:17 matrix[0].parameter', '5:32 matrix[0].values', '6:17 matrix[1].parameter'],
    '8:17 matrix[3].parameter',
  ]);
});

test('a matrix with more than 10,000 combinations is refused', () => {
  const values = Array.from({ length: 101 }, (_, index) => index);
  const matrix = ['a', 'b'].map((parameter) => ({ parameter, values }));
  const loaded = loadMatrix('m.yaml', stringify({ name: 'm', base_scenario: 's', matrix }));
  expect(loaded.ok ? [] : loaded.problems.map(({ message }) => message)).toEqual([
    'expected at most 10000 combinations',
  ]);
});

describe('the base scenario', () => {
  const BASE = {
    name: 's',
    setup: { virtual_fs: { a: '1' } },
    run: [{ code: 'echo 1' }],
    evaluations: [{ type: 'file_exists', path: 'a' }],
  };
  const variantsOf = (matrix: { parameter: string; values: Json[] }[]) => {
    const text = stringify({ name: 'm', base_scenario: 's', runs_per_combination: 3, matrix });
    const loaded = loadMatrix('m.yaml', text);
    if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
    const reader = combinationReader(loaded.value, combinationsOf(loaded.value), loaded.problemAt);
    return reader('s.scenario.yaml', stringify(BASE));
  };

  test('becomes one variant for each combination, with its values', () => {
    const read = variantsOf([
      { parameter: 'run[0].code', values: ['echo a', 'echo b'] },
      { parameter: 'setup.virtual_fs', values: [{ 'b.txt': 'x' }] },
    ]);
    if (!read.ok) throw new Error(JSON.stringify(read.problems));
    expect(read.value.scenario.repeat).toBe(3);
    expect(
      read.value.variants.map(({ scenario: { steps, inputs } }) => [steps[0], inputs.files]),
    ).toMatchObject([
      [{ command: ['bash', '-c', 'echo a'] }, { 'b.txt': 'x' }],
      [{ command: ['bash', '-c', 'echo b'] }, { 'b.txt': 'x' }],
    ]);
  });
  test('gets the value of the later parameter if one parameter is part of another', () => {
    const read = variantsOf([
      { parameter: 'run[0].code', values: ['echo early'] },
      { parameter: 'run[0]', values: [{ code: 'echo late' }] },
    ]);
    if (!read.ok) throw new Error(JSON.stringify(read.problems));
    expect(read.value.variants[0]?.scenario.steps).toMatchObject([{ command: ['bash', '-c', 'echo late'] }]);
  });
  test('is refused in a combination that checks nothing', () => {
    const read = variantsOf([
      { parameter: 'evaluations', values: [[{ type: 'file_exists', path: 'b' }], []] },
    ]);
    expect(read.ok ? [] : read.problems.map(({ file, message }) => `${file} ${message}`)).toEqual([
      's.scenario.yaml nothing is checked; add evaluations, to a step or at the top level',
    ]);
  });
  test('stays as it is: a variant does not change the others', () => {
    const read = variantsOf([{ parameter: 'run[0].code', values: ['echo a', 'echo b', 'echo a'] }]);
    if (!read.ok) throw new Error(JSON.stringify(read.problems));
    expect(read.value.scenario.steps).toMatchObject([{ command: ['bash', '-c', 'echo 1'] }]);
  });
});
