import { expect, test } from 'vitest';
import { readPromptfoo } from '../../src/scenario/promptfoo/read-config.js';

const TEXT = `description: Keys
tags: {team: a}
prompts:
  - Hi
  - "{% if a %}x{% endif %}"
  - id: Hello
    function: x
  - '[{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]'
  - file://prompt.py
providers:
  - id: openai:codex-sdk
    config: {model: gpt-5, sandbox_mode: read-only}
scenarios: []
defaultTest:
  options: {provider: openai:gpt-4o}
tests:
  - threshold: 0.5
    vars: {a: file://gone.txt}
    assert:
      - {type: contains, value: x, weight: 2}
      - {type: similar, value: x}
      - {type: cost}
      - {type: regex, value: "(?=x)"}
      - {type: contains, value: "{{gone}}"}
      - {type: javascript, value: file://gone.js}
      - {type: assert-set, assert: []}
  - file://tests.csv
`;

test('every key that is not taken is listed with its place', () => {
  const read = readPromptfoo('promptfooconfig.yaml', TEXT, () => null);
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  const places = new Map(read.value.leftOut.map(({ line, path, message }) => [path, [line, message] as const]));
  expect([...places].map(([path, [line]]) => `${line} ${path}`).sort((a, b) => parseInt(a) - parseInt(b))).toEqual([
    '2 tags',
    '5 prompts[1]',
    '7 prompts[2].function',
    '8 prompts[3]',
    '9 prompts[4]',
    '12 providers[0].config.sandbox_mode',
    '13 scenarios',
    '15 defaultTest.options.provider',
    '17 tests[0].threshold',
    '18 tests[0].vars.a',
    '20 tests[0].assert[0].weight',
    '21 tests[0].assert[1]',
    '22 tests[0].assert[2]',
    '23 tests[0].assert[3]',
    '24 tests[0].assert[4]',
    '25 tests[0].assert[5]',
    '26 tests[0].assert[6].assert',
    '26 tests[0].assert[6]',
    '27 tests[1]',
  ]);
  expect(places.get('tests[0].assert[1]')?.[1]).toBe('not taken: the assertion similar has no counterpart');
});
