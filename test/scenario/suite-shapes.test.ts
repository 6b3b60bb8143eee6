import { expect, test } from 'vitest';
import { parse } from 'yaml';
import type { Loaded } from '../../src/input/source.js';
import { readSuite } from '../../src/scenario/suites/read-evals.js';
import { readCsv, readJsonLines } from '../../src/scenario/suites/read-prompts.js';
import { gateOf } from '../../src/scenario/suites/statement.js';
import type { Suite } from '../../src/scenario/suites/suite.js';
import { suiteScenarios } from '../../src/scenario/suites/suite-scenarios.js';
import { loadScenarioFile } from '../../src/scenario/yaml/read-scenario.js';

const cases = (loaded: Loaded<Suite>): Suite['cases'] => {
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  return loaded.value.cases;
};
const problems = (loaded: Loaded<Suite>): string[] =>
  loaded.ok ? [] : loaded.problems.map(({ line, column, message }) => `${line}:${column} ${message}`);
const json = (value: unknown): Loaded<Suite> => readSuite('evals.json', JSON.stringify(value));

const yes = { id: 1, prompt: 'Fold the map.', files: [], assertions: [], shouldTrigger: true };
const no = { id: 2, prompt: 'Boil an egg.', files: [], assertions: [], shouldTrigger: false };
const triggers = [
  { query: 'Fold the map.', should_trigger: true },
  { query: 'Boil an egg.', should_trigger: false },
];

test.each<[string, Loaded<Suite>]>([
  ['a JSON list', json(triggers)],
  ['a list below queries', json({ skill_name: 'maps', queries: triggers })],
  ['a list below evals', json({ version: 2, evals: triggers })],
  ['a list below test_cases', json({ description: 'd', test_cases: triggers })],
  ['with prompt', json(triggers.map(({ query, ...row }) => ({ prompt: query, ...row })))],
  ['with ids and notes', json(triggers.map((row, at) => ({ id: at + 1, ...row, reason: 'r', category: 'c' })))],
  [
    'with should_activate',
    json(triggers.map(({ query, should_trigger }) => ({ query, should_activate: should_trigger }))),
  ],
  ['two lists of texts', json({ should_trigger: ['Fold the map.'], should_not_trigger: ['Boil an egg.'] })],
  ['JSON lines', readJsonLines('t.jsonl', triggers.map((row) => JSON.stringify(row)).join('\n'))],
  ['a list on one line of .jsonl', readJsonLines('t.jsonl', JSON.stringify(triggers))],
  ['CSV', readCsv('t.csv', 'query,should_trigger\nFold the map.,true\nBoil an egg.,false\n')],
  [
    'CSV with other columns',
    readCsv('t.csv', '\uFEFFcategory,query,should_trigger,notes\na,Fold the map.,YES,\nb,Boil an egg.,0,n\n'),
  ],
])('prompts with should_trigger: %s', (_, loaded) => {
  expect(cases(loaded)).toEqual([yes, no]);
});

const task = { id: 1, prompt: 'Fold the map.', files: [] };
const one = (more: object): Loaded<Suite> =>
  json({ skill_name: 'maps', evals: [{ id: 1, prompt: 'Fold the map.', ...more }] });

