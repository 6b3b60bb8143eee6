import { afterAll, beforeAll, expect, test } from 'vitest';
import { createModelServer, type ModelServer } from './model-server.js';
import { createProject, documentOf, type TestProject } from './project.js';
import { answerQuestion } from './scripted-judge.js';

let project: TestProject;
let server: ModelServer;
beforeAll(async () => {
  server = await createModelServer();
  server.script('judge', {
    sayTo: (body) => (body.includes('a cook') ? 'I said milk.' : answerQuestion(body)),
  });
  project = await createProject({
    'llm-tool-test-config.toml': `[agents.echo]
command = "cat"
prompt = "stdin"
output = "text"
free = true
[judge]
model = "house/judge"
[providers.house]
base_url = "${server.address}/v1"
free = true
`,
    'asked.scenario.yaml': `name: asked
agent: echo
run: { input: hi }
evaluations:
  - type: llm_judge
    prompt: The agent helps.
    capabilities: ['says "milk"', 'says "buy"']
`,
    'twice.scenario.yaml': `name: twice
agent: echo
run:
  - input: buy milk
    conversation:
      max_turns: 2
      user_simulator: { persona: a cook, objective: get milk }
      turn_evaluations:
        - { type: llm_judge, prompt: The agent helps., capabilities: ['says "milk"'] }
`,
    'twice.matrix.yaml': `name: twice
base_scenario: twice.scenario.yaml
matrix: [{ parameter: 'run[0].input', values: [buy milk, buy eggs] }]
`,
    'asked.matrix.yaml': `name: asked
base_scenario: asked.scenario.yaml
runs_per_combination: 2
matrix: [{ parameter: run.input, values: [buy milk, buy eggs] }]
`,
  });
});
afterAll(async () => {
  await project.remove();
  await server.close();
});

test('the capabilities that llm_judge checked are counted by parameter', async () => {
  const { stdout } = await project.cli(['scenario', 'matrix', 'asked.matrix.yaml', '--json']);
  const { parameters, sweep } = documentOf(stdout);
  expect(parameters?.map(({ value, capabilities }) => [value, capabilities])).toEqual([
    [
      'buy milk',
      [
        { capability: 'says "milk"', achieved: 2, checked: 2, rate: 1 },
        { capability: 'says "buy"', achieved: 2, checked: 2, rate: 1 },
      ],
    ],
    [
      'buy eggs',
      [
        { capability: 'says "milk"', achieved: 0, checked: 2, rate: 0 },
        { capability: 'says "buy"', achieved: 2, checked: 2, rate: 1 },
      ],
    ],
  ]);
  const { stdout: shown } = await project.cli(['show', sweep]);
  expect(shown).toMatch(/run\.input +"buy eggs" +says "milk" +0\/2 +0%/);
});

test('each turn counts in which llm_judge checked a capability', async () => {
  const { stdout, stderr } = await project.cli(['scenario', 'matrix', 'twice.matrix.yaml', '--json']);
  const { parameters } = documentOf(stdout);
  // The second turn of both says milk.
  expect(
    parameters?.map(({ value, capabilities }) => [value, capabilities]),
    stderr,
  ).toEqual([
    ['buy milk', [{ capability: 'says "milk"', achieved: 2, checked: 2, rate: 1 }]],
    ['buy eggs', [{ capability: 'says "milk"', achieved: 1, checked: 2, rate: 0.5 }]],
  ]);
});
