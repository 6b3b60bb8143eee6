import { parse } from 'yaml';
import { expect, test } from 'vitest';
import { ScenarioFile } from '../../src/scenario/yaml/schema.js';
import { readPromptfoo } from '../../src/scenario/promptfoo/read-config.js';

const none = (): null => null;

/** Imports a config; returns its scenarios, its other files, and what was left out. */
function imported(text: string, files: Record<string, string> = {}) {
  const read = readPromptfoo('promptfooconfig.yaml', text, (path) => files[path] ?? null);
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  const { value } = read;
  const scenarios = value.scenarios.map((name) => ScenarioFile.parse(parse(value.files[`${name}.yaml`] ?? '')));
  return {
    scenarios,
    files: value.files,
    gates: scenarios.flatMap(({ evaluation }) => evaluation.gates),
    leftOut: value.leftOut.map(({ line, path, message }) => `${line} ${path}: ${message}`),
  };
}

const one = (assertion: string) =>
  imported(`prompts: [Hello]\ntests:\n  - assert:\n      - ${assertion}\n      - {type: contains, value: x}\n`);

test.each([
  ['{type: contains, value: A}', { type: 'response_contains', substring: 'A' }],
  ['{type: contains, value: 42}', { type: 'response_contains', substring: '42' }],
  ['{type: icontains, value: a}', { type: 'string_contains', value: 'a' }],
  ['{type: equals, value: "a.b"}', { type: 'response_matches', pattern: '\\Aa\\.b\\z' }],
  ['{type: regex, value: "^a+$"}', { type: 'response_matches', pattern: '^a+$' }],
  ['{type: starts-with, value: a}', { type: 'response_matches', pattern: '\\Aa' }],
  ['{type: contains-any, value: "a, b"}', { type: 'response_matches', pattern: 'a|b' }],
  ['{type: llm-rubric, value: is polite, metric: tone}', { type: 'llm_judge', prompt: 'is polite', name: 'tone' }],
  ['{type: not-llm-rubric, value: is rude}', { type: 'llm_judge', prompt: 'is rude', expected: 'no' }],
  ['{type: cost, threshold: 0.5}', { type: 'max_cost_usd', max: 0.5 }],
  ['{type: latency, threshold: 5000}', { type: 'execution_time', max_duration_ms: 5000 }],
  ['{type: "trajectory:tool-used", value: search}', { type: 'tool_called', tool: '^search$' }],
  ['{type: "trajectory:tool-used", value: {name: search, min: 2}}', { type: 'tool_called', tool: '^search$', min: 2 }],
  ['{type: "trajectory:step-count", value: {min: 1, max: 4}}', { type: 'step_count', min_steps: 1, max_steps: 4 }],
  ['{type: "trajectory:goal-success", value: it is booked}', { type: 'llm_judge', prompt: 'it is booked' }],
])('%s becomes a gate', (assertion, gate) => {
  const { gates, leftOut } = one(assertion);
  expect(leftOut).toEqual([]);
  expect(gates[0]).toMatchObject(gate);
});

test.each([
  ['{type: is-json}', { type: 'is-json' }],
  ['{type: javascript, value: output.length < 5}', { type: 'javascript', value: 'output.length < 5' }],
  ['{type: python, value: len(output) < 5}', { type: 'python', value: 'len(output) < 5' }],
  ['{type: not-contains, value: a}', { type: 'contains', value: 'a', negated: true }],
  ['{type: not-regex, value: a}', { type: 'regex', value: 'a', negated: true }],
  ['{type: equals, value: {a: 1}}', { type: 'equals', value: { a: 1 } }],
  [
    '{type: "trajectory:tool-used", value: {name: search, max: 2}}',
    { type: 'trajectory:tool-used', value: [{ name: 'search', max: 2 }] },
  ],
  [
    '{type: "not-trajectory:tool-used", value: search}',
    { type: 'trajectory:tool-used', value: [{ name: 'search' }], negated: true },
  ],
])('%s is checked by the program', (assertion, stored) => {
  const { gates, files, leftOut } = one(assertion);
  expect(leftOut).toEqual([]);
  expect(gates[0]).toMatchObject({ type: 'script', command: 'node "$LLM_TOOL_TEST_CHECKS/check.mjs" 0' });
  expect(JSON.parse(files['checks/promptfoo/assertions.json'] ?? '')).toMatchObject([{ ...stored, prompt: 'Hello' }]);
  expect(files).toHaveProperty(['checks/promptfoo/check.mjs']);
});

