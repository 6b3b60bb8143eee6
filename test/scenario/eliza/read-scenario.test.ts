import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { formOf } from '../../../src/scenario/recognize.js';
import { readScenario } from '../../../src/scenario/eliza/to-scenario.js';
import type { ReadScenario } from '../../../src/scenario/reader.js';
import { gatesOf, Scenario } from '../../../src/scenario/scenario.js';
import type { Path } from '../../../src/input/source.js';

const read = (file: unknown): ReadScenario => {
  const loaded = readScenario('x.scenario.yaml', stringify(file));
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  return loaded.value;
};

const evaluations = [{ type: 'file_exists', path: 'a.txt' }];

const LIST = `name: s
environment: {type: bubblewrap}
agent: codex
setup:
  virtual_fs:
    a.md: A
run:
  - name: first
    code: echo 1
    evaluations:
      - {type: string_contains, value: '1'}
  - input: Do it.
  - lang: python
    code: print(2)
    evaluations:
      - {type: file_contains, path: a.md, value: A}
evaluations:
  - {type: file_exists, path: a.md}
judgment: {strategy: any_pass}
`;

test('a checks folder is reported at its place, and so are the gates of its scenario', () => {
  const loaded = readScenario('s.scenario.yaml', LIST.replace('agent:', 'checks_folder: checks\nagent:'));
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  const { value, problemAt } = loaded;
  expect(value.scenario.checks.folder).toBe('checks');
  expect(problemAt(['checks', 'folder'], 'x')).toMatchObject({ line: 3, column: 16, path: 'checks_folder' });
  expect(problemAt(['checks', 'gates', 0, 'path'], 'x')).toMatchObject({ path: 'evaluations[0].path' });
});

test('reads every part of the list form', () => {
  const loaded = readScenario('s.scenario.yaml', LIST);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  const { scenario, variants } = loaded.value;
  expect(Scenario.parse(scenario)).toEqual(scenario);
  expect(scenario).toMatchObject({
    name: 's',
    target: null,
    repeat: 1,
    agents: [{ agent: 'codex', models: [] }],
    inputs: { fixture: null, files: { 'a.md': 'A' }, commands: [] },
    environment: { type: 'bubblewrap' },
    judgment: { gates: 'any_pass' },
    cost: { cache: true },
  });
  expect(scenario.steps).toMatchObject([
    { kind: 'command', name: 'first', command: ['bash', '-c', 'echo 1'] },
    { kind: 'agent', prompt: 'Do it.' },
    { kind: 'command', command: ['python3', '-c', 'print(2)'] },
  ]);
  expect(gatesOf(scenario).map(({ gate, after }) => [gate.type, after])).toEqual([
    ['string_contains', 0],
    ['file_contains', 2],
    ['file_exists', null],
  ]);
  expect(variants.map(({ variant }) => variant)).toEqual(['default']);
});

test('reports problems with parts of the scenario at their places in the file', () => {
  const loaded = readScenario('s.scenario.yaml', LIST);
  const lineOf = (path: Path): number | null => (loaded.ok ? loaded.problemAt(path, 'm').line : null);
  expect(
    [
      ['name'],
      ['inputs', 'files', 'a.md'],
      ['environment', 'type'],
      ['agents', 0, 'agent'],
      ['steps', 0],
      ['steps', 0, 'command'],
      ['steps', 0, 'gates', 0, 'value'],
      ['steps', 1, 'prompt'],
      ['steps', 2, 'command'],
      ['checks', 'gates', 0, 'path'],
      ['judgment', 'gates'],
    ].map(lineOf),
  ).toEqual([1, 6, 2, 3, 8, 9, 11, 12, 14, 18, 19]);
});

test.each([
  ['one input', { run: { input: 'hello' } }],
  ['empty lists', { run: [{ code: 'true', evaluations: [] }], evaluations: [] }],
  [
    'a conversation',
    {
      run: [
        {
          input: 'hello',
          conversation: { max_turns: 2, user_simulator: { persona: 'a buyer', objective: 'x' } },
        },
      ],
    },
  ],
])('a file without any evaluation is refused: %s', (_, file) => {
  const text = stringify({ name: 's', ...file });
  const loaded = readScenario('x.scenario.yaml', text);
  expect(loaded.ok ? [] : loaded.problems).toEqual([
    expect.objectContaining({
      line: 3,
      path: 'run',
      message: expect.stringMatching(/^nothing is checked/) as string,
    }),
  ]);
});

