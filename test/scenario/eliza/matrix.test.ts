import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { combinationsOf, combinationReader, loadMatrix, matchesFilter } from '../../../src/scenario/eliza/matrix.js';
import { loadScenario } from '../../../src/scenario/load-scenario.js';
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
  expect(loaded.ok ? [] : loaded.problems.map(({ line, column, path }) => `${line}:${column} ${path}`)).toEqual([
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
    expect(read.value.variants.map(({ scenario: { steps, inputs } }) => [steps[0], inputs.files])).toMatchObject([
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
    const read = variantsOf([{ parameter: 'evaluations', values: [[{ type: 'file_exists', path: 'b' }], []] }]);
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

test.each([
  ['run.0.code', 'run[0].code'],
  ['run[0.code', 'run[0].code'],
  ['run.[0].code', 'run[0].code'],
  ['run[0]code', 'run[0].code'],
  ['run(0).code', 'run[0].code'],
  ["run['0']['code']", 'run[0].code'],
  ['.run[0].code', 'run[0].code'],
  ['run[0]..code', 'run[0].code'],
  ['run/0/evaluations/1/value', 'run[0].evaluations[1].value'],
  ['character["llm"].model', 'character.llm.model'],
  [' character.llm.model ', 'character.llm.model'],
  ['run[*].code', null],
  ['run[-1].code', null],
  ['0', null],
  ['', null],
])('the parameter %j is refused with the path that may be meant', (parameter, meant) => {
  const matrix = [{ parameter, values: [1] }];
  const loaded = loadMatrix('m.yaml', stringify({ name: 'm', base_scenario: 's', matrix }));
  expect(loaded.ok ? [] : loaded.problems.map(({ message }) => message)).toEqual([
    meant === null
      ? 'expected the path of a field, like run[0].input or setup.virtual_fs'
      : `expected the path of a field; did you mean '${meant}'?`,
  ]);
});

const MATRIX = { name: 'm', base_scenario: 's.scenario.yaml', matrix: [{ parameter: 'a', values: [1] }] };

test.each([
  ['x.matrix.yaml', stringify(MATRIX)],
  ['x.scenario.yaml', stringify(MATRIX)],
  ['x.yaml', JSON.stringify(MATRIX, null, 2)],
  ['x.yaml', stringify({ ...MATRIX, nam: 'x', matrix: [] })],
  ['x.yaml', stringify({ name: 'm', matrix: MATRIX.matrix })],
])('a matrix file that is given as a scenario is told from one: %s', (file, text) => {
  const loaded = loadScenario(file, text);
  expect(loaded.ok ? [] : loaded.problems.map(({ message }) => message)).toEqual([
    `this is a matrix file, not a scenario; run it with: llm-tool-test scenario matrix ${file} (--dry-run only checks it)`,
  ]);
});

test('a scenario that is given as a matrix file is told from one, and other files are not', () => {
  const messagesOf = (loaded: ReturnType<typeof loadMatrix>): string[] =>
    loaded.ok ? [] : loaded.problems.map(({ message }) => message);
  const scenario = stringify({ name: 's', run: [{ code: 'true' }] });
  expect(messagesOf(loadMatrix('s.scenario.yaml', scenario))).toEqual([
    'this is a scenario, not a matrix file; run it with: llm-tool-test run s.scenario.yaml',
  ]);
  for (const text of ['name: x', '[1]', 'x', 'a: [', 'name: x\nmatrix: {repeat: 2}']) {
    const both = loadScenario('x.yaml', text);
    const problems = [
      ...(both.ok ? [] : both.problems),
      ...[loadMatrix('x.yaml', text)].flatMap((one) => (one.ok ? [] : one.problems)),
    ];
    expect(problems.map(({ message }) => message).join()).not.toMatch(/not a scenario|not a matrix file/);
  }
});