test.each<[string, Loaded<Suite>, object]>([
  ['expected_output', one({ expected_output: 'A folded map' }), { expected: 'A folded map', assertions: [] }],
  [
    'with a name and an eval_name',
    one({ eval_name: 'fold', name: 'n', expected_output: 'A' }),
    { expected: 'A', assertions: [] },
  ],
  ['texts', one({ assertions: ['It is small.'] }), { assertions: ['It is small.'] }],
  ['expectations', one({ expectations: ['It is small.'] }), { assertions: ['It is small.'] }],
  ['text and kind', one({ assertions: [{ text: 'It is small.', kind: 'quality' }] }), { assertions: ['It is small.'] }],
  [
    'id, text and type',
    one({ assertions: [{ id: 'a1', text: 'It is small.', type: 'llm' }] }),
    { assertions: ['It is small.'] },
  ],
  [
    'name and description',
    one({ assertions: [{ name: 'size', description: 'It is small.' }] }),
    { assertions: ['It is small.'] },
  ],
  [
    'text and weight',
    one({ assertions: [{ assertion: 'It is small.', weight: 2, critical: true }] }),
    { assertions: ['It is small.'] },
  ],
  [
    'typed: contains',
    one({ assertions: [{ type: 'contains', value: 'fold "A"' }] }),
    { assertions: ['The answer contains "fold \\"A\\"".'] },
  ],
  [
    'typed: file_exists',
    one({ assertions: [{ type: 'file-exists', path: 'map.txt' }] }),
    { assertions: ['The file "map.txt" exists.'] },
  ],
  ['criteria', one({ success_criteria: ['It is small.'] }), { assertions: ['It is small.'] }],
  [
    'expected_behavior as a list',
    one({ expected_behavior: ['It is small.', 'It is flat.'] }),
    { assertions: ['It is small.', 'It is flat.'] },
  ],
  [
    'expected_behavior as a text',
    one({ expected_behavior: 'Folds it twice' }),
    { expected: 'Folds it twice', assertions: [] },
  ],
  [
    'must_include',
    one({ must_include: ['fold'], must_not_include: [] }),
    { assertions: ['The answer contains "fold".'] },
  ],
  ['must_not_include', one({ must_not_include: 'tear' }), { assertions: ['The answer does not contain "tear".'] }],
  [
    'files as maps',
    one({ expected_output: 'A', files: [{ path: 'evals/files/a.txt', note: 'n' }] }),
    { expected: 'A', assertions: [], files: ['evals/files/a.txt'] },
  ],
  [
    'a list without a key',
    json([{ query: 'Fold the map.', expected_behavior: 'Small' }]),
    { expected: 'Small', assertions: [] },
  ],
  [
    'one case for a file',
    json({ skills: ['maps'], query: 'Fold the map.', files: [], expected_behavior: ['It is small.'] }),
    { assertions: ['It is small.'] },
  ],
  [
    'cases',
    json({ skill: 'maps', cases: [{ input: 'Fold the map.', expected: 'Small' }] }),
    { expected: 'Small', assertions: [] },
  ],
  [
    'a header of harmless keys',
    json({
      $schema: 's',
      name: 'n',
      version: '1',
      description: 'd',
      skill_path: '.',
      scorers: [],
      evals: [{ prompt: 'Fold the map.', expected_output: 'A' }],
    }),
    { expected: 'A', assertions: [] },
  ],
  ['null for nothing', one({ expected_output: 'A', should_trigger: null }), { expected: 'A', assertions: [] }],
])('evals: %s', (_, loaded, expected) => {
  expect(cases(loaded)).toEqual([{ ...task, ...expected }]);
  for (const { yaml } of suiteScenarios(loaded.ok ? loaded.value : { cases: [] }, 'maps', '../skills/maps'))
    expect(loadScenarioFile('x.yaml', yaml)).toMatchObject({ ok: true });
});

test('keys that are ignored are named once', () => {
  const loaded = json({
    version: 1,
    evals: [
      { prompt: 'a', expected: 'b', notes: 'x' },
      { prompt: 'a', expected: 'b', notes: 'x', tags: [] },
    ],
  });
  expect(loaded).toMatchObject({ ok: true, value: { ignored: ['version', 'notes', 'tags'] } });
});

test.each<[string, string, RegExp]>([
  [
    'a misspelt key',
    '[{"query": "a",\n "should_triger": true}]',
    /^2:2 unknown key 'should_triger'; did you mean 'should_trigger'/,
  ],
  ['an unknown key', '[{"query": "a", "oracle": 3}]', /^1:17 unknown key 'oracle'/],
  ['no prompt', '[{"should_trigger": true}]', /^1:2 missing: expected a prompt/],
  ['two prompts', '[{"query": "a",\n "prompt": "b", "should_trigger": true}]', /a second prompt of this case/],
  [
    'a negated assertion',
    '{"evals": [{"prompt": "a", "assertions": [\n {"text": "b", "negate": true}]}]}',
    /^2:2 'negate' is not supported/,
  ],
  [
    'an assertion without text',
    '{"evals": [{"prompt": "a", "assertions": [\n {"id": 1}]}]}',
    /^2:2 expected a statement/,
  ],
  ['an empty assertion', '{"evals": [{"prompt": "a", "assertions": [""]}]}', /^1:43 expected a statement/],
  ['a text for should_trigger', '[{"query": "a", "should_trigger": "maybe"}]', /^1:35 expected true or false/],
])('a suite with %s is refused', (_, text, message) => {
  expect(problems(readSuite('evals.json', text))).toEqual([expect.stringMatching(message)]);
});

test.each<[string, object | null]>([
  ['The output contains "done"', { type: 'response_contains', substring: 'done' }],
  ["Response includes the word 'done'.", { type: 'response_contains', substring: 'done' }],
  ['The answer matches "^[0-9]+$"', { type: 'response_matches', pattern: '^[0-9]+$' }],
  ['The file `out/a.txt` exists', { type: 'file_exists', path: 'out/a.txt' }],
  ['A file named "a.txt" was created.', { type: 'file_exists', path: 'a.txt' }],
  ['Creates a file called `a.txt`', { type: 'file_exists', path: 'a.txt' }],
  ['`a.txt` contains "x: 1"', { type: 'file_contains', path: 'a.txt', substring: 'x: 1' }],
  ['The output contains "a" and "b"', null],
  ['The output contains no errors', null],
  ['The output does not contain "x"', null],
  ['The file "../a.txt" exists', null],
  ['The summary is short', null],
  ['The output contains "a" if the input has it', null],
])('of the statement %j, the gate without a model is %j', (statement, gate) => {
  expect(gateOf(statement)).toEqual(gate);
  const [made] = suiteScenarios({ cases: [{ ...task, assertions: [statement] }] }, 'maps', 'maps');
  expect(parse(made?.yaml ?? '')).toMatchObject({
    evaluation: {
      gates: [gate === null ? { type: 'llm_judge', prompt: statement } : { ...gate, name: statement }],
    },
  });
});