test('a file without an agent step has no cells with agents and is never reused', () => {
  const { scenario } = read({ name: 's', agent: 'codex', run: [{ code: 'echo' }], evaluations });
  expect(scenario).toMatchObject({ agents: [], cost: { cache: false } });
});

test.each([
  ['a.scenario.yaml', 'name: s\nrun: {input: hello}\n', true],
  ['a.scenario.yml', 'name: s\nrun: {input: hello}\n', true],
  ['a.scenario.yaml', 'run: {input: "target: x"}\nevaluation: []\n', true],
  ['a.yaml', 'name: s\nrun: {input: hello}\n', false],
  ['a.scenario.yaml', 'name: s\ntemplate_folder: base\n', false],
  ['a.scenario.yaml', '"target": {}\n', false],
])('the form of a file depends on its name and its keys: %s %j', (name, text, isEliza) => {
  expect(formOf(name, text) === 'eliza').toBe(isEliza);
});

describe('whatever is in a file', () => {
  const text = fc.string({ unit: 'grapheme' }).filter((one) => one.trim() !== '' && !one.includes('\0'));
  const lang = fc.constantFrom('bash', 'sh', 'node', 'javascript', 'python', 'python3', 'ruby', 'constructor');

  test('code is the last argument of its program, unchanged', () => {
    fc.assert(
      fc.property(fc.array(fc.record({ lang, code: text }), { minLength: 1 }), (steps) => {
        const { scenario } = read({ name: 's', run: steps, evaluations });
        for (const [index, step] of scenario.steps.entries()) {
          if (step.kind !== 'command' || typeof step.command === 'string') throw new Error('not code');
          expect(step.command).toHaveLength(3);
          expect(step.command[1]).toMatch(/^-[ce]$/);
          expect(step.command[2]).toBe(steps[index]?.code);
        }
      }),
    );
  });

  test('reading never throws, and each problem has a line and a column', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.json(),
          fc.string(),
          fc.jsonValue().map((value) => stringify({ run: value })),
        ),
        (raw) => {
          const loaded = readScenario('x.scenario.yaml', raw);
          if (loaded.ok) return;
          expect(loaded.problems.length).toBeGreaterThan(0);
          for (const { line, column } of loaded.problems) expect(Math.min(line, column)).toBeGreaterThan(0);
        },
      ),
    );
  });
});

test('the description of a script evaluation is the one of the gate', () => {
  const gate = { type: 'script', command: 'true', description: 'It works.' };
  const { scenario } = read({ name: 's', run: [{ code: 'true' }], evaluations: [gate] });
  expect(scenario.checks.gates).toMatchObject([gate]);
});

test('the description of an evaluation is its name, unless it has one', () => {
  const { scenario } = read({
    name: 's',
    run: [{ code: 'true' }],
    evaluations: [
      { type: 'file_exists', path: 'a.md', description: 'The note is there.' },
      { type: 'file_exists', path: 'a.md', description: 'The note is there.', name: 'note' },
      { type: 'file_exists', path: 'a.md' },
    ],
  });
  expect(scenario.checks.gates.map(({ name }) => name)).toEqual(['The note is there.', 'note', undefined]);
});

test.each([
  [
    '{ model: openai/gpt-5.1, temprature: 1 }',
    "character.llm.temprature: unknown key 'temprature'; did you mean 'temperature'?",
  ],
  [
    '{ model: openai/gpt-5.1, max_tokens: 9 }',
    "character.llm.max_tokens: unknown key 'max_tokens'; known keys: model, provider, temperature",
  ],
  ['{ model: openai/gpt-5.1, temperature: hot }', "character.llm.temperature: expected a number, got 'hot'"],
  ['{ model: openai/gpt-5.1, temperature: 3 }', 'character.llm.temperature: '],
])('refuses what has no effect in character.llm: %s', (llm, expected) => {
  const text = `name: s\ncharacter:\n  name: Ada\n  llm: ${llm}\nrun: [{ input: Hi }]\n`;
  const loaded = readScenario('s.scenario.yaml', text);
  const found = loaded.ok ? [] : loaded.problems.map(({ line, path, message }) => `${line} ${path}: ${message}`);
  expect(found).toEqual([expect.stringContaining(`4 ${expected}`)]);
});
