import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import type { Loaded } from '../../src/input/source.js';
import { defined } from '../../src/lib/json.js';
import { readSuite } from '../../src/scenario/suites/read-evals.js';
import { readCsv, readJsonLines } from '../../src/scenario/suites/read-prompts.js';
import type { Suite, SuiteCase } from '../../src/scenario/suites/suite.js';
import { suiteScenarios, withoutFiles } from '../../src/scenario/suites/suite-scenarios.js';
import { loadScenarioFile } from '../../src/scenario/yaml/read-scenario.js';

const valueOf = (loaded: Loaded<Suite>): Suite => {
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  return loaded.value;
};
const problemsOf = (loaded: Loaded<Suite>): string[] =>
  loaded.ok ? [] : loaded.problems.map(({ line, column, path, message }) => `${line}:${column} ${path}: ${message}`);

const signs = ['a', 'B', ' ', '\n', '"', "'", ':', '#', '- ', '{', '|', 'é', '漢', '✓', '\\', '${X}'];
/** The texts that a scenario itself adds to a prompt. */
const added = ['\n\nInput files:\n', '\n\nInput files: none', '\n- a.txt'];
/** A text as people write it: not blank, of printable signs and line breaks. */
const text = fc
  .array(fc.constantFrom(...signs, ...added), { minLength: 1, maxLength: 30 })
  .map((parts) => parts.join(''))
  .filter((one) => one.trim() !== '');
