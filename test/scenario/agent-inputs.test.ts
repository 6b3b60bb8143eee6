import { expect, it } from 'vitest';
import { agentInputs } from '../../src/scenario/agent-inputs.js';
import { loadScenario } from '../../src/scenario/load-scenario.js';
import type { EffectiveScenario } from '../../src/scenario/plan.js';

const FILE = `name: a
description: d
template_folder: f
target: { binary: tool }
task: { prompt: Go. }
evaluation:
  gates:
    - { type: file_exists, path: x }
scripts:
  post: [{ command: tool list }]
mock: { steps: [{ say: hi }] }
`;

function stored(text: string, more: Partial<EffectiveScenario> = {}): EffectiveScenario {
  const loaded = loadScenario('a.yaml', text);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  const { scenario } = loaded.value;
  return {
    schema_version: 2,
    scenario,
    target: null,
    target_path: null,
    fixture: 'f',
    judge: null,
    ...more,
  };
}

const inputs = (text: string, more?: Partial<EffectiveScenario>): string =>
  JSON.stringify(agentInputs(stored(text, more), 'mock'));

const JUDGE = {
  model: 'house/m',
  rubric_file: 'r.yaml',
  pass_threshold: 0.5,
  always: false,
  timeout_secs: 60,
  votes: 1,
  rubric: { criteria: [], output: { format: 'json', require_fields: [] } },
} as unknown as EffectiveScenario['judge'];

it.each<[string, string, Partial<EffectiveScenario>?]>([
  ['gates', FILE.replace('path: x', 'path: y')],
  ['evaluators', FILE.replace('scripts:', 'scripts:\n  evaluators: [{ name: e, command: x }]')],
  ['the checks folder', FILE.replace('target:', 'checks_folder: checks\ntarget:'), { checks: 'c' }],
  ['the judge', FILE, { judge: JUDGE }],
  ['weights', FILE.replace('  gates:', '  composite: {}\n  gates:')],
  ['what is for people', FILE.replace('description: d', 'description: e\ntags: [t]\ntier: 2')],
])('are the same if only %s differ', (_, text, more) => {
  expect(inputs(text, more)).toBe(inputs(FILE));
});

it.each<[string, string, Partial<EffectiveScenario>?]>([
  ['the prompt', FILE.replace('Go.', 'Run.')],
  ['a post script', FILE.replace('tool list', 'tool list --all')],
  ['the mock', FILE.replace('say: hi', 'say: ho')],
  ['the fixture', FILE, { fixture: 'g' }],
  ['the environment', `${FILE}environment: { type: auto }\n`],
  ['the budget', `${FILE}cost: { max_usd: 1 }\n`],
  ['setup', `${FILE}setup: { commands: [x] }\n`],
])('differ if %s differs', (_, text, more) => {
  expect(inputs(text, more)).not.toBe(inputs(FILE));
});

it('of other agents are the same if only the mock differs', () => {
  const other = stored(FILE.replace('say: hi', 'say: ho'));
  expect(agentInputs(other, 'codex')).toEqual(agentInputs(stored(FILE), 'codex'));
});

it('contain no gates of steps, but the model that plays a user', () => {
  const file = (gate: string): string => `name: a
agent: x
run:
  - input: Go.
    evaluations: [{ type: ${gate} }]
  - input: Hello.
    conversation:
      max_turns: 3
      user_simulator: { persona: p, objective: o }
      turn_evaluations: [{ type: ${gate} }]
`;
  const of = (gate: string, model: string): string => {
    const loaded = loadScenario('a.scenario.yaml', file(gate));
    if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
    const { scenario } = loaded.value;
    const asked = { model };
    return JSON.stringify(agentInputs({ ...stored(FILE), scenario, asked }, 'mock'));
  };
  const [one, other] = ['file_exists, path: x', 'file_exists, path: y'] as const;
  expect(of(one, 'house/m')).toBe(of(other, 'house/m'));
  expect(of(one, 'house/m')).not.toBe(of(one, 'house/n'));
});