test('there is a scenario for each prompt, test and item of a list', () => {
  const { scenarios } = imported(
    `description: Trips\nprompts:\n  - To {{city}} by {{how}}\n  - raw: "{{ how }} to {{city}}"\n` +
      `defaultTest: {vars: {how: train}, assert: [{type: contains, value: "{{city}}"}]}\n` +
      `tests:\n  - vars: {city: [Rome, Oslo]}\n  - {description: By ship, vars: {city: Bari, how: ship}}\n`,
  );
  expect(scenarios.map(({ name, description, task }) => [name, description, task.prompt])).toEqual([
    ['trips-1-1', 'To Rome by train', 'To Rome by train'],
    ['trips-1-2', 'train to Rome', 'train to Rome'],
    ['trips-2-1', 'To Oslo by train', 'To Oslo by train'],
    ['trips-2-2', 'train to Oslo', 'train to Oslo'],
    ['trips-3-1', 'By ship', 'To Bari by ship'],
    ['trips-3-2', 'By ship', 'ship to Bari'],
  ]);
  expect(scenarios[2]?.evaluation.gates).toMatchObject([{ type: 'response_contains', substring: 'Oslo' }]);
});

test('lists are texts if expansion is disabled, and values that are no texts are JSON', () => {
  const { scenarios } = imported(
    `prompts: ["{{list}} {{map}} {{map.a}}"]\ntests:\n  - {options: {disableVarExpansion: true}, vars: {list: [1, two], map: {a: b}}, assert: [{type: contains, value: x}]}\n`,
  );
  expect(scenarios.map(({ task }) => task.prompt)).toEqual(['[1,"two"] {"a":"b"} b']);
});

test('prompts, tests, variables and checks are read from other files', () => {
  const { scenarios, files, leftOut } = imported(
    `prompts: [file://two.txt, chat.json]\ndefaultTest: file://common.yaml\ntests: [file://more.yaml]\n`,
    {
      'two.txt': 'One {{a}}\n---\nTwo {{a}}\n',
      'chat.json': '[{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Three {{a}}"}]',
      'common.yaml': 'assert: [{type: javascript, value: "file://check.js"}]\n',
      'more.yaml': '- vars: {a: file://a.txt}\n',
      'a.txt': 'A\n',
      'check.js': 'export default () => true;\n',
    },
  );
  expect(leftOut).toEqual([]);
  expect(scenarios.map(({ task }) => task.prompt)).toEqual(['One A', 'Two A', 'Be brief.\n\nThree A']);
  expect(files['checks/promptfoo/files/check.js']).toBe('export default () => true;\n');
});

test('providers that are agents become the matrix', () => {
  const { scenarios, leftOut } = imported(
    `prompts: [Hi]\nproviders:\n  - anthropic:claude-agent-sdk\n  - {id: openai:codex-sdk, config: {model: gpt-5}}\n  - openai:gpt-4o\ntests: [{assert: [{type: contains, value: x}]}]\n`,
  );
  expect(scenarios[0]?.tool_matrix).toEqual([
    { agent: 'claude-code', models: [] },
    { agent: 'codex', models: ['gpt-5'] },
  ]);
  expect(leftOut).toEqual([expect.stringMatching(/^5 providers\[2\]: not taken: openai:gpt-4o is no agent/)]);
});

test.each([
  ['tests: [{assert: []}]\nprompts: [Hi]\n', 'nothing in it can be checked'],
  ['[]\n', 'expected a map with prompts and tests'],
  ['a: [\n', ''],
])('a file in which there is nothing to take is refused: %j', (text, message) => {
  const read = readPromptfoo('promptfooconfig.yaml', text, none);
  expect(read.ok).toBe(false);
  expect(read.ok ? '' : read.problems.map((problem) => problem.message).join()).toContain(message);
});
