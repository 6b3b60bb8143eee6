import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { loadScenario } from '../../src/scenario/load-scenario.js';
import { formOf, recognize } from '../../src/scenario/recognize.js';
import { casesOf, scenarios } from './cases.js';

const OWN = {
  name: 'orders',
  description: 'Counts orders.',
  template_folder: 'shop',
  checks_folder: 'checks',
  target: { binary: 'cat' },
  task: { prompt: 'Count them.' },
  evaluation: { gates: [{ type: 'file_exists', path: 'a.txt' }] },
};
const ELIZA = {
  name: 'milk',
  run: [{ input: 'What must I buy?', evaluations: [{ type: 'string_contains', value: 'milk' }] }],
};
const without = (key: keyof typeof OWN): object =>
  Object.fromEntries(Object.entries(OWN).filter(([name]) => name !== key));

const REQUIRED = (Object.keys(OWN) as (keyof typeof OWN)[]).filter((key) => key !== 'checks_folder');

/** Ways to write a value that all mean the same. */
const WAYS: [string, (value: object) => string][] = [
  ['block style', (value) => stringify(value)],
  ['JSON on one line', (value) => JSON.stringify(value)],
  ['JSON over several lines', (value) => JSON.stringify(value, null, 2)],
  ['a flow map', (value) => stringify(value, { collectionStyle: 'flow', lineWidth: 0 })],
  ['quoted keys', (value) => stringify(value, { defaultKeyType: 'QUOTE_DOUBLE' })],
  ['single quotes', (value) => stringify(value, { defaultKeyType: 'QUOTE_SINGLE', singleQuote: true })],
  ['document markers', (value) => `%YAML 1.2\n---\n${stringify(value)}...\n`],
  ['the map after the marker', (value) => `--- ${JSON.stringify(value)}\n`],
  ['everything indented', (value) => stringify(value).replace(/^/gm, '    ').trimEnd()],
  ['explicit keys', (value) => JSON.stringify(value).replace(/^\{"name"/, '{? "name" ')],
  ['an anchor and a tag on the map', (value) => `!!map &all\n${stringify(value)}`],
  ['comments before it', (value) => `# run: 3\n\n  # task\n${stringify(value)}`],
  ['a BOM', (value) => `\uFEFF${stringify(value)}`],
  ['CRLF', (value) => stringify(value).replaceAll('\n', '\r\n')],
];

describe.each(WAYS)('a scenario in %s', (_, write) => {
  test.each([
    ['orders.yaml', OWN],
    ['orders.YML', OWN],
    ['orders.json', OWN],
    ['milk.scenario.yaml', ELIZA],
    ['milk.Scenario.YML', ELIZA],
    ['milk.scenario.json', ELIZA],
  ])('%s is recognized, and valid', (file, value) => {
    expect(recognize(file, write(value))).toMatchObject({ kind: 'scenario', name: value.name });
    expect(loadScenario(file, write(value))).toMatchObject({ ok: true });
  });
});

test.each(casesOf(scenarios, 'valid'))('$file is recognized', ({ file, text }) => {
  expect(recognize(file, text).kind).toBe('scenario');
});

test('a scenario names the folders that belong to it, also in variants', () => {
  const value = {
    ...OWN,
    subject: [{ skill: '../skills/pdf' }],
    matrix: { variants: [{ name: 'large', template_folder: 'large', subject: { skill: 'other' } }] },
    evaluation: { gates: [{ type: 'skill_used', skill: 'no-folder' }] },
  };
  expect(recognize('a.yaml', JSON.stringify(value))).toMatchObject({
    fixtures: ['shop', 'large'],
    others: ['checks', '../skills/pdf', 'other'],
  });
});

describe('a scenario with a mistake is not taken for something else', () => {
  test.each<[string, string]>([
    ...REQUIRED.map((key): [string, string] => [`without ${key}`, JSON.stringify(without(key))]),
    ...(Object.keys(OWN) as (keyof typeof OWN)[]).map((key): [string, string] => {
      const typo = `${key}${key.at(-1) ?? ''}`;
      return [typo, JSON.stringify({ ...without(key), [typo]: OWN[key] })];
    }),
    ['keys in another case', stringify({ Name: 'a', Task: { Prompt: 'x' } })],
    ['keys in camel case', stringify({ name: 'a', templateFolder: 'x' })],
    ['only a draft', 'name: a\ndescription: b\ntask: do it\n'],
    ['a list of scenarios', JSON.stringify([OWN])],
    ['a scenario below a key', JSON.stringify({ scenario: OWN })],
    ['two documents', `${stringify(OWN)}---\n${stringify(OWN)}`],
    ['after a foreign document', `a: 1\n---\n${stringify(OWN)}`],
    ['merge keys', `base: &b { task: { prompt: x } }\n<<: *b\nname: x\n`],
    ['a tab', '\tname: a\n\ttask: { prompt: x }\n'],
    ['no blank after the colons', 'name:a\ntask:b\n'],
    ['a map that is not closed', '{"name": "a", "task": {"prompt": "x"'],
    ['nothing', ''],
    ['only a comment', '# name: a\n'],
    ['only a marker', '---\n'],
    ['the form of ElizaOS under another name', stringify(ELIZA)],
    ['the form of ElizaOS with a typo', stringify({ name: 'milk', runn: ELIZA.run })],
  ])('%s', (_, text) => {
    expect(recognize('x.yaml', text).kind).not.toBe('other');
    expect(loadScenario('x.yaml', text)).toMatchObject({ ok: false });
  });

  test.each(['runn: [{input: x}]', 'name: a', 'a: [', '', 'services: {}', '[]', 'just a text', '3'])(
    'a file that is named like a scenario: %s',
    (text) => {
      for (const name of ['x.scenario.yaml', 'x.SCENARIO.yml', 'x.scenario.json']) {
        expect(recognize(name, text).kind).toBe('scenario');
        expect(loadScenario(name, text)).toMatchObject({ ok: false });
      }
    },
  );
});

describe('another file', () => {
  test.each([
    ['compose.yaml', 'name: a\nservices: { db: { image: x } }\n', 'a Compose file'],
    ['x.matrix.yaml', 'name: m\nbase_scenario: a\nmatrix: []\n', 'a matrix of ElizaOS'],
    ['rubric.yaml', 'criteria: []\noutput: { format: json, require_fields: [] }\n', 'a rubric'],
    ['evals.json', '{"skill_name":"a","evals":[{"id":1,"prompt":"b"}]}', 'a suite of evals'],
    ['evals.json', '[{"query":"a","should_trigger":true}]', 'a list of prompts'],
    [
      'promptfooconfig.yaml',
      'description: d\nprompts: [a]\nproviders: [b]\ntests: [{ vars: {} }]\ntargets: [c]\n',
      'a configuration of promptfoo',
    ],
    [
      'deploy.yml',
      'apiVersion: v1\nkind: A\n---\napiVersion: v1\nkind: B\n',
      '2 documents, the first a manifest of Kubernetes',
    ],
    ['ci.yml', 'name: ci\non: push\njobs: { a: { steps: [{ run: x }] } }\n', 'a workflow of GitHub'],
    ['action.yml', 'name: a\ndescription: b\nruns: { using: composite, steps: [] }\n', 'an action of GitHub'],
    ['package.json', '{"name":"a","version":"1","description":"d","scripts":{"test":"x"}}', 'a manifest of a package'],
    ['tsconfig.json', '{ // strict\n "compilerOptions": { "target": "es2022", }, }', 'a map with "compilerOptions"'],
    [
      'project.json',
      '{"name":"a","sourceRoot":"b","targets":{"build":{}},"tags":[]}',
      'a map with "name", "sourceRoot", "targets", "tags"',
    ],
    ['Taskfile.yml', "version: '3'\ntasks: { build: { cmds: [a] } }\n", 'a map with "version", "tasks"'],
    ['playbook.yml', '- hosts: all\n  tasks: [{ name: a }]\n', 'a list of 1'],
    [
      'lm.yaml',
      'task: arc\ndataset_path: a\noutput_type: b\nmetric_list: []\n',
      'a map with "task", "dataset_path", "output_type", "metric_list"',
    ],
    ['vars.yaml', 'a: !vault x\n8080: b\n? [c]\n: d\n', 'a map with "8080", "a", "[ c ]"'],
    ['char.json', '{"name":"Eliza","bio":["x"],"plugins":[]}', 'a character of ElizaOS'],
    ['data.json', '{"orders":[{"id":1}],"total":3}', 'a map with "orders", "total"'],
    ['data.json', '3', 'a single value'],
    ['data.json', '[]', 'a list of 0'],
    ['data.yaml', '{}', 'an empty map'],
  ])('%s is no scenario: %s', (file, text, what) => {
    expect(recognize(file, text)).toMatchObject({ kind: 'other', what });
  });

  test('is named if it is given as a scenario', () => {
    const message = (file: string, text: string): string => {
      const loaded = loadScenario(file, text);
      return loaded.ok ? '' : (loaded.problems[0]?.message ?? '');
    };
    expect(message('x.matrix.yaml', 'name: m\nbase_scenario: a\nmatrix: []\n')).toBe(
      'this is a matrix file, not a scenario; run it with: llm-tool-test scenario matrix x.matrix.yaml (--dry-run only checks it)',
    );
    expect(message('milk.yaml', stringify(ELIZA))).toMatch(/rename it to milk\.scenario\.yaml$/);
    expect(message('a.yaml', 'name:a\n')).toMatch(
      /expected a map.*; a file that is no scenario belongs into another folder$/,
    );
  });
});

test('recognizing never throws, and a map of other data is no scenario', () => {
  const key = fc.stringMatching(/^[a-z_]{8,20}$/).map((name) => `zz${name}`);
  fc.assert(
    fc.property(fc.string(), fc.dictionary(key, fc.jsonValue(), { minKeys: 1 }), (text, data) => {
      recognize('x.yaml', text);
      recognize('x.json', text);
      formOf('x.scenario.yaml', text);
      expect(recognize('x.json', JSON.stringify(data)).kind).toBe('other');
    }),
  );
});