/** A number, a word, or a text that looks like a number. */
const id = fc.oneof(
  fc.integer(),
  fc.stringMatching(/^[a-z][a-z0-9-]{0,10}$/),
  fc.stringMatching(/^-?[0-9]{1,18}$/),
  fc.stringMatching(/^[0-9]{1,3}[.e"\\: ][0-9]{1,3}$/),
);
const path = fc
  .array(fc.stringMatching(/^[a-z][a-z0-9 ._-]{0,8}[a-z]$/), { minLength: 1, maxLength: 3 })
  .map((parts) => parts.join('/'));
const oneEval = fc.record(
  {
    id,
    prompt: text,
    expected_output: text,
    files: fc.uniqueArray(path, { minLength: 1, maxLength: 3 }),
    assertions: fc.array(text, { minLength: 1, maxLength: 4 }),
  },
  { requiredKeys: ['id', 'prompt'] },
);

interface Imported {
  description: string;
  task: { prompt: string };
  evaluation: { gates: { type: string; name?: string; prompt?: string; tool?: string }[] };
}

/** The case that an imported scenario was made of. */
function caseOfScenario(file: unknown): SuiteCase {
  const { description, task, evaluation } = file as Imported;
  const { gates } = evaluation;
  const id = JSON.parse(/^(?:\d+|-\d+|"(?:[^"\\]|\\.)*")/.exec(description)?.[0] ?? 'null') as string | number;
  const expected = gates.find(({ type, name }) => type === 'llm_judge' && name === 'expected output')?.prompt;
  const use = gates.find(({ type }) => type === 'skill_used' || type === 'skill_not_used')?.type;
  const tool = gates.find(({ type }) => type === 'tool_called')?.tool;
  return {
    id,
    ...withoutFiles(task.prompt),
    assertions: gates.flatMap(({ type, name, prompt }) =>
      type === 'llm_judge' ? (name === 'expected output' ? [] : (prompt ?? [])) : (name ?? []),
    ),
    ...defined({ expected, tool: tool?.replace(/\\(.)/g, '$1') }),
    ...(use === undefined ? {} : { shouldTrigger: use === 'skill_used' }),
  };
}

/** A case as evals.json has it. */
const evalOf = ({ id, prompt, expected, files, assertions }: SuiteCase) => ({
  id,
  prompt,
  ...defined({ expected_output: expected }),
  ...(files.length === 0 ? {} : { files }),
  ...(assertions.length === 0 ? {} : { assertions }),
});

test('what was imported can be written back as the same evals, and each scenario is valid', () => {
  fc.assert(
    fc.property(fc.array(oneEval, { maxLength: 4 }), (evals) => {
      const suite = valueOf(readSuite('evals.json', JSON.stringify({ skill_name: 'pdf', evals })));
      const scenarios = suiteScenarios(suite, 'pdf', '../skills/pdf');
      for (const { name, yaml } of scenarios) {
        const loaded = loadScenarioFile(`${name}.yaml`, yaml);
        expect(loaded.ok ? [] : loaded.problems).toEqual([]);
      }
      expect(suite.skill).toBe('pdf');
      expect(scenarios.map(({ yaml }) => evalOf(caseOfScenario(parse(yaml))))).toEqual(evals);
    }),
    { numRuns: 100 },
  );
});

const row = fc.record(
  {
    id,
    prompt: text.map((one) => `x${one}`), // an empty line of CSV is no row
    should_trigger: fc.boolean(),
    expected_tool: fc.stringMatching(/^[A-Za-z][A-Za-z_.$*()-]{0,12}$/),
  },
  { requiredKeys: ['prompt'] },
);

test('lists of prompts, in either form, can be written back as the same list', () => {
  const inCsv = (value: string | number | boolean | undefined): string =>
    value === undefined ? '' : `"${String(value).replaceAll('"', '""')}"`;
  const columns = ['id', 'prompt', 'should_trigger', 'expected_tool'] as const;
  fc.assert(
    fc.property(fc.array(row, { minLength: 1, maxLength: 4 }), (rows) => {
      const lines = rows.map((one) => JSON.stringify(one)).join('\n');
      const csv = [columns.join(','), ...rows.map((one) => columns.map((name) => inCsv(one[name])).join(','))];
      for (const [suite, idOf] of [
        [valueOf(readJsonLines('p.jsonl', lines)), (one: string | number) => one],
        [valueOf(readCsv('p.csv', csv.join('\r\n'))), String], // CSV has only texts
      ] as const) {
        const cases = suiteScenarios(suite, 'pdf', '../skills/pdf').map(({ yaml }) => caseOfScenario(parse(yaml)));
        expect(cases).toEqual(suite.cases);
        expect(cases.map(({ id, prompt, shouldTrigger, tool }) => [idOf(id), prompt, shouldTrigger, tool])).toEqual(
          rows.map(({ id, ...one }, index) => [
            idOf(id ?? index + 1),
            ...[one.prompt, one.should_trigger, one.expected_tool],
          ]),
        );
      }
    }),
  );
});

test('a prompt that ends like a list of input files is not taken for one', () => {
  const prompt = 'Copy this list into a.md:\n\nInput files:\n- a.txt';
  const [made] = suiteScenarios(
    valueOf(readSuite('e.json', JSON.stringify({ evals: [{ id: '1', prompt }] }))),
    'pdf',
    'pdf',
  );
  const file: unknown = parse(made?.yaml ?? '');
  expect(file).toMatchObject({ task: { prompt: `${prompt}\n\nInput files: none` } });
  expect(caseOfScenario(file)).toEqual({ id: '1', prompt, files: [], assertions: [] });
});

test('a prompt without input files is the prompt of its scenario, as it is', () => {
  const prompt = 'Sort the list.';
  const [made] = suiteScenarios(
    valueOf(readSuite('e.json', JSON.stringify({ evals: [{ id: '1', prompt }] }))),
    'pdf',
    'pdf',
  );
  expect(parse(made?.yaml ?? '')).toMatchObject({ task: { prompt } });
});

test('an expected output without a word is none', () => {
  const evals = [{ id: 1, prompt: 'Sort.', expected_output: ' ' }];
  const { cases } = valueOf(readSuite('e.json', JSON.stringify({ evals })));
  expect(cases).toEqual([{ id: 1, prompt: 'Sort.', files: [], assertions: [] }]);
});

test('a list of prompts checks whether the skill is used, and the tool is called', () => {
  const csv = 'prompt,should_trigger,expected_tool\r\n"Fill in a.pdf, please",true,\r\nSort a.txt,no,Bash\r\n';
  const lines = [
    { prompt: 'Fill in a.pdf, please', should_trigger: true },
    { query: 'Sort a.txt', should_trigger: false, expected_tool: 'Bash' },
  ];
  const suite = valueOf(readCsv('p.csv', csv));
  expect(suite).toEqual(valueOf(readJsonLines('p.jsonl', lines.map((one) => JSON.stringify(one)).join('\n'))));
  const gates = suiteScenarios(suite, 'pdf', 'pdf').map(
    ({ yaml }) => (parse(yaml) as { evaluation: { gates: unknown } }).evaluation.gates,
  );
  expect(gates).toEqual([
    [{ type: 'skill_used', skill: 'pdf' }],
    [
      { type: 'skill_not_used', skill: 'pdf' },
      { type: 'tool_called', tool: 'Bash' },
    ],
  ]);
});

test('CSV of any cells is read as it was written', () => {
  const cell = fc
    .array(fc.constantFrom('a', '"', ',', '\n', '\r\n', ' ', 'é'), { minLength: 1 })
    .map((parts) => `x${parts.join('')}`);
  const quoted = (one: string): string => `"${one.replaceAll('"', '""')}"`;
  fc.assert(
    fc.property(fc.array(cell, { minLength: 1 }), (prompts) => {
      const suite = valueOf(readCsv('p.csv', ['prompt', ...prompts.map(quoted)].join('\n')));
      expect(suite.cases.map(({ prompt }) => prompt)).toEqual(prompts);
    }),
  );
});

test('problems are reported with line and column', () => {
  expect(problemsOf(readSuite('e.json', '{"evals": [\n  {"id": 1, "promt": "x"}]}'))).toEqual([
    expect.stringMatching(/^2:3 evals\[0\]\.prompt: missing/),
    expect.stringMatching(/^2:13 evals\[0\]\.promt: unknown key 'promt'; did you mean 'prompt'/),
  ]);
  expect(problemsOf(readSuite('e.json', '3'))).toEqual([expect.stringMatching(/^1:1 : expected a map/)]);
  expect(problemsOf(readCsv('p.csv', 'prompt,should_trigger\nx,maybe\n,true\n'))).toEqual([
    expect.stringMatching(/^2:3 should_trigger: expected true or false, got 'maybe'/),
    expect.stringMatching(/^3:1 : expected a prompt/),
  ]);
  expect(problemsOf(readCsv('p.csv', 'prompt\n"x'))).toEqual(['2:1 : a quote is not closed']);
  expect(problemsOf(readCsv('p.csv', 'prompt,color\nx,red\n'))).toEqual([
    expect.stringMatching(/^2:3 color: unknown key/),
  ]);
  expect(problemsOf(readJsonLines('p.jsonl', '{"prompt": "x"}\n\n{"prompt": 3}\n{'))).toEqual([
    expect.stringMatching(/^3:12 prompt: expected a prompt, as text/),
    expect.stringMatching(/^4:/),
  ]);
});

test('no text makes a reader throw', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200, size: 'max' }), (any) => {
      for (const read of [readSuite, readCsv, readJsonLines]) read('x', any);
    }),
  );
});
