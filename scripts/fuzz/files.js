// Files that users write: scenarios, configs, rubrics, steps of the mock.
import { codeFrame, formatProblem } from '../../src/lib/errors/problem.ts';
import { Config, parseConfig } from '../../src/scenario/config.ts';
import { loadScenarioFile } from '../../src/scenario/yaml/read-scenario.ts';
import { Rubric } from '../../src/gates/judge/rubric.ts';
import { loadRubric } from '../../src/scenario/yaml/load-yaml.ts';
import { ScenarioFile } from '../../src/scenario/yaml/schema.ts';
import { configTexts, MINIMAL, rubricTexts, scenarioTexts } from './corpus.js';
import { expect, same } from './expect.js';
import { anyJson, mutated, mutatedJson, sentence } from './mutate.js';

const FILE = 'some/file.yaml';

function checkProblems(problems, text) {
  const lines = text.replace(/^\uFEFF/, '').split('\n');
  expect(problems.length > 0, 'refused without a problem');
  for (const problem of problems) {
    const { file, line, column, message } = problem;
    expect(file === FILE, 'a problem of another file', problem);
    expect(line >= 1 && line <= lines.length, 'a line outside the file', problem);
    expect(column >= 1 && column <= lines[line - 1].length + 1, 'a column outside the line', problem);
    expect(message.trim() !== '' && !message.includes('undefined'), 'a message that says nothing', problem);
    expect(typeof formatProblem(problem) === 'string', 'no text of a problem');
    expect(!/[\0-\u0008\u000b-\u001f\u007f]/.test(codeFrame(text, line, column)), 'control characters in a frame');
  }
}

/** Checks that every problem has a place in the file, and that an accepted file is accepted again when stored. */
const checkLoader = (load, schema) => (text) => {
  const loaded = load(FILE, text);
  if (!loaded.ok) return checkProblems(loaded.problems, text);
  const stored = JSON.parse(JSON.stringify(loaded.value));
  same(schema.parse(stored), stored, 'what was accepted changes when it is stored');
};

const checkScenario = checkLoader(loadScenarioFile, ScenarioFile);
const STEPS = [
  { say: 'x' },
  { run: 'tool list' },
  { write: { path: 'a/b', content: 'c' } },
  { wait_secs: 0.1 },
  { tool_call: { name: 'n', id: 'i', input: [1], command: 'c' } },
  { tool_result: { id: 'i', exit_code: 1, is_error: true, output: 'o' } },
  { usage: { input: 1, cost_usd: 0.5 } },
  { exit: 3 },
];
const WORDS = ['say', 'run', 'write', 'path', 'content', 'exit', '../x', '/x', 'usage', 'input', ' ', 'a', '__proto__'];

const mockScenario = (random) => {
  let steps = random.times(5, () => random.pick(STEPS));
  for (let count = random.below(4); count > 0; count--) steps = mutatedJson(random, steps, WORDS);
  return JSON.stringify({ ...MINIMAL, mock: random.chance(0.9) ? { steps } : steps });
};

/** Gates of generated scenarios. These are changed as JSON: a text with random changes is hardly ever valid. */
const GATES = [
  { type: 'file_exists', path: 'a' },
  { type: 'file_contains', path: 'a', substring: 's' },
  { type: 'file_matches', path: 'a', pattern: '^x+$' },
  { type: 'command_succeeds', command: 'true', timeout_secs: 3, name: 'g' },
  { type: 'command_json_path', command: 'x', path: '$.a[0]', assertion: 'len >= 2' },
  { type: 'no_transcript_errors' },
  { type: 'command_called', pattern: '^x', min: 1, max: 3 },
  { type: 'tool_called', tool: 'Read' },
  { type: 'max_cost_usd', max: 0.5 },
  { type: 'step_count', min_steps: 1, max_steps: 3, action_prefix: 'mcp__' },
  { type: 'token_count', max_total_tokens: 3 },
  { type: 'execution_time', max_duration_ms: 3 },
];
const treeScenario = (random) => {
  let scenario = {
    ...MINIMAL,
    evaluation: { gates: random.times(4, () => random.pick(GATES)) },
    tags: random.times(3, () => sentence(random, ['a', 'b', 'c'], 2)),
    setup: { files: { 'a/b': 'x' }, commands: ['true'] },
    run: { timeout_secs: 3 },
    ...(random.chance(0.1) ? { [sentence(random, WORDS, 2)]: anyJson(random, WORDS) } : {}),
  };
  for (let count = random.below(3); count > 0; count--) scenario = mutatedJson(random, scenario, WORDS);
  return JSON.stringify(scenario);
};

export const targets = [
  { name: 'scenario', share: 0.15, make: (random) => mutated(random, scenarioTexts), check: checkScenario },
  { name: 'scenario-tree', share: 0.15, make: treeScenario, check: checkScenario },
  { name: 'mock-steps', share: 0.3, make: mockScenario, check: checkScenario },
  {
    name: 'config',
    share: 0.3,
    make: (random) => mutated(random, configTexts),
    check: checkLoader(parseConfig, Config),
  },
  {
    name: 'rubric',
    share: 0.3,
    make: (random) => mutated(random, rubricTexts),
    check: checkLoader(loadRubric, Rubric),
  },
];
